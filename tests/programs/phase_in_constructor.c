/* SPDX-License-Identifier: MIT
 *
 * phase.h works in constructors and destructors.
 *
 * expect: phase.early.allocations=9 phase.early.opened=1 phase.main.allocations=3
 * expect: phase.late.allocations=4 allocations=16
 */
#include "victim.h"

static void take(int count) {
    while (count-- > 0)
        free(malloc(24));
}

__attribute__((constructor)) static void before_main(void) {
    CHECK(countalloc_is_active());
    countalloc_phase_begin("early");
    take(5);
}

__attribute__((destructor)) static void after_main(void) {
    countalloc_phase_begin("late");
    take(4);
    countalloc_phase_end();
}

int main(void) {
    take(4);
    countalloc_phase_end();
    take(3);
    return 0;
}
