/* SPDX-License-Identifier: MIT
 *
 * A million switches, each followed by one allocation.
 *
 * expect: phase.even.opened=500000 phase.odd.opened=500000 phase.even.allocations=500000
 * expect: phase.odd.allocations=500000 phase.even.frees=500000 phase.even.bytes_live=0
 * expect: phase.even.bytes_peak=24 bytes_peak=24 phase.main.allocations=0
 */
#include "victim.h"

int main(void) {
    for (int i = 0; i < 1000000; i++) {
        countalloc_phase_begin(i % 2 == 0 ? "even" : "odd");
        free(malloc(24));
        countalloc_phase_end();
    }
    return 0;
}
