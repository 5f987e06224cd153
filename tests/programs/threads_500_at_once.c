/* SPDX-License-Identifier: MIT
 *
 * Five hundred threads at the same time have a row each.
 *
 * expect: phase.crowd.allocations=2500 phase.crowd.frees=2500 phase.crowd.opened=500
 * expect: phase.crowd.bytes_live=0 threads_ever=501 thread_rows=501
 * expect: phase.crowd.thread.2.allocations=5 phase.crowd.thread.501.allocations=5
 */
#include "victim.h"

#define THREADS 500

static pthread_barrier_t barrier;

static void *work(void *nothing) {
    countalloc_phase_begin("crowd");
    void *block = malloc(24);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 4; i++)
        free(malloc(100));
    free(block);
    countalloc_phase_end();
    return nothing;
}

int main(void) {
    static pthread_t threads[THREADS];
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstacksize(&attributes, 65536) == 0);
    CHECK(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], &attributes, work, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
