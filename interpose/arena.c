/* SPDX-License-Identifier: MIT */
#include "arena.h"

/* Each block has its size 16 bytes in front. */
static _Alignas(16) unsigned char arena[16384];
static size_t arena_used;

bool ca_arena_has(const void *block) {
    return (uintptr_t)block - (uintptr_t)arena < sizeof arena;
}

static void *arena_malloc(size_t size_bytes) {
    if (size_bytes > sizeof arena - 32)
        return NULL;
    size_t taken = 16 + ((size_bytes + 15) & ~(size_t)15);
    size_t at = __atomic_fetch_add(&arena_used, taken, __ATOMIC_RELAXED);
    if (at + taken > sizeof arena)
        return NULL;
    *(size_t *)(void *)(arena + at) = size_bytes;
    return arena + at + 16;
}

static void *arena_calloc(size_t count, size_t each_bytes) {
    size_t size_bytes;
    return __builtin_mul_overflow(count, each_bytes, &size_bytes) ? NULL : arena_malloc(size_bytes);
}

static void *arena_realloc(void *old, size_t size_bytes) {
    unsigned char *block = arena_malloc(size_bytes);
    if (block == NULL || !ca_arena_has(old))
        return block;
    size_t old_bytes = ((size_t *)old)[-2];
    for (size_t i = 0; i < old_bytes && i < size_bytes; i++)
        block[i] = ((unsigned char *)old)[i];
    return block;
}

static void arena_free(void *block) {
    (void)block;
}

const struct ca_engine ca_arena_engine = {arena_malloc, arena_free, arena_calloc, arena_realloc};

/* ---- afterwards ---- */

static struct ca_engine behind_arena;

static void guarded_free(void *block) {
    if (!ca_arena_has(block))
        behind_arena.free(block);
}

static void *guarded_realloc(void *old, size_t size_bytes) {
    if (!ca_arena_has(old))
        return behind_arena.realloc(old, size_bytes);
    size_t old_bytes = ((size_t *)old)[-2];
    unsigned char *block = behind_arena.malloc(size_bytes);
    for (size_t i = 0; block != NULL && i < old_bytes && i < size_bytes; i++)
        block[i] = ((unsigned char *)old)[i];
    return block;
}

struct ca_engine ca_arena_guard(struct ca_engine engine) {
    if (arena_used != 0) {
        behind_arena = engine;
        engine.free = guarded_free;
        engine.realloc = guarded_realloc;
    }
    return engine;
}
