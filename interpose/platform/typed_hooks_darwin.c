/* SPDX-License-Identifier: MIT
 *
 * malloc_type_*: what clang makes of malloc and its like since the SDK of macOS 14, with a number
 * that stands for the type. Without these a program's frees would be seen and its allocations not.
 */
#include "../count.h"
#include "../lifecycle.h"
#include "../outermost.h"
#include "../outermost_free.h"
#include "hooks_darwin.h"

void *ca_hook_malloc_type_malloc(size_t size, ca_type_id type) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_TYPE_MALLOC), NULL, size);
    void *block = malloc_type_malloc(size, type);
    ca_call_end(&call, block, CA_KIND_MALLOC, CA_HERE());
    return block;
}

void *ca_hook_malloc_type_calloc(size_t count, size_t each, ca_type_id type) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_TYPE_CALLOC), NULL, count * each);
    void *block = malloc_type_calloc(count, each, type);
    ca_call_end(&call, block, CA_KIND_CALLOC, CA_HERE());
    return block;
}

void *ca_hook_malloc_type_valloc(size_t size, ca_type_id type) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_TYPE_VALLOC), NULL, size);
    void *block = malloc_type_valloc(size, type);
    ca_call_end(&call, block, CA_KIND_ALIGNED, CA_HERE());
    return block;
}

void *ca_hook_malloc_type_aligned_alloc(size_t alignment, size_t size, ca_type_id type) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_TYPE_ALIGNED_ALLOC), NULL, size);
    void *block = malloc_type_aligned_alloc(alignment, size, type);
    ca_call_end(&call, block, CA_KIND_ALIGNED, CA_HERE());
    return block;
}

int ca_hook_malloc_type_posix_memalign(void **ret_block, size_t alignment, size_t size,
                                       ca_type_id type) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_TYPE_POSIX_MEMALIGN), NULL, size);
    int status = malloc_type_posix_memalign(ret_block, alignment, size, type);
    ca_call_end(&call, status == 0 ? *ret_block : NULL, CA_KIND_ALIGNED, CA_HERE());
    return status;
}

void *ca_hook_malloc_type_realloc(void *old, size_t size, ca_type_id type) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_TYPE_REALLOC), old, size);
    void *block = malloc_type_realloc(old, size, type);
    ca_call_end_realloc(&call, old, block, CA_HERE());
    return block;
}

void ca_hook_malloc_type_free(void *block, ca_type_id type) {
    ca_lifecycle_resolve();
    struct ca_free_call call = ca_free_begin(CA_ENTRY_OF(CA_ENTRY_TYPE_FREE), block);
    malloc_type_free(block, type);
    ca_free_end(&call);
}

/* ---- from a zone ---- */

void *ca_hook_malloc_type_zone_malloc(malloc_zone_t *zone, size_t size, ca_type_id type) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_TYPE_ZONE_MALLOC), NULL, size);
    void *block = malloc_type_zone_malloc(zone, size, type);
    ca_call_end(&call, block, CA_KIND_MALLOC, CA_HERE());
    return block;
}

void *ca_hook_malloc_type_zone_calloc(malloc_zone_t *zone, size_t count, size_t each,
                                      ca_type_id type) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_TYPE_ZONE_CALLOC), NULL, count * each);
    void *block = malloc_type_zone_calloc(zone, count, each, type);
    ca_call_end(&call, block, CA_KIND_CALLOC, CA_HERE());
    return block;
}

void *ca_hook_malloc_type_zone_valloc(malloc_zone_t *zone, size_t size, ca_type_id type) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_TYPE_ZONE_VALLOC), NULL, size);
    void *block = malloc_type_zone_valloc(zone, size, type);
    ca_call_end(&call, block, CA_KIND_ALIGNED, CA_HERE());
    return block;
}

void *ca_hook_malloc_type_zone_memalign(malloc_zone_t *zone, size_t alignment, size_t size,
                                        ca_type_id type) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_TYPE_ZONE_MEMALIGN), NULL, size);
    void *block = malloc_type_zone_memalign(zone, alignment, size, type);
    ca_call_end(&call, block, CA_KIND_ALIGNED, CA_HERE());
    return block;
}

void *ca_hook_malloc_type_zone_malloc_with_options(malloc_zone_t *zone, size_t alignment,
                                                   size_t size, ca_type_id type,
                                                   ca_malloc_options options) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_TYPE_ZONE_OPTIONS), NULL, size);
    void *block = malloc_type_zone_malloc_with_options(zone, alignment, size, type, options);
    ca_call_end(&call, block, ca_kind_of_options(alignment, options), CA_HERE());
    return block;
}

void *ca_hook_malloc_type_zone_realloc(malloc_zone_t *zone, void *old, size_t size,
                                       ca_type_id type) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_TYPE_ZONE_REALLOC), old, size);
    void *block = malloc_type_zone_realloc(zone, old, size, type);
    ca_call_end_realloc(&call, old, block, CA_HERE());
    return block;
}

void ca_hook_malloc_type_zone_free(malloc_zone_t *zone, void *block, ca_type_id type) {
    ca_lifecycle_resolve();
    struct ca_free_call call = ca_free_begin(CA_ENTRY_OF(CA_ENTRY_TYPE_ZONE_FREE), block);
    malloc_type_zone_free(zone, block, type);
    ca_free_end(&call);
}
