/* SPDX-License-Identifier: MIT
 *
 * Where a call is counted.
 *
 * The exported malloc, calloc, realloc and free (hooks.c) are one jump through `ca_engine`. What it
 * jumps to depends on how far the shim has come and on what is measured, so that no counted call
 * ever asks:
 *
 *     first      resolve the allocator below, then do the call again
 *     resolving  serve from a small static arena (nothing known needs it)
 *     probing    note the call and pass it on
 *     counts     pass on, count
 *     header     pass on, count, follow live bytes by glibc's chunk header
 *     call       the same by malloc_usable_size
 *     inert      the allocator below itself
 *
 * A counted call reads one thread-local word, the thread's current row, and adds to it with single
 * instructions, because a signal handler that allocates may interrupt it anywhere. No atomics: a
 * row has one writer. A thread that is not attached yet has `ca_row_unattached`, whose size limit 0
 * makes the size comparison that is there anyway fail: the cold path attaches it.
 *
 * An entry that nests (the probe at start found that it calls another public entry) is counted by
 * the innermost call; the outermost only adds its name. So nothing is counted twice, there is no
 * guard that could stick after a longjmp, and a signal handler that allocates inside is counted
 * too.
 */
#ifndef CA_COUNT_H
#define CA_COUNT_H

#include "plain.h"
#include "shim_state.h"

struct ca_engine {
    void *(*malloc)(size_t);
    void (*free)(void *);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
};

extern CA_HIDDEN struct ca_engine ca_engine;

/* The calling thread's current row. Initial-exec: one load, never an allocation. */
extern CA_HIDDEN _Thread_local struct ca_row *ca_row_here
    __attribute__((tls_model("initial-exec")));

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

/* Counts a call of an entry that is not in the engine, after the allocator below has served it.
 * `block` NULL: it failed. Ensures nothing about errno: the callers keep it. */
void ca_count_aligned(void *block, size_t size_bytes, enum ca_entry entry);

/* The same for reallocarray; `was_freed_bytes` is the usable size of `old` before the call. */
void ca_count_reallocarray(void *old, size_t old_usable_bytes, void *block, size_t count,
                           size_t each_bytes);

/* Counts the free of `block` for an entry that passes it on by itself. False, and nothing is
 * counted, when ca_engine.free must have it. */
bool ca_count_free(void *block);

/* The usable size of a block; 0 for NULL and where nobody knows. */
size_t ca_usable_bytes(void *block);

/* Publishes what `row` knows of the live figure, and with it the peaks. */
void ca_live_publish(struct ca_row *row);

/* Moves the thread's share of the live figure from the row it leaves to the one it enters. */
void ca_live_carry(struct ca_row *from, struct ca_row *to);

/* Makes `row` publish from now on. */
void ca_live_begin(struct ca_row *row);

/* Raises `*peak` to `figure` if that is higher. */
void ca_raise(int64_t *peak, int64_t figure);

/* Probing only: notes that an entry of the allocator below called a public one, unless that was
 * made of others in its turn: then these are noted already and `probe_calls` is no longer
 * `seen_calls`, its value before the call. */
void ca_probe_note(uint32_t seen_calls, enum ca_kind kind, size_t size_bytes);

/* Enters `stage` and chooses the engine for it. */
void ca_engine_choose(enum ca_stage stage);

#endif
