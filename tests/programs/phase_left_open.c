/* SPDX-License-Identifier: MIT
 *
 * A phase left open stays open until its thread is gone, exit handlers included.
 *
 * expect: phase.open.allocations=15 phase.main.allocations=3 phase.open.opened=1 allocations=18
 */
#include "victim.h"

static void take(int count) {
    while (count-- > 0)
        free(malloc(24));
}

static void at_exit(void) {
    take(5);
}

int main(void) {
    CHECK(atexit(at_exit) == 0);
    take(3);
    countalloc_phase_begin("open");
    take(10);
    return 0;
}
