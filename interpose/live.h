/* SPDX-License-Identifier: MIT
 *
 * Live bytes: what the allocator below has set aside and not taken back. Each row follows its own;
 * the process-wide figure is made of what the threads publish, each time theirs has moved by
 * CA_LIVE_STEP_BYTES or they change their phase. With one thread the figure, and so the peak, is
 * exact.
 *
 * The size of a block comes from malloc_usable_size of the object that serves malloc. Where that is
 * glibc, the word in front of the block says the same; after a few blocks on which both agree the
 * shim reads only the word. Nothing is allocated to find that out.
 */
#ifndef CA_LIVE_H
#define CA_LIVE_H

#include "allocator_inside.h"
#include "count.h"

/* Settles who gives the size of a block, once the allocator below is known. */
void ca_live_resolve(void);

/* The usable size of a block; 0 for NULL and where nobody knows. */
size_t ca_usable_bytes(void *block);

/* Publishes what `row` knows of the live figure, and with it the peaks. */
void ca_live_publish(struct ca_row *row);

/* Moves the thread's share of the live figure from the row it leaves to the one it enters. */
void ca_live_carry(struct ca_row *from, struct ca_row *to);

/* Makes `row` publish from now on. */
void ca_live_begin(struct ca_row *row);

/* Adds `moved` bytes to a row that may be shared, off the fast path. */
void ca_live_move(struct ca_row *row, int64_t moved);

/* Raises `*peak` to `figure` if that is higher. */
void ca_raise(int64_t *peak, int64_t figure);

/* ---- the fast paths, inlined into the counted calls ---- */

/* glibc's chunk header: the size of the chunk in the word before the block, its three lowest bits
 * flags (malloc/malloc.c, "struct malloc_chunk"). A chunk in use lends its last word from the next
 * one, so 8 of its bytes are overhead; one that was mapped by itself cannot, and leaves the fast
 * path. */
#define CHUNK_FLAGS      7u
#define CHUNK_IS_MMAPPED 2u
#define CHUNK_OVERHEAD   8u

CA_HOT uint64_t ca_chunk_header(const void *block) {
    return ((const uint64_t *)block)[-1];
}

CA_HOT uint64_t ca_chunk_usable_bytes(uint64_t header) {
    return (header & ~(uint64_t)CHUNK_FLAGS) - CHUNK_OVERHEAD;
}

/* The cold ends of the fast paths finish the call themselves, so that the fast path has nothing to
 * keep for afterwards. */
void *ca_live_add_mapped(struct ca_row *row, void *block);
void *ca_live_publish_block(struct ca_row *row, void *block);
void ca_live_free_mapped(void *block, struct ca_row *row);
void ca_live_publish_free(void *block, struct ca_row *row);

/* Follows a block that the allocator below handed out, and returns it. */
CA_HOT void *ca_live_add(struct ca_row *row, void *block, enum ca_usable usable) {
    if (usable == CA_USABLE_NONE)
        return block;
    uint64_t bytes;
    if (usable == CA_USABLE_HEADER) {
        uint64_t header = ca_chunk_header(block);
        if (CA_UNLIKELY(header & CHUNK_IS_MMAPPED))
            return ca_live_add_mapped(row, block);
        bytes = ca_chunk_usable_bytes(header);
    } else {
        bytes = ca_usable_bytes(block);
    }
    ca_add((uint64_t *)&row->bytes_live, bytes);
    if (CA_UNLIKELY(row->bytes_live > row->live_above))
        return ca_live_publish_block(row, block);
    return block;
}

/* Forgets a block and gives it back, in this order: afterwards it may be somebody else's. A figure
 * that only grows is highest now, so the highest is noted by the first free that follows: once for
 * each time it grew, where a malloc would have to ask, and be predicted, each time. */
CA_HOT void ca_live_remove_and_free(struct ca_row *row, void *block, enum ca_usable usable) {
    if (usable != CA_USABLE_NONE) {
        uint64_t bytes;
        if (usable == CA_USABLE_HEADER) {
            uint64_t header = ca_chunk_header(block);
            if (CA_UNLIKELY(header & CHUNK_IS_MMAPPED)) {
                ca_live_free_mapped(block, row);
                return;
            }
            bytes = ca_chunk_usable_bytes(header);
        } else {
            bytes = ca_usable_bytes(block);
        }
        int64_t before = row->bytes_live;
        if (CA_UNLIKELY(before > row->live_max))
            row->live_max = before;
        ca_subtract((uint64_t *)&row->bytes_live, bytes);
        if (CA_UNLIKELY(row->bytes_live < row->live_below)) {
            ca_live_publish_free(block, row);
            return;
        }
    }
    CA_NEXT(free)(block);
}

#endif
