/* SPDX-License-Identifier: MIT
 *
 * Calls that may be made of others. The allocator below may serve an entry by calling another
 * public one, which comes through our hooks again: glibc's reallocarray calls realloc, most of
 * musl's entries call malloc or aligned_alloc. Such a call must count once, under the outermost
 * name.
 *
 * No guard is held while the call is under way. The inner call counts itself like any other; when
 * the outer one returns, it looks whether the thread's row has moved, and if so only puts the
 * call under its own name. So nothing sticks when a longjmp leaves the call, a signal handler that
 * allocates inside is counted too, and no allocator is asked anything that the program did not ask.
 *
 * The first call of an entry that returned a block and did not nest settles it: from then on it
 * pays nothing. A realloc of an allocator that is not libc's is settled by one that moved. Until an
 * entry is settled, a call in which a signal handler allocates is taken for one that nests, and the
 * handler's call for its inner one.
 */
#ifndef CA_OUTERMOST_H
#define CA_OUTERMOST_H

#include "count.h"
#include "site.h"

/* A call under way: what the row said before. */
struct ca_call {
    struct ca_row *row; /* NULL: nothing is being counted */
    enum ca_entry entry;
    bool is_watched; /* the entry may nest */
    size_t size_bytes;
    size_t old_usable_bytes; /* of the block that a realloc was given */
    uint64_t allocations;
    uint64_t bytes_requested;
    uint64_t calloc_calls;
    uint64_t realloc_calls;
    uint64_t aligned_calls;
    uint64_t free_calls;
    uint64_t failed_calls;
    uint64_t realloc_released;
};

/* Whether ca_call_end would see that a call of `entry` was made of others. Not in a row in which
 * several threads count: there, what nests is counted twice. */
bool ca_call_sees_inner(enum ca_entry entry);

/* Before the allocator below gets the call. `old`: the block that a realloc is given, or NULL. */
struct ca_call ca_call_begin(enum ca_entry entry, void *old, size_t size_bytes);

/* After a calloc or an aligned entry that was called at `here`. `block` NULL: it failed. */
void ca_call_end(const struct ca_call *call, void *block, enum ca_kind kind, struct ca_here here);

/* After a realloc or reallocarray. */
void ca_call_end_realloc(const struct ca_call *call, void *old, void *block, struct ca_here here);

/* Whether `entry` is known not to nest. */
static inline bool ca_is_settled(enum ca_entry entry) {
    return CA_LIKELY(ca_shim.is_settled[entry]);
}

#endif
