/* SPDX-License-Identifier: MIT
 *
 * A phase belongs to the thread that opened it: another one without a phase of its own counts in
 * main.
 *
 * expect: phase.main.thread.2.allocations=100 phase.main.thread.2.frees=100
 * expect: phase.mine.thread.1.allocations=10 thread.2.malloc=100 phase.mine.opened=1
 * expect: phase.theirs.thread.3.allocations=20 phase.main.thread.3.allocations=5
 */
#include "victim.h"

static void take(int count) {
    while (count-- > 0)
        free(malloc(24));
}

static void *without(void *nothing) {
    take(100);
    return nothing;
}

static void *with(void *nothing) {
    countalloc_phase_begin("theirs");
    take(20);
    countalloc_phase_end();
    take(5);
    return nothing;
}

static void run(void *(*function)(void *)) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, function, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

int main(void) {
    take(1);
    run(without);
    countalloc_phase_begin("mine");
    take(10);
    countalloc_phase_end();
    run(with);
    return 0;
}
