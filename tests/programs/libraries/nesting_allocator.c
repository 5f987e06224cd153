/* SPDX-License-Identifier: MIT
 *
 * An allocator whose calls are made of calls to each other through the public names, as some libcs'
 * are. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BYTES ((size_t)1 << 22)
#define HEADER      16

static _Alignas(4096) char arena[ARENA_BYTES];
static size_t used_bytes;

size_t malloc_usable_size(void *block);
void *memalign(size_t alignment, size_t size);

static void *take(size_t alignment, size_t size) {
    size_t at = (used_bytes + HEADER + alignment - 1) & ~(alignment - 1);
    if (size > ARENA_BYTES || at + size > ARENA_BYTES) {
        errno = ENOMEM;
        return NULL;
    }
    used_bytes = at + ((size + 15) & ~(size_t)15);
    *(size_t *)(void *)(arena + at - HEADER) = (size + 15) & ~(size_t)15;
    return arena + at;
}

void *malloc(size_t size) {
    return take(16, size);
}

void free(void *block) {
    (void)block;
}

size_t malloc_usable_size(void *block) {
    return block != NULL ? *(size_t *)(void *)((char *)block - HEADER) : 0;
}

void *calloc(size_t count, size_t each) {
    if (each != 0 && count > SIZE_MAX / each) {
        errno = ENOMEM;
        return NULL;
    }
    return malloc(count * each);
}

void *realloc(void *old, size_t size) {
    if (old != NULL && size == 0) {
        free(old);
        return NULL;
    }
    if (old == NULL && size < 64)
        return take(16, size); /* by no other name, although what moves is */
    void *block = malloc(size);
    if (block == NULL || old == NULL)
        return block;
    size_t old_bytes = malloc_usable_size(old);
    memcpy(block, old, old_bytes < size ? old_bytes : size);
    free(old);
    return block;
}

void *aligned_alloc(size_t alignment, size_t size) {
    return take(alignment < 16 ? 16 : alignment, size);
}

void *memalign(size_t alignment, size_t size) {
    return aligned_alloc(alignment, size);
}

int posix_memalign(void **ret_block, size_t alignment, size_t size) {
    void *block = memalign(alignment, size);
    if (block == NULL)
        return ENOMEM;
    *ret_block = block;
    return 0;
}
