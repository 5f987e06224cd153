/* SPDX-License-Identifier: MIT
 *
 * What victims of tests/programs need that macOS does not have. */
#include <malloc/malloc.h>
#include <sched.h>

#define malloc_usable_size malloc_size

/* A barrier that is used once. */
typedef struct {
    unsigned missing;
} pthread_barrier_t;

static inline int pthread_barrier_init(pthread_barrier_t *barrier, const void *none,
                                       unsigned count) {
    (void)none;
    barrier->missing = count;
    return 0;
}

static inline int pthread_barrier_wait(pthread_barrier_t *barrier) {
    __atomic_fetch_sub(&barrier->missing, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&barrier->missing, __ATOMIC_ACQUIRE) != 0)
        sched_yield();
    return 0;
}
