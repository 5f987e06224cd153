/* SPDX-License-Identifier: MIT
 *
 * A program that takes memory until there is none, and then begins a phase and a thread: neither
 * needs any.
 *
 * expect: malloc=@malloc free=@malloc failed=2 phase.full.failed=1 phase.thread.malloc=1
 */
#include "victim.h"

#include <sys/resource.h>

static void **blocks;
static pthread_barrier_t full;

static void *work(void *nothing) {
    pthread_barrier_wait(&full);
    countalloc_phase_begin("thread");
    free(blocks[0]);
    blocks[0] = malloc(100000);
    countalloc_phase_end();
    CHECK(blocks[0] != NULL);
    return nothing;
}

int main(void) {
    static void *first[3000];
    blocks = first;
    int64_t count = 0;
    /* One arena, because a thread's own would need room that is not there. */
    CHECK(mallopt(M_ARENA_MAX, 1) == 1 && mallopt(M_MMAP_THRESHOLD, 200000) == 1);
    CHECK(pthread_barrier_init(&full, NULL, 2) == 0);
    pthread_t thread;
    int64_t before = (int64_t)countalloc_thread_counts().malloc_calls;
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    CHECK(before == 0);
    struct rlimit limit = {(rlim_t)1 << 28, (rlim_t)1 << 28};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    while (count < 3000 && (blocks[count] = malloc(100000)) != NULL)
        count++;
    CHECK(count > 1 && count < 3000 && errno == ENOMEM);
    countalloc_phase_begin("full");
    CHECK(malloc(100000) == NULL);
    countalloc_phase_end();
    pthread_barrier_wait(&full);
    CHECK(pthread_join(thread, NULL) == 0);
    for (int64_t i = 0; i < count; i++)
        free(blocks[i]);
    say("malloc", count + 1);
    return 0;
}
