/* SPDX-License-Identifier: MIT
 *
 * jemalloc's own names carry the prefix ca_je_ here: the build renames them in a copy of its
 * archive. */
#include "allocator_inside.h"

#include <errno.h>

#include "hooks.h"
#include "plain.h"

/* Blocks are now jemalloc's, so their sizes must be, too. */
CA_HOOK size_t malloc_usable_size(void *block) {
    return ca_je_malloc_usable_size(block);
}

/* jemalloc has none, and glibc's would hand out a block that jemalloc's free must not have. Fails
 * as glibc's does, with ENOMEM, which jemalloc's valloc does not set. */
static void *pvalloc_of_whole_pages(size_t size) {
    const size_t page_bytes = 4096;
    size_t rounded;
    void *block = NULL;
    if (!__builtin_add_overflow(size, page_bytes - 1, &rounded))
        block = ca_je_valloc(rounded & ~(page_bytes - 1));
    if (block == NULL)
        errno = ENOMEM;
    return block;
}

void ca_allocator_inside(struct ca_next *next, struct ca_surroundings *found) {
    next->malloc = ca_je_malloc;
    next->free = ca_je_free;
    next->calloc = ca_je_calloc;
    next->realloc = ca_je_realloc;
    next->posix_memalign = ca_je_posix_memalign;
    next->aligned_alloc = ca_je_aligned_alloc;
    next->memalign = ca_je_memalign;
    next->valloc = ca_je_valloc;
    next->pvalloc = pvalloc_of_whole_pages;
    next->usable_size = ca_je_malloc_usable_size;
    next->mallctl = ca_je_mallctl;
    next->mallinfo2 = NULL;
    next->property = NULL;
    next->cfree = NULL;
    next->free_sized = NULL;
    next->free_aligned_sized = NULL;
    found->is_allocator_libc = false;
    found->is_allocator_inside = true;
    ca_plain_copy(found->allocator, "libjemalloc.a", sizeof found->allocator);
}
