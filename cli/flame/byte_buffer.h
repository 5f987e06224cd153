/* SPDX-License-Identifier: MIT
 *
 * Bytes that grow at their end. */
#ifndef CA_BYTE_BUFFER_H
#define CA_BYTE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* All zero is an empty buffer. */
struct ca_byte_buffer {
    char *bytes; /* byte_count of them; no NUL is added */
    size_t byte_count;
    size_t capacity;
};

void ca_byte_buffer_release(struct ca_byte_buffer *buffer);

/* False, with the buffer unchanged, when there is no memory. */
bool ca_byte_buffer_add(struct ca_byte_buffer *buffer, const char *bytes, size_t byte_count);

/* Makes room for `byte_count` more bytes behind the present ones. */
bool ca_byte_buffer_reserve(struct ca_byte_buffer *buffer, size_t byte_count);

/* `array`, of elements of `element_bytes`, with room for one more than `count`; `*capacity`
 * elements now, at least doubled each time. NULL, with `array` still valid, when there is no
 * memory. */
void *ca_array_grown(void *array, size_t count, size_t *capacity, size_t element_bytes);

#endif
