/* SPDX-License-Identifier: MIT
 *
 * Seventy phases inside each other: the 64th counts for those inside it, and on the way out
 * everything is where it was.
 *
 * expect: phase.p00.allocations=2 phase.p01.allocations=2 phase.p62.allocations=2
 * expect: phase.p63.allocations=14 phase.main.allocations=1 phase.p00.opened=1 phase.p63.opened=1
 * expect: allocations=141
 * note: 6 times inside 64 others
 */
#include "victim.h"

#define DEPTH 70

int main(void) {
    char name[] = "p00";
    for (int i = 0; i < DEPTH; i++) {
        name[1] = (char)('0' + i / 10);
        name[2] = (char)('0' + i % 10);
        countalloc_phase_begin(name);
        free(malloc(24));
    }
    for (int i = 0; i < DEPTH; i++) {
        free(malloc(24));
        countalloc_phase_end();
    }
    free(malloc(24));
    return 0;
}
