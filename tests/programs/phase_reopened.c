/* SPDX-License-Identifier: MIT
 *
 * One row per name, however often and wherever it is opened, also inside itself.
 *
 * expect: phases=startup,main,again,other,exit phase.again.opened=5 phase.again.allocations=25
 * expect: phase.other.opened=1 phase.other.allocations=5 phase.main.allocations=1 allocations=31
 */
#include "victim.h"

static void take(int count) {
    while (count-- > 0)
        free(malloc(24));
}

int main(void) {
    char name[] = "again"; /* the name is what counts, not where it lies */
    for (int i = 0; i < 3; i++) {
        countalloc_phase_begin(i == 1 ? name : "again");
        take(5);
        countalloc_phase_end();
    }
    countalloc_phase_begin("other");
    countalloc_phase_begin("again");
    countalloc_phase_begin("again");
    take(5);
    countalloc_phase_end();
    take(5);
    countalloc_phase_end();
    take(5);
    countalloc_phase_end();
    take(1);
    return 0;
}
