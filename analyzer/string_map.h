/* SPDX-License-Identifier: MIT
 *
 * string_map.h: a map of owned strings, what `HashMap<String, String>` is in Rust. v0 and v1 make
 * one per line.
 *
 * Open addressing with linear probing, SipHash-1-3: 4 slots at the first entry, doubled when an
 * entry would exceed 7/8 of them (so 3, 7, 14 … entries), every key hashed anew when it grows. An
 * all-zero struct ca_string_map is empty and owns nothing.
 */
#ifndef COUNTALLOC_STRING_MAP_H
#define COUNTALLOC_STRING_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "owned_string.h"
#include "siphash.h"
#include "slice.h"

/* An empty slot's key has no bytes. */
struct ca_string_pair {
    struct ca_string key;
    struct ca_string value;
};

/* `slots`: `slot_count` elements, 0 or a power of two. */
struct ca_string_map {
    struct ca_string_pair *slots;
    size_t slot_count;
    size_t pair_count;
};

/* Adds a pair, or replaces the value of a key that is there. Both strings are given, in every case.
 * False when memory ran out; the map is then as before. */
bool ca_string_map_insert(struct ca_string_map *map, struct ca_sip_key sip_key,
                          struct ca_string key, struct ca_string value);

/* The value of a key, borrowed from the map; empty when the key is not there. */
struct ca_slice ca_string_map_get(const struct ca_string_map *map, struct ca_sip_key sip_key,
                                  struct ca_slice key);

/* Frees all strings and the table, and leaves an empty map. */
void ca_string_map_release(struct ca_string_map *map);

#endif
