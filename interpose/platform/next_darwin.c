/* SPDX-License-Identifier: MIT
 *
 * The functions below are what their names are bound to: dyld leaves an interposing image's own
 * references alone. */
#ifndef __APPLE__
#error "macOS only"
#endif

#include <malloc/malloc.h>
#include <stdlib.h>

#include "../plain.h"
#include "shim_platform.h"

extern int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));

const char ca_platform_owner_remedy[] =
    "what this macOS makes of interposing is not what countalloc knows: tell its makers which one "
    "it is (sw_vers)";

static size_t usable_size(void *block) {
    return malloc_size(block);
}

void ca_platform_resolve(struct ca_next *ret_next, struct ca_surroundings *ret_found,
                         const void *self) {
    (void)self;
    ret_next->malloc = malloc;
    ret_next->free = free;
    ret_next->calloc = calloc;
    ret_next->realloc = realloc;
    ret_next->usable_size = usable_size;
    ret_next->pthread_atfork = pthread_atfork;
    /* One zone or another serves each block, all of them libmalloc's; who else is in front of it,
     * the start test finds out. */
    ca_plain_copy(ret_found->allocator, "/usr/lib/system/libsystem_malloc.dylib",
                  sizeof ret_found->allocator);
    ret_found->is_allocator_libc = true;
}

/* Because libmalloc is no library that somebody preloads. */
void ca_platform_find_companions(const void *malloc_below, struct ca_surroundings *found) {
    (void)malloc_below;
    found->companion_count = 0;
}

/* Because interposing replaces in every image, whatever flags it was opened with. */
bool ca_platform_find_bypass(const void *malloc_below, char *ret_path, size_t path_size,
                             bool *ret_is_namespace) {
    (void)malloc_below;
    (void)path_size;
    *ret_is_namespace = false;
    ret_path[0] = '\0';
    return false;
}
