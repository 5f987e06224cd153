/* SPDX-License-Identifier: MIT
 *
 * An allocator linked into the shim, for libcountalloc-jemalloc.so; libcountalloc.so has none and
 * passes calls on to the next definition it finds. One file implements this for each of the two.
 */
#ifndef CA_ALLOCATOR_INSIDE_H
#define CA_ALLOCATOR_INSIDE_H

#include "platform/shim_platform.h"

/* Puts the allocator inside, if there is one, in place of the one that was found. Its entries never
 * call public ones. */
void ca_allocator_inside(struct ca_next *next, struct ca_surroundings *found);

/* How the fast paths reach the allocator below: by a pointer, or directly. */
#ifdef CA_ALLOCATOR_JEMALLOC
#define CA_NEXT(entry) ca_je_##entry
#define CA_JE          __attribute__((visibility("hidden")))
CA_JE void *ca_je_malloc(size_t size);
CA_JE void ca_je_free(void *block);
CA_JE void *ca_je_calloc(size_t count, size_t each);
CA_JE void *ca_je_realloc(void *old, size_t size);
CA_JE int ca_je_posix_memalign(void **ret_block, size_t alignment, size_t size);
CA_JE void *ca_je_aligned_alloc(size_t alignment, size_t size);
CA_JE void *ca_je_memalign(size_t alignment, size_t size);
CA_JE void *ca_je_valloc(size_t size);
CA_JE size_t ca_je_malloc_usable_size(void *block);
CA_JE int ca_je_mallctl(const char *name, void *old, size_t *old_bytes, void *new,
                        size_t new_bytes);
#else
#define CA_NEXT(entry) ca_next.entry
#endif

#endif
