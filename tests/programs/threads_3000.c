/* SPDX-License-Identifier: MIT
 *
 * Three thousand threads, one after the other: all counted, in as many rows as there is room for.
 *
 * expect: phase.short.allocations=30000 phase.short.frees=30000 phase.short.opened=3000
 * expect: phase.short.bytes_live=0 threads_ever=3001
 */
#include "victim.h"

static void *work(void *nothing) {
    countalloc_phase_begin("short");
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    countalloc_phase_end();
    return nothing;
}

int main(void) {
    for (int i = 0; i < 3000; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    return 0;
}
