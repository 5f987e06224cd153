/* SPDX-License-Identifier: MIT
 *
 * Forks while other threads allocate: the children work, the parent's counts are exact.
 *
 * expect: phase.work.allocations=40000 phase.work.frees=40000 phase.fork.allocations=50
 * expect: phase.fork.frees=50
 */
#include "victim.h"

static void *work(void *nothing) {
    countalloc_phase_begin("work");
    for (int i = 0; i < 20000; i++)
        free(malloc((size_t)i % 2000));
    countalloc_phase_end();
    return nothing;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    countalloc_phase_begin("fork");
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        if (child == 0) {
            for (int k = 0; k < 100; k++)
                free(malloc(24));
            _exit(0);
        }
        expect_child(child, 0);
        free(malloc(24));
    }
    countalloc_phase_end();
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
