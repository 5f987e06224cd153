/* SPDX-License-Identifier: MIT
 *
 * A library's destructor runs after everything the program's image has to say, and is counted: only
 * a reader from outside can.
 *
 * expect: malloc=14 free=14 live_blocks=0 bytes_live=0 phase.exit.free=14 phase.exit.malloc=1
 * expect: phase.startup.malloc=3
 * modes: run
 */
#include "victim.h"

void frees_at_the_end_take(int count);

int main(void) {
    frees_at_the_end_take(10);
    return 0;
}
