/* SPDX-License-Identifier: MIT */
#include "owned_string.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALLEST_CAPACITY_BYTES = 8
};

bool ca_string_copy(struct ca_string *string, struct ca_slice slice) {
    const size_t capacity_bytes = slice.byte_count > 0 ? slice.byte_count : 1;
    *string = (struct ca_string){malloc(capacity_bytes), 0, 0};
    if (string->bytes == NULL)
        return false;
    memcpy(string->bytes, slice.bytes, slice.byte_count);
    string->byte_count = slice.byte_count;
    string->capacity_bytes = capacity_bytes;
    return true;
}

static size_t max_of(size_t left, size_t right) {
    return left > right ? left : right;
}

static bool grow(struct ca_string *string, size_t needed_bytes) {
    const size_t doubled_bytes =
        string->capacity_bytes > SIZE_MAX / 2 ? SIZE_MAX : 2 * string->capacity_bytes;
    const size_t capacity_bytes =
        max_of(max_of(doubled_bytes, needed_bytes), SMALLEST_CAPACITY_BYTES);
    char *bytes =
        string->bytes == NULL ? malloc(capacity_bytes) : realloc(string->bytes, capacity_bytes);
    if (bytes == NULL)
        return false;
    string->bytes = bytes;
    string->capacity_bytes = capacity_bytes;
    return true;
}

bool ca_string_append(struct ca_string *string, struct ca_slice slice) {
    if (slice.byte_count > SIZE_MAX - string->byte_count)
        return false;
    const size_t needed_bytes = string->byte_count + slice.byte_count;
    if (needed_bytes > string->capacity_bytes && !grow(string, needed_bytes))
        return false;
    if (slice.byte_count > 0)
        memcpy(string->bytes + string->byte_count, slice.bytes, slice.byte_count);
    string->byte_count = needed_bytes;
    return true;
}

void ca_string_release(struct ca_string *string) {
    free(string->bytes);
    *string = (struct ca_string){0};
}
