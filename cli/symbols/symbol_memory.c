/* SPDX-License-Identifier: MIT */
#include "symbols/symbol_memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES      65536u
#define SLOT_COUNT_LEAST 256u

/* ---- memory ---- */

struct ca_symbol_chunk {
    struct ca_symbol_chunk *next;
    size_t byte_count;
    alignas(max_align_t) char bytes[];
};

void ca_symbol_memory_release(struct ca_symbol_memory *memory) {
    while (memory->chunks != NULL) {
        struct ca_symbol_chunk *next = memory->chunks->next;
        free(memory->chunks);
        memory->chunks = next;
    }
    memory->left = 0;
}

void *ca_symbol_memory_take(struct ca_symbol_memory *memory, size_t bytes) {
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    if (bytes > memory->left || memory->chunks == NULL) {
        size_t byte_count = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        struct ca_symbol_chunk *chunk = calloc(1, sizeof *chunk + byte_count);
        if (chunk == NULL)
            return NULL;
        chunk->next = memory->chunks;
        chunk->byte_count = byte_count;
        memory->chunks = chunk;
        memory->left = byte_count;
    }
    void *taken = memory->chunks->bytes + memory->chunks->byte_count - memory->left;
    memory->left -= bytes;
    return taken;
}

char *ca_symbol_memory_text(struct ca_symbol_memory *memory, const char *bytes, size_t byte_count) {
    char *text = ca_symbol_memory_take(memory, byte_count + 1);
    if (text != NULL)
        memcpy(text, bytes, byte_count);
    return text;
}

/* ---- pointers ---- */

struct ca_pointer_pair {
    const void *key;
    void *value;
};

void ca_pointer_map_release(struct ca_pointer_map *map) {
    free(map->pairs);
    *map = (struct ca_pointer_map){0};
}

/* Where `key` is, or belongs. */
static struct ca_pointer_pair *slot_of(const struct ca_pointer_map *map, const void *key) {
    uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
    for (size_t at = (size_t)(hash ^ hash >> 32);; at++) {
        struct ca_pointer_pair *pair = &map->pairs[at & (map->slot_count - 1)];
        if (pair->key == NULL || pair->key == key)
            return pair;
    }
}

void *ca_pointer_map_find(const struct ca_pointer_map *map, const void *key) {
    return map->slot_count == 0 ? NULL : slot_of(map, key)->value;
}

static bool grow(struct ca_pointer_map *map) {
    struct ca_pointer_map grown = {
        .slot_count = map->slot_count == 0 ? SLOT_COUNT_LEAST : map->slot_count * 2,
        .pair_count = map->pair_count,
    };
    grown.pairs = calloc(grown.slot_count, sizeof *grown.pairs);
    if (grown.pairs == NULL)
        return false;
    for (size_t i = 0; i < map->slot_count; i++)
        if (map->pairs[i].key != NULL)
            *slot_of(&grown, map->pairs[i].key) = map->pairs[i];
    free(map->pairs);
    *map = grown;
    return true;
}

bool ca_pointer_map_add(struct ca_pointer_map *map, const void *key, void *value) {
    if (map->pair_count * 2 >= map->slot_count && !grow(map))
        return false;
    *slot_of(map, key) = (struct ca_pointer_pair){.key = key, .value = value};
    map->pair_count++;
    return true;
}
