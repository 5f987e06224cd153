/* SPDX-License-Identifier: MIT
 *
 * malloc_zone_*: what is taken from a zone by its name. Calls through the zone's own table of
 * functions are nobody's to see, and malloc_destroy_zone takes blocks back that are never freed. */
#include "../count.h"
#include "../lifecycle.h"
#include "../outermost.h"
#include "../outermost_free.h"
#include "hooks_darwin.h"

void *ca_hook_malloc_zone_malloc(malloc_zone_t *zone, size_t size) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_ZONE_MALLOC), NULL, size);
    void *block = malloc_zone_malloc(zone, size);
    ca_call_end(&call, block, CA_KIND_MALLOC, CA_HERE());
    return block;
}

void *ca_hook_malloc_zone_calloc(malloc_zone_t *zone, size_t count, size_t each) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_ZONE_CALLOC), NULL, count * each);
    void *block = malloc_zone_calloc(zone, count, each);
    ca_call_end(&call, block, CA_KIND_CALLOC, CA_HERE());
    return block;
}

void *ca_hook_malloc_zone_valloc(malloc_zone_t *zone, size_t size) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_ZONE_VALLOC), NULL, size);
    void *block = malloc_zone_valloc(zone, size);
    ca_call_end(&call, block, CA_KIND_ALIGNED, CA_HERE());
    return block;
}

void *ca_hook_malloc_zone_memalign(malloc_zone_t *zone, size_t alignment, size_t size) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_ZONE_MEMALIGN), NULL, size);
    void *block = malloc_zone_memalign(zone, alignment, size);
    ca_call_end(&call, block, CA_KIND_ALIGNED, CA_HERE());
    return block;
}

/* As the system does it: by the options a calloc, by the alignment one of the aligned family. */
void *ca_hook_malloc_zone_malloc_with_options(malloc_zone_t *zone, size_t alignment, size_t size,
                                              ca_malloc_options options) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_ZONE_OPTIONS), NULL, size);
    void *block = malloc_zone_malloc_with_options(zone, alignment, size, options);
    ca_call_end(&call, block, ca_kind_of_options(alignment, options), CA_HERE());
    return block;
}

void *ca_hook_malloc_zone_realloc(malloc_zone_t *zone, void *old, size_t size) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_ZONE_REALLOC), old, size);
    void *block = malloc_zone_realloc(zone, old, size);
    ca_call_end_realloc(&call, old, block, CA_HERE());
    return block;
}

void ca_hook_malloc_zone_free(malloc_zone_t *zone, void *block) {
    ca_lifecycle_resolve();
    struct ca_free_call call = ca_free_begin(CA_ENTRY_OF(CA_ENTRY_ZONE_FREE), block);
    malloc_zone_free(zone, block);
    ca_free_end(&call);
}

unsigned ca_hook_malloc_zone_batch_malloc(malloc_zone_t *zone, size_t size, void **ret_blocks,
                                          unsigned wanted_count) {
    ca_lifecycle_resolve();
    unsigned count = malloc_zone_batch_malloc(zone, size, ret_blocks, wanted_count);
    ca_count_batch(ret_blocks, count, size, CA_HERE());
    return count;
}

void ca_hook_malloc_zone_batch_free(malloc_zone_t *zone, void **blocks, unsigned count) {
    ca_lifecycle_resolve();
    ca_count_batch_free(blocks, count);
    malloc_zone_batch_free(zone, blocks, count);
}
