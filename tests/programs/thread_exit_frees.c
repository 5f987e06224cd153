/* SPDX-License-Identifier: MIT
 *
 * Frees while a thread ends: in its cleanup handler, in the destructors of its keys in every round,
 * and after.
 *
 * expect: phase.thread.allocations=40 phase.thread.frees=0 phase.cleanup.frees=10
 * expect: phase.keys.frees=30 phase.keys.opened=3 thread.2.malloc=40 thread.2.free=40
 * expect: thread.2.live_blocks=0 thread.2.bytes_live=0
 */
#include "victim.h"

static pthread_key_t key;

struct load {
    void *blocks[30];
    int rounds;
};

static struct load load;

static void destroy(void *value) {
    struct load *mine = value;
    countalloc_phase_begin("keys");
    for (int i = 0; i < 10; i++)
        free(mine->blocks[mine->rounds * 10 + i]);
    countalloc_phase_end();
    if (++mine->rounds < 3)
        CHECK(pthread_setspecific(key, mine) == 0); /* once more */
}

static void clean_up(void *blocks) {
    countalloc_phase_begin("cleanup");
    for (int i = 0; i < 10; i++)
        free(((void **)blocks)[i]);
    countalloc_phase_end();
}

static void *work(void *nothing) {
    void *blocks[10];
    countalloc_phase_begin("thread");
    for (int i = 0; i < 10; i++)
        blocks[i] = malloc(24);
    for (int i = 0; i < 30; i++)
        load.blocks[i] = malloc(2000);
    CHECK(pthread_setspecific(key, &load) == 0);
    countalloc_phase_end();
    pthread_cleanup_push(clean_up, blocks);
    pthread_cleanup_pop(1);
    return nothing;
}

int main(void) {
    pthread_t thread;
    CHECK(pthread_key_create(&key, destroy) == 0);
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return 0;
}
