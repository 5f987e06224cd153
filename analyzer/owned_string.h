/* SPDX-License-Identifier: MIT
 *
 * owned_string.h: bytes of one's own, that grow as a Rust String does. v0 and v1 are made of them;
 * the report is built in one.
 *
 * Capacity is the size of the first piece, at least 8, and then twice itself or what is needed,
 * whichever is more. An all-zero struct ca_string is empty and owns nothing. Not NUL-terminated.
 */
#ifndef COUNTALLOC_OWNED_STRING_H
#define COUNTALLOC_OWNED_STRING_H

#include <stdbool.h>
#include <stddef.h>

#include "slice.h"

struct ca_string {
    char *bytes;
    size_t byte_count;
    size_t capacity_bytes;
};

/* Copies a slice into a string of exactly its size: one allocation, an empty slice's too. False
 * when memory ran out; the string is then empty. */
bool ca_string_copy(struct ca_string *string, struct ca_slice slice);

/* Appends a slice. False when memory ran out; the string is then as before. */
bool ca_string_append(struct ca_string *string, struct ca_slice slice);

/* Frees the bytes and leaves an empty string. */
void ca_string_release(struct ca_string *string);

/* The string's bytes, borrowed until it changes. */
static inline struct ca_slice ca_string_slice(const struct ca_string *string) {
    return (struct ca_slice){string->bytes != NULL ? string->bytes : "", string->byte_count};
}

#endif
