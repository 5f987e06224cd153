/* SPDX-License-Identifier: MIT */
#include "flame/byte_buffer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void ca_byte_buffer_release(struct ca_byte_buffer *buffer) {
    free(buffer->bytes);
    *buffer = (struct ca_byte_buffer){0};
}

bool ca_byte_buffer_reserve(struct ca_byte_buffer *buffer, size_t byte_count) {
    if (byte_count <= buffer->capacity - buffer->byte_count)
        return true;
    if (byte_count > SIZE_MAX / 4 || buffer->byte_count > SIZE_MAX / 4)
        return false;
    size_t capacity = buffer->capacity < 64 ? 64 : buffer->capacity;
    while (capacity < buffer->byte_count + byte_count)
        capacity *= 2;
    char *bytes = realloc(buffer->bytes, capacity);
    if (bytes == NULL)
        return false;
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

bool ca_byte_buffer_add(struct ca_byte_buffer *buffer, const char *bytes, size_t byte_count) {
    if (!ca_byte_buffer_reserve(buffer, byte_count))
        return false;
    if (byte_count > 0)
        memcpy(buffer->bytes + buffer->byte_count, bytes, byte_count);
    buffer->byte_count += byte_count;
    return true;
}

void *ca_array_grown(void *array, size_t count, size_t *capacity, size_t element_bytes) {
    if (count < *capacity)
        return array;
    if (*capacity > SIZE_MAX / 4 / element_bytes)
        return NULL;
    size_t wanted = *capacity < 16 ? 16 : *capacity * 2;
    void *grown = realloc(array, wanted * element_bytes);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}
