/* SPDX-License-Identifier: MIT
 *
 * Where a call is counted.
 *
 * The exported malloc, calloc, realloc and free (hooks.c) are one jump through `ca_engine`. What it
 * jumps to depends on how far the shim has come and on what is measured, so that no counted call
 * ever asks:
 *
 *     first      resolve the allocator below, then do the call again
 *     arena      serve from a small static arena while resolving (nothing known needs it)
 *     boot       pass on, count off the fast path
 *     counts     pass on, count
 *     call       the same, and follow live bytes by malloc_usable_size
 *     header     the same, and follow live bytes by glibc's chunk header
 *     inert      the allocator below itself
 *
 * The three that count exist once for each way of taking where a call came from (site.h).
 *
 * A counted call reads one thread-local word, the thread's current row, and adds to it with single
 * instructions, because a signal handler that allocates may interrupt it anywhere. No atomics: a
 * row has one writer. A thread that is not attached yet has `ca_row_unattached`, on which the
 * comparisons that are there anyway fail: the cold path attaches it.
 */
#ifndef CA_COUNT_H
#define CA_COUNT_H

#include "plain.h"
#include "platform/thread_words.h"
#include "shim_state.h"

#define CA_COLD __attribute__((noinline, cold))
#define CA_HOT  static inline __attribute__((always_inline))
/* A program's own code fills the instruction cache: functions that are called in turn lie together,
 * in few lines and pages of it. `group`: the name of what lies together, in the order of the source
 * or the reverse; `alignment`: in bytes, a line has 64. */
#if defined(__ELF__)
#define CA_TOGETHER(group, alignment)                                                              \
    __attribute__((noinline, hot, aligned(alignment), section(".text.hot." #group)))
#else
#define CA_TOGETHER(group, alignment) __attribute__((noinline, hot, aligned(alignment)))
#endif

struct ca_engine {
    void *(*malloc)(size_t);
    void (*free)(void *);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
};

extern CA_HIDDEN struct ca_engine ca_engine;

/* The calling thread's current row. */
CA_THREAD_WORD(struct ca_row *, ca_row_here);

extern CA_HIDDEN struct ca_row ca_row_unattached; /* not attached yet */
extern CA_HIDDEN struct ca_row
    ca_row_overflowed; /* no slot or row was left for the thread: it counts in the overflow slot */

/* Adds by one instruction where the machine has one, so that a signal handler in the same thread
 * loses nothing. Elsewhere a relaxed atomic add. */
static inline void ca_add(uint64_t *counter, uint64_t amount) {
#if defined(__x86_64__)
    __asm__("addq %1, %0" : "+m"(*counter) : "er"(amount) : "cc");
#else
    __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
#endif
}

static inline void ca_subtract(uint64_t *counter, uint64_t amount) {
#if defined(__x86_64__)
    __asm__("subq %1, %0" : "+m"(*counter) : "er"(amount) : "cc");
#else
    __atomic_fetch_sub(counter, amount, __ATOMIC_RELAXED);
#endif
}

static inline void ca_add_signed(int64_t *counter, int64_t amount) {
    ca_add((uint64_t *)counter, (uint64_t)amount);
}

/* Whether several threads count in `row`, so that it takes atomic adds. */
static inline bool ca_is_shared(const struct ca_row *row) {
    return row->slot == 0 && row != &ca_shim.boot_row;
}

/* Adds to a counter of a row that may be shared, off the fast path. */
static inline void ca_count_add(struct ca_row *row, uint64_t *counter, uint64_t amount) {
    if (ca_is_shared(row))
        __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
    else
        ca_add(counter, amount);
}

/* Counts a block that the allocator below handed out, off the fast path. */
void ca_count_block(struct ca_row *row, void *block, size_t size_bytes, enum ca_kind kind);

/* Gives an allocation that is counted already its kind. */
void ca_count_kind(struct ca_row *row, enum ca_kind kind);

/* Counts the free of `block` for an entry that passes it on by itself. False, and nothing is
 * counted, when ca_engine.free must have it. */
bool ca_count_free(void *block);

/* Enters `stage` and chooses the engine for it. */
void ca_engine_choose(enum ca_stage stage);

#endif
