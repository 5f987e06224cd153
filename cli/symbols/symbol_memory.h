/* SPDX-License-Identifier: MIT
 *
 * Memory that is freed all at once, and what is remembered about pointers into a file. */
#ifndef CA_SYMBOL_MEMORY_H
#define CA_SYMBOL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* All zero is an empty one. */
struct ca_symbol_memory {
    struct ca_symbol_chunk *chunks;
    size_t left; /* bytes of the first chunk that are free */
};

void ca_symbol_memory_release(struct ca_symbol_memory *memory);

/* Zeroed bytes, aligned for anything; NULL when there are none. */
void *ca_symbol_memory_take(struct ca_symbol_memory *memory, size_t bytes);

/* A copy with a NUL behind it; NULL when there is no memory. */
char *ca_symbol_memory_text(struct ca_symbol_memory *memory, const char *bytes, size_t byte_count);

/* Values by the address of something; all zero is an empty table. Keys and values are kept. */
struct ca_pointer_map {
    struct ca_pointer_pair *pairs; /* slot_count, a power of two */
    size_t slot_count;
    size_t pair_count;
};

void ca_pointer_map_release(struct ca_pointer_map *map);

/* NULL: nothing is known about `key`. */
void *ca_pointer_map_find(const struct ca_pointer_map *map, const void *key);

/* `key`, not NULL, is not in the table yet. False when there is no memory. */
bool ca_pointer_map_add(struct ca_pointer_map *map, const void *key, void *value);

#endif
