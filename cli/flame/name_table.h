/* SPDX-License-Identifier: MIT
 *
 * Strings, each kept once and known by a number: 0, 1, 2 … in the order of their first appearance.
 * Any bytes will do. */
#ifndef CA_NAME_TABLE_H
#define CA_NAME_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "flame/byte_buffer.h"

struct ca_name {
    uint64_t hash;
    size_t at; /* offset in `text` */
    uint32_t byte_count;
};

/* All zero is an empty table. */
struct ca_name_table {
    struct ca_name *names; /* name_count elements */
    size_t name_count;
    size_t name_capacity;
    uint32_t *slots; /* slot_count of them: number + 1, or 0 */
    size_t slot_count;
    struct ca_byte_buffer text;
};

void ca_name_table_release(struct ca_name_table *table);

/* The number of the name, which is added when it is new. False when there is no memory, or for a
 * name of 4 GiB or more. */
bool ca_name_table_number(struct ca_name_table *table, const char *bytes, size_t byte_count,
                          uint32_t *ret_number);

/* Borrowed until a name is added. */
const char *ca_name_table_bytes(const struct ca_name_table *table, uint32_t number);

/* `*ret_ranks`: name_count elements (returned, free() it): the place of each name among all, sorted
 * by bytes. False when there is no memory. */
bool ca_name_table_ranks(const struct ca_name_table *table, uint32_t **ret_ranks);

/* FNV-1a, 64 bits: the same on every machine. */
uint64_t ca_bytes_hash(const char *bytes, size_t byte_count);

/* As strcmp, for two strings of known length. */
int ca_bytes_compare(const char *left, size_t left_count, const char *right, size_t right_count);

#endif
