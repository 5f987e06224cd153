/* SPDX-License-Identifier: MIT
 *
 * SIGKILL from another process while eight threads wait at a barrier.
 *
 * expect: phase.work.malloc=8000 phase.work.free=7992 phase.work.opened=8 phase.work.live_blocks=8
 * expect: exit_status=null signal=9 complete=false
 * modes: run
 */
#include "victim.h"

#define THREADS 8

static pthread_barrier_t barrier;

static void *work(void *nothing) {
    countalloc_phase_begin("work");
    for (int i = 0; i < 999; i++)
        free(malloc(24));
    CHECK(malloc(24) != NULL);
    pthread_barrier_wait(&barrier);
    pause();
    return nothing;
}

int main(void) {
    int ready[2];
    CHECK(pipe(ready) == 0);
    pid_t killer = fork();
    if (killer == 0) {
        char byte;
        CHECK(read(ready[0], &byte, 1) == 1);
        kill(getppid(), SIGKILL);
        _exit(0);
    }
    CHECK(pthread_barrier_init(&barrier, NULL, THREADS + 1) == 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    }
    pthread_barrier_wait(&barrier);
    CHECK(write(ready[1], "x", 1) == 1);
    pause();
    return 0;
}
