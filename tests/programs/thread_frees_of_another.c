/* SPDX-License-Identifier: MIT
 *
 * One thread takes, another gives back: live blocks and bytes of the one are the other's negative.
 *
 * expect: phase.take.allocations=1000 phase.take.frees=0 phase.take.live_blocks=1000
 * expect: phase.take.bytes_live=@bytes phase.give.allocations=0 phase.give.frees=1000
 * expect: phase.give.live_blocks=-1000 phase.give.bytes_live=-@bytes thread.2.live_blocks=1000
 * expect: thread.3.live_blocks=-1000
 */
#include "victim.h"

static void *blocks[1000];

static void *take(void *nothing) {
    int64_t bytes = 0;
    countalloc_phase_begin("take");
    for (size_t i = 0; i < 1000; i++) {
        blocks[i] = malloc(i * 3);
        bytes += (int64_t)malloc_usable_size(blocks[i]);
    }
    countalloc_phase_end();
    say("bytes", bytes);
    return nothing;
}

static void *give(void *nothing) {
    countalloc_phase_begin("give");
    for (int i = 0; i < 1000; i++)
        free(blocks[i]);
    countalloc_phase_end();
    return nothing;
}

static void run(void *(*function)(void *)) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, function, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

int main(void) {
    run(take);
    run(give);
    return 0;
}
