/* SPDX-License-Identifier: MIT
 *
 * Eight threads at once: exact for each of them and in all.
 *
 * expect: phase.work.malloc=80000 phase.work.calloc=8000 phase.work.frees=88000 phase.work.opened=8
 * expect: phase.work.live_blocks=0 phase.work.bytes_live=0 phase.work.bytes_requested=2720000
 * expect: phase.work.thread.2.allocations=11000 phase.work.thread.5.allocations=11000
 * expect: phase.work.thread.9.allocations=11000 phase.work.thread.9.frees=11000 threads_ever=9
 * expect: thread_rows=9 phase.work.size_histogram=32:80000,112:8000
 */
#include "victim.h"

#define THREADS 8

static pthread_barrier_t barrier;

static void *work(void *nothing) {
    pthread_barrier_wait(&barrier);
    countalloc_phase_begin("work");
    for (int i = 0; i < 10000; i++) {
        void *block = malloc(24);
        if (i % 10 == 0)
            free(calloc(1, 100));
        free(block);
    }
    countalloc_phase_end();
    return nothing;
}

int main(void) {
    pthread_t threads[THREADS];
    CHECK(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
