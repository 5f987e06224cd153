/* SPDX-License-Identifier: MIT
 *
 * Sites without the command: the shim knows the modules. In two phases, one place is two sites.
 *
 * run: --sites
 * env: COUNTALLOC_SITES=1
 * expect: in.site_plain.allocations=15 in.site_plain.bytes_requested=360 site_count=3
 * expect: phase.mine.allocations=5 rest.allocations=0
 */
#include "victim.h"

static void take(int count) {
    while (count-- > 0)
        free(malloc(24));
}

int main(void) {
    take(9);
    countalloc_phase_begin("mine");
    take(5);
    countalloc_phase_end();
    free(malloc(24));
    return 0;
}
