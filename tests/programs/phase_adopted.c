/* SPDX-License-Identifier: MIT
 *
 * A phase handed to another thread with the work: one row, whose adopters are told apart, opened
 * once.
 *
 * expect: phase.work.opened=1 phase.work.allocations=110 phase.work.frees=110
 * expect: phase.work.thread.1.allocations=60 phase.work.thread.1.opened=1
 * expect: phase.work.thread.1.adopted=false phase.work.thread.2.allocations=50
 * expect: phase.work.thread.2.opened=0 phase.work.thread.2.adopted=true phase.own.allocations=7
 * expect: phase.main.thread.2.allocations=8
 */
#include "victim.h"

static void take(int count) {
    while (count-- > 0)
        free(malloc(24));
}

static void *help(void *token) {
    take(3);
    countalloc_phase_adopt((uint64_t)(uintptr_t)token);
    take(30);
    countalloc_phase_begin("own");
    take(7);
    countalloc_phase_end();
    take(20);
    countalloc_phase_end();
    take(2);
    countalloc_phase_adopt(0); /* a level in which nothing changes */
    take(3);
    countalloc_phase_end();
    return NULL;
}

int main(void) {
    CHECK(countalloc_phase_token() == 0);
    countalloc_phase_begin("work");
    uint64_t token = countalloc_phase_token();
    CHECK(token != 0);
    take(60);
    countalloc_phase_end();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, help, (void *)(uintptr_t)token) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return 0;
}
