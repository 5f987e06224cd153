/* SPDX-License-Identifier: MIT
 *
 * slice.h: bytes that belong to someone else.
 *
 * `bytes` is never NULL, may hold NUL, and is not terminated. Whoever makes a slice says whose
 * bytes they are.
 */
#ifndef COUNTALLOC_SLICE_H
#define COUNTALLOC_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct ca_slice {
    const char *bytes;
    size_t byte_count;
};

static inline struct ca_slice ca_slice_of(const char *text) {
    return (struct ca_slice){text, strlen(text)};
}

static inline bool ca_slice_equal(struct ca_slice left, struct ca_slice right) {
    return left.byte_count == right.byte_count &&
           memcmp(left.bytes, right.bytes, left.byte_count) == 0;
}

/* Whether the slice holds `text`; with a literal this is two or three compares and no call. */
static inline bool ca_slice_is(struct ca_slice slice, const char *text) {
    const size_t byte_count = strlen(text);
    return slice.byte_count == byte_count && memcmp(slice.bytes, text, byte_count) == 0;
}

#endif
