/* SPDX-License-Identifier: MIT */
#include "statistics.h"

/* jemalloc's figures are as of its last epoch; writing one begins a new one
 * (https://jemalloc.net/jemalloc.3.html, "epoch"). */
static uint64_t mallctl_bytes(const char *name) {
    size_t value = 0;
    size_t value_bytes = sizeof value;
    return ca_next.mallctl(name, &value, &value_bytes, NULL, 0) == 0 ? value : 0;
}

static void begin_epoch(void) {
    uint64_t epoch = 1;
    ca_next.mallctl("epoch", NULL, NULL, &epoch, sizeof epoch);
}

/* gperftools, src/gperftools/malloc_extension.h: the heap less the pages that were given back. */
static uint64_t property_bytes(const char *name) {
    size_t value = 0;
    return ca_next.property(name, &value) != 0 ? value : 0;
}

void ca_statistics_take(struct ca_image *image) {
    if (ca_next.mallctl != NULL) {
        begin_epoch();
        image->allocator_used_bytes = mallctl_bytes("stats.allocated");
        image->allocator_active_bytes = mallctl_bytes("stats.active");
        image->allocator_held_bytes = mallctl_bytes("stats.resident");
    } else if (ca_next.property != NULL) {
        image->allocator_used_bytes = property_bytes("generic.current_allocated_bytes");
        image->allocator_held_bytes = property_bytes("generic.heap_size") -
                                      property_bytes("tcmalloc.pageheap_unmapped_bytes");
    } else if (ca_next.mallinfo2 != NULL) {
        struct ca_mallinfo info = ca_next.mallinfo2();
        image->allocator_used_bytes = info.used_bytes + info.mapped_bytes;
        image->allocator_held_bytes = info.heap_bytes + info.mapped_bytes;
    }
}
