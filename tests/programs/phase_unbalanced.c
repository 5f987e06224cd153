/* SPDX-License-Identifier: MIT
 *
 * Ends without a begin do nothing and are reported.
 *
 * expect: phase.main.allocations=30 phase.work.allocations=10 allocations=40
 * note: countalloc_phase_end was called 3 times without a phase to end
 */
#include "victim.h"

static void take(int count) {
    while (count-- > 0)
        free(malloc(24));
}

int main(void) {
    countalloc_phase_end();
    take(10);
    countalloc_phase_begin("work");
    take(10);
    countalloc_phase_end();
    countalloc_phase_end();
    take(10);
    countalloc_phase_end();
    take(10);
    return 0;
}
