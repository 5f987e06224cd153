/* SPDX-License-Identifier: MIT */
#include "thread_pool.h"

#include <countalloc/counterfile.h>

/* The set that is `thread`'s, else the first free one on its way, which it then claims. */
static struct ca_thread_words *find(struct ca_thread_pool *pool, uintptr_t thread) {
    for (uint32_t i = 0; i < CA_POOL_THREADS; i++) {
        struct ca_thread_words *set = &pool->sets[(ca_key_hash(thread) + i) % CA_POOL_THREADS];
        uintptr_t owner = __atomic_load_n(&set->thread, __ATOMIC_ACQUIRE);
        if (owner == 0 && __atomic_compare_exchange_n(&set->thread, &owner, thread, false,
                                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return set;
        if (owner == thread)
            return set;
    }
    return NULL;
}

struct ca_thread_words *ca_thread_pool_take(struct ca_thread_pool *pool, uintptr_t thread,
                                            uint64_t number, struct ca_row *row) {
    struct ca_thread_words *set = find(pool, thread);
    if (set != NULL && set->number != number)
        *set = (struct ca_thread_words){.thread = thread, .number = number, .row = row};
    return set;
}
