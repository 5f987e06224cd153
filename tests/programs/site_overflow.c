/* SPDX-License-Identifier: MIT
 *
 * More stacks than there is room for: 524,288 of them. The totals hold; what has no site is shown as
 * that.
 *
 * run: --stacks
 * modes: run
 * expect: allocations=524289 site.walk.allocations=262142 rest.allocations=262146 under.main.allocations=52429
 * note: 262146 allocations came from call sites beyond
 * note: stacks found no room for their frames
 */
#include "victim.h"

static void walk(unsigned path, int depth) {
    if (depth == 0)
        free(malloc(8));
    else if (path & 1)
        walk(path >> 1, depth - 1);
    else
        walk(path >> 1, depth - 1);
}

int main(void) {
    free(malloc(8));
    for (unsigned path = 0; path < 1u << 19; path++)
        walk(path, 19);
    return 0;
}
