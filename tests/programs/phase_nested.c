/* SPDX-License-Identifier: MIT
 *
 * An allocation belongs to the innermost open phase only, and frees to the phase they happen in.
 *
 * expect: phases=startup,main,outer,inner,exit allocations=111 frees=111
 * expect: phase.startup.allocations=0 phase.exit.allocations=0 phase.main.allocations=1
 * expect: phase.outer.allocations=30 phase.inner.allocations=80 phase.main.frees=81
 * expect: phase.outer.frees=20 phase.inner.frees=10 phase.main.live_blocks=-80
 * expect: phase.outer.live_blocks=10 phase.inner.live_blocks=70 phase.outer.bytes_requested=3000
 * expect: phase.inner.bytes_requested=1600 phase.outer.size_histogram=112:30 phase.outer.opened=1
 * expect: phase.inner.opened=2 phase.main.opened=1 phase.outer.bytes_live=1040
 * expect: phase.inner.bytes_live=1680 phase.main.bytes_live=-2720 bytes_live=0
 */
#include "victim.h"

static void *blocks[111];
static int taken;
static int given;

static void take(int count, size_t size) {
    while (count-- > 0)
        blocks[taken++] = malloc(size);
}

static void give(int count) {
    while (count-- > 0)
        free(blocks[given++]);
}

int main(void) {
    countalloc_phase_begin("outer");
    take(20, 100);
    countalloc_phase_begin("inner");
    take(40, 20);
    countalloc_phase_end();
    take(10, 100);
    give(20);
    countalloc_phase_begin("inner");
    give(10);
    take(40, 20);
    countalloc_phase_end();
    countalloc_phase_end();
    take(1, 24);
    give(81);
    return 0;
}
