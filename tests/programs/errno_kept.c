/* SPDX-License-Identifier: MIT
 *
 * Nothing that succeeds touches errno, not even the first call of a thread.
 *
 * expect: phase.thread.allocations=1 phase.thread.frees=1 phase.calls.allocations=6
 * expect: phase.calls.free=4 phase.calls.free_null=1 phase.calls.frees=6 failed=0
 */
#include "victim.h"

static void *thread(void *nothing) {
    errno = 1234;
    countalloc_phase_begin("thread");
    CHECK(errno == 1234);
    free(malloc(10));
    CHECK(errno == 1234);
    countalloc_phase_end();
    CHECK(errno == 1234);
    return nothing;
}

int main(void) {
    errno = 1234;
    countalloc_phase_begin("calls");
    CHECK(errno == 1234);
    void *a = malloc(10);
    void *b = calloc(10, 10);
    a = realloc(a, 100);
    b = reallocarray(b, 10, 1000);
    void *c = aligned_alloc(64, 64);
    void *d = malloc(5000);
    CHECK(errno == 1234);
    free(a);
    free(b);
    free(c);
    free(d);
    free(NULL);
    CHECK(errno == 1234);
    countalloc_phase_units("call", 6);
    countalloc_phase_end();
    countalloc_phase_end();
    CHECK(errno == 1234);
    pthread_t id;
    CHECK(pthread_create(&id, NULL, thread, NULL) == 0);
    CHECK(pthread_join(id, NULL) == 0);
    return 0;
}
