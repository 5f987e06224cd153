/* SPDX-License-Identifier: MIT
 *
 * The smallest allocator that a program can run on: as a library to be preloaded beside the shim, and
 * linked into a program of its own. It has no malloc_usable_size and gives nothing back. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HEAP_BYTES ((size_t)8 << 20)

static _Alignas(16) char heap[HEAP_BYTES];
static size_t used_bytes;

void *malloc(size_t size) {
    size_t taken = (size + 31) & ~(size_t)15;
    if (size > HEAP_BYTES)
        return NULL;
    size_t at = __atomic_fetch_add(&used_bytes, taken, __ATOMIC_RELAXED);
    if (at + taken > HEAP_BYTES)
        return NULL;
    memcpy(heap + at, &size, sizeof size);
    return heap + at + 16;
}

void free(void *block) {
    (void)block;
}

void *calloc(size_t count, size_t each) {
    return each != 0 && count > HEAP_BYTES / each ? NULL : malloc(count * each);
}

void *realloc(void *old, size_t size) {
    char *block = malloc(size);
    if (block != NULL && old != NULL) {
        size_t old_size;
        memcpy(&old_size, (char *)old - 16, sizeof old_size);
        memcpy(block, old, old_size < size ? old_size : size);
    }
    return block;
}
