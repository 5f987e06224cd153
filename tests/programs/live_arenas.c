/* SPDX-License-Identifier: MIT
 *
 * Blocks of other arenas than the main one: four threads keep a third of what they take, main gives
 * some of that back.
 *
 * expect: phase.work.malloc=12000 phase.work.free=8000 phase.work.live_blocks=4000
 * expect: phase.work.bytes_live=@kept phase.work.opened=4 phase.back.free=1000
 * expect: phase.back.live_blocks=-1000 phase.back.bytes_live=-@back threads_ever=5
 */
#include "victim.h"

#define THREADS 4
#define KEPT    1000

static void *kept[THREADS][KEPT];
static int64_t kept_bytes[THREADS];

static void *work(void *number) {
    size_t at = (size_t)number;
    countalloc_phase_begin("work");
    for (size_t i = 0; i < KEPT; i++) {
        void *first = malloc(i % 700);
        void *second = malloc(i * 50);
        kept[at][i] = malloc(40 + i % 2000);
        kept_bytes[at] += (int64_t)malloc_usable_size(kept[at][i]);
        free(first);
        free(second);
    }
    countalloc_phase_end();
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int64_t sum = 0;
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        sum += kept_bytes[i];
    }
    int64_t back = 0;
    countalloc_phase_begin("back");
    for (size_t i = 0; i < KEPT; i++) {
        back += (int64_t)malloc_usable_size(kept[2][i]);
        free(kept[2][i]);
    }
    countalloc_phase_end();
    say("kept", sum);
    say("back", back);
    return 0;
}
