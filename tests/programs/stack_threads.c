/* SPDX-License-Identifier: MIT
 *
 * Sixteen threads allocate under 2 MiB of stack each, where stacks are as readable as at the top;
 * the sites of all threads add up.
 *
 * run: --stacks=40
 * modes: run
 * expect: site.place.allocations=1600 under.deep.allocations=1600 under.work.allocations=160
 * expect: cut.allocations=1600 rest.allocations=0 under.shallow.allocations=160
 */
#include "victim.h"

static void place(void) {
    free(malloc(24));
}

static void shallow(void) {
    for (int i = 0; i < 10; i++)
        free(malloc(24));
}

static void deep(int depth) {
    volatile char filling[20480];
    filling[0] = (char)depth;
    if (depth > 0)
        deep(depth - 1);
    else
        for (int i = 0; i < 100; i++)
            place();
    filling[1] = filling[0];
}

static void *work(void *nothing) {
    shallow();
    deep(100);
    return nothing;
}

int main(void) {
    pthread_t threads[16];
    for (int i = 0; i < 16; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < 16; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
