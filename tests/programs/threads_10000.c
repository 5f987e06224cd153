/* SPDX-License-Identifier: MIT
 *
 * Ten thousand threads that come and go, a hundred at once: each call counted once, however many
 * threads share a row.
 *
 * expect: phase.short.allocations=50000 phase.short.frees=50000 phase.short.opened=10000
 * expect: phase.short.bytes_live=0 threads_ever=10001
 */
#include "victim.h"

#define AT_ONCE 100

static void *work(void *nothing) {
    countalloc_phase_begin("short");
    for (int i = 0; i < 5; i++)
        free(malloc(24));
    countalloc_phase_end();
    return nothing;
}

int main(void) {
    pthread_attr_t small;
    CHECK(pthread_attr_init(&small) == 0);
    CHECK(pthread_attr_setstacksize(&small, 65536) == 0);
    for (int round = 0; round < 10000 / AT_ONCE; round++) {
        pthread_t threads[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++)
            CHECK(pthread_create(&threads[i], &small, work, NULL) == 0);
        for (int i = 0; i < AT_ONCE; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
    }
    return 0;
}
