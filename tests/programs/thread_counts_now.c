/* SPDX-License-Identifier: MIT
 *
 * countalloc_thread_counts() is the thread's own, at that moment, over all its phases.
 *
 * expect: phase.a.allocations=4 phase.b.allocations=2 free=5 failed=1
 */
#include "victim.h"

static void *other(void *nothing) {
    (void)nothing;
    struct countalloc_counts counts = countalloc_thread_counts();
    CHECK(counts.allocations == 0 && counts.frees == 0);
    void *block = malloc(5);
    counts = countalloc_thread_counts();
    CHECK(counts.allocations == 1 && counts.malloc_calls == 1 && counts.frees == 0 &&
          counts.bytes_requested == 5);
    return block;
}

int main(void) {
    volatile size_t huge = PTRDIFF_MAX - 4096;
    struct countalloc_counts before = countalloc_thread_counts();
    countalloc_phase_begin("a");
    void *a = malloc(10);
    void *b = calloc(2, 10);
    a = realloc(a, 3000);
    countalloc_phase_begin("b");
    void *c = aligned_alloc(64, 64);
    void *d = malloc(2000);
    CHECK(malloc(huge) == NULL);
    countalloc_phase_end();
    void *e = malloc(6);
    free(b);
    struct countalloc_counts after = countalloc_thread_counts();
    countalloc_phase_end();
    CHECK(after.allocations - before.allocations == 6);
    CHECK(after.frees - before.frees == 2);
    CHECK(after.malloc_calls - before.malloc_calls == 3);
    CHECK(after.calloc_calls - before.calloc_calls == 1);
    CHECK(after.realloc_calls - before.realloc_calls == 1);
    CHECK(after.aligned_calls - before.aligned_calls == 1);
    CHECK(after.failed_calls - before.failed_calls == 1);
    CHECK(after.bytes_requested - before.bytes_requested == 10 + 20 + 3000 + 64 + 2000 + 6);
    pthread_t thread;
    void *theirs;
    CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
    CHECK(pthread_join(thread, &theirs) == 0);
    countalloc_phase_begin("frees");
    free(a);
    free(c);
    free(d);
    free(e);
    countalloc_phase_end();
    (void)theirs;
    return 0;
}
