/* SPDX-License-Identifier: MIT */
#include "statistics.h"

/* Each is false where the allocator has no such figure: jemalloc built without statistics has none.
 */

static bool take_mallctl(const char *name, uint64_t *ret_bytes) {
    size_t value = 0;
    size_t value_bytes = sizeof value;
    if (ca_next.mallctl(name, &value, &value_bytes, NULL, 0) != 0)
        return false;
    *ret_bytes = value;
    return true;
}

static bool take_property(const char *name, uint64_t *ret_bytes) {
    size_t value = 0;
    if (ca_next.property(name, &value) == 0)
        return false;
    *ret_bytes = value;
    return true;
}

/* The figures are as of the last epoch; writing one begins a new one
 * (https://jemalloc.net/jemalloc.3.html, "epoch"). */
static bool ask_jemalloc(struct ca_image *image) {
    uint64_t epoch = 1;
    ca_next.mallctl("epoch", NULL, NULL, &epoch, sizeof epoch);
    take_mallctl("stats.active", &image->allocator_active_bytes);
    return take_mallctl("stats.allocated", &image->allocator_used_bytes) &&
           take_mallctl("stats.resident", &image->allocator_held_bytes);
}

/* gperftools, src/gperftools/malloc_extension.h: the heap less the pages that were given back. */
static bool ask_tcmalloc(struct ca_image *image) {
    uint64_t unmapped_bytes = 0;
    bool has_all = take_property("generic.current_allocated_bytes", &image->allocator_used_bytes) &&
                   take_property("generic.heap_size", &image->allocator_held_bytes) &&
                   take_property("tcmalloc.pageheap_unmapped_bytes", &unmapped_bytes);
    image->allocator_held_bytes -= unmapped_bytes;
    return has_all;
}

static bool ask_glibc(struct ca_image *image) {
    struct ca_mallinfo info = ca_next.mallinfo2();
    image->allocator_used_bytes = info.used_bytes + info.mapped_bytes;
    image->allocator_held_bytes = info.heap_bytes + info.mapped_bytes;
    return true;
}

void ca_statistics_take(struct ca_image *image) {
    bool is_answered = false;
    if (ca_next.mallctl != NULL)
        is_answered = ask_jemalloc(image);
    else if (ca_next.property != NULL)
        is_answered = ask_tcmalloc(image);
    else if (ca_next.mallinfo2 != NULL)
        is_answered = ask_glibc(image);
    if (is_answered)
        image->flags |= CA_IMAGE_STATISTICS;
}
