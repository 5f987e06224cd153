/* SPDX-License-Identifier: MIT
 *
 * Calls that may be made of others (outermost.h), as far as they release: frees by another name
 * than free, reallocf and its like, and calls for many blocks at once. macOS has them all. */
#ifndef CA_OUTERMOST_FREE_H
#define CA_OUTERMOST_FREE_H

#include "outermost.h"

/* A free under way. */
struct ca_free_call {
    struct ca_call call;
    const void *block;
    uint64_t free_null;
};

/* Before the allocator below takes `block` (may be NULL) back by `entry`. Until the entry is known
 * not to call a counted one, the free is counted afterwards, unless an inner one was. */
struct ca_free_call ca_free_begin(enum ca_entry entry, void *block);
void ca_free_end(const struct ca_free_call *free_call);

/* After a call that resizes as realloc does, but also releases `old` when it cannot. The refusal is
 * a failed call, and the release a free. */
void ca_call_end_reallocf(const struct ca_call *call, void *old, void *block, struct ca_here here);

/* Counts `block_count` blocks of `size_bytes` each that one call gave. */
void ca_count_batch(void *const *blocks, uint32_t block_count, size_t size_bytes,
                    struct ca_here here);

/* Counts the frees of `block_count` blocks, before one call takes them; NULL among them is
 * free(NULL). */
void ca_count_batch_free(void *const *blocks, uint32_t block_count);

/* The bytes that `count` elements of `each` need; 1 when that overflows, because such a call fails
 * and must not be taken for a release, which a size of 0 may be. */
size_t ca_product_or_one(size_t count, size_t each);
bool ca_is_overflow(size_t count, size_t each);

/* What malloc_zone_malloc_with_options is by another name: a calloc when bit 0 (clear) of `options`
 * is set, of the aligned family when `alignment` is above the 16 bytes that malloc gives, else a
 * malloc. */
enum ca_kind ca_kind_of_options(size_t alignment, uint64_t options);

#endif
