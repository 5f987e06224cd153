/* SPDX-License-Identifier: MIT
 *
 * A thread that finds no row is counted all the same, each call once, by whatever name: here, other
 * threads have taken every row there is for phases of theirs.
 *
 * expect: thread.0.malloc=2 thread.0.calloc=2 thread.0.realloc=5 thread.0.aligned=1
 * expect: thread.0.allocations=10 thread.0.free=8 thread.0.frees=10
 * expect: thread.0.failed=2 thread.0.bytes_requested=127650 thread.0.bytes_live=0
 * expect: thread.0.realloc_moved=2 thread.0.realloc_in_place=0 thread.0.realloc_grown=2
 * expect: thread.0.size_histogram=64:1,112:2,400:1,2048:1,4096:1,8192:2,16384:1,131072:1
 * note: found no place of their own
 */
#include "victim.h"

#define THREADS 120
#define NAMES   250

static pthread_barrier_t barrier;

static void *fill(void *nothing) {
    char name[] = "p00";
    for (int i = 0; i < NAMES; i++) {
        for (int digit = 0, rest = i; digit < 2; digit++, rest /= 16)
            name[1 + digit] = (char)('a' + rest % 16);
        countalloc_phase_begin(name);
        countalloc_phase_end();
    }
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return nothing;
}

static void *count(void *nothing) {
    volatile size_t huge = SIZE_MAX / 2;
    void *blocks[8];
    blocks[0] = malloc(100);
    blocks[1] = malloc(5000);
    blocks[2] = calloc(10, 10);
    blocks[3] = calloc(1, 7000);
    blocks[4] = realloc(NULL, 50);
    blocks[5] = realloc(NULL, 3000);
    blocks[4] = realloc(blocks[4], 100000);
    blocks[5] = reallocarray(blocks[5], 10, 1000);
    blocks[6] = reallocarray(NULL, 20, 20);
    CHECK(posix_memalign(&blocks[7], 64, 2000) == 0);
    errno = 0;
    CHECK(reallocarray(blocks[6], huge, 4) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(malloc(huge) == NULL && errno == ENOMEM);
    for (int i = 0; i < 8; i++)
        free(blocks[i]);
    return nothing;
}

int main(void) {
    static pthread_t threads[THREADS];
    pthread_t last;
    CHECK(pthread_barrier_init(&barrier, NULL, THREADS + 1) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, fill, NULL) == 0);
    pthread_barrier_wait(&barrier);
    CHECK(pthread_create(&last, NULL, count, NULL) == 0);
    CHECK(pthread_join(last, NULL) == 0);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
