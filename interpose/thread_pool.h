/* SPDX-License-Identifier: MIT
 *
 * A thread's own words where a thread-local variable may allocate (platform/thread_words.h): a
 * fixed number of sets, found by the thread's identity, which the system gives to a later thread
 * only when this one is gone. No locks; any thread may ask for its own set.
 */
#ifndef CA_THREAD_POOL_H
#define CA_THREAD_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/shim_platform.h"

/* Threads that may be alive at once, each with words of its own. */
#define CA_POOL_THREADS 4096u

struct ca_row;
struct ca_site;

struct ca_thread_words {
    uintptr_t thread; /* 0: nobody's */
    uint64_t number;  /* that no other thread ever has */
    struct ca_row *row;
    int64_t sample_left;
    uint64_t sample_generator;
    bool sample_is_under_way;
    struct ca_stack_bounds stack;
};

struct ca_thread_pool {
    struct ca_thread_words sets[CA_POOL_THREADS];
};

/* The set of the thread with the identity `thread` (not 0). As a thread begins it has `row` in it,
 * all else 0; a thread of the same `number` that asks again finds it as it was. NULL when every set
 * belongs to another. Kept by the thread until it ends. */
struct ca_thread_words *ca_thread_pool_take(struct ca_thread_pool *pool, uintptr_t thread,
                                            uint64_t number, struct ca_row *row);

#endif
