/* SPDX-License-Identifier: MIT */
#include "string_map.h"

#include <stdlib.h>

enum {
    FIRST_SLOT_COUNT = 4
};

/* The slot that holds the key, or the free one where it belongs. */
static struct ca_string_pair *find_slot(const struct ca_string_map *map, struct ca_sip_key sip_key,
                                        struct ca_slice key) {
    size_t at = (size_t)ca_sip_hash(sip_key, key) & (map->slot_count - 1);
    for (;; at = (at + 1) & (map->slot_count - 1)) {
        struct ca_string_pair *slot = &map->slots[at];
        if (slot->key.bytes == NULL || ca_slice_equal(ca_string_slice(&slot->key), key))
            return slot;
    }
}

static bool grow(struct ca_string_map *map, struct ca_sip_key sip_key) {
    struct ca_string_map larger = {NULL, FIRST_SLOT_COUNT, map->pair_count};
    if (map->slot_count > 0)
        larger.slot_count = 2 * map->slot_count;
    larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
    if (larger.slots == NULL)
        return false;
    for (size_t at = 0; at < map->slot_count; at++)
        if (map->slots[at].key.bytes != NULL)
            *find_slot(&larger, sip_key, ca_string_slice(&map->slots[at].key)) = map->slots[at];
    free(map->slots);
    *map = larger;
    return true;
}

static bool is_full(const struct ca_string_map *map) {
    return map->pair_count >= map->slot_count - (map->slot_count + 7) / 8;
}

bool ca_string_map_insert(struct ca_string_map *map, struct ca_sip_key sip_key,
                          struct ca_string key, struct ca_string value) {
    struct ca_string_pair *slot = NULL;
    if (map->slot_count > 0)
        slot = find_slot(map, sip_key, ca_string_slice(&key));
    if (slot != NULL && slot->key.bytes != NULL) {
        ca_string_release(&key);
        ca_string_release(&slot->value);
        slot->value = value;
        return true;
    }
    if (is_full(map)) {
        if (!grow(map, sip_key)) {
            ca_string_release(&key);
            ca_string_release(&value);
            return false;
        }
        slot = find_slot(map, sip_key, ca_string_slice(&key));
    }
    *slot = (struct ca_string_pair){key, value};
    map->pair_count++;
    return true;
}

struct ca_slice ca_string_map_get(const struct ca_string_map *map, struct ca_sip_key sip_key,
                                  struct ca_slice key) {
    if (map->slot_count == 0)
        return (struct ca_slice){"", 0};
    return ca_string_slice(&find_slot(map, sip_key, key)->value);
}

void ca_string_map_release(struct ca_string_map *map) {
    for (size_t at = 0; at < map->slot_count; at++) {
        if (map->slots[at].key.bytes == NULL)
            continue;
        ca_string_release(&map->slots[at].key);
        ca_string_release(&map->slots[at].value);
    }
    free(map->slots);
    *map = (struct ca_string_map){0};
}
