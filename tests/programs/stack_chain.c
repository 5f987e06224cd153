/* SPDX-License-Identifier: MIT
 *
 * Stacks tell who called the place that allocates, and end at main. A recursion that is deeper than
 * the stacks that were asked for is cut.
 *
 * run: --stacks=20
 * modes: run
 * expect: site.place.allocations=46 under.left.allocations=10 under.right.allocations=20
 * expect: under.both.allocations=30 under.main.allocations=30 under.deep.allocations=16
 * expect: site_count=3 cut.allocations=16 longest_stack=20 rest.allocations=0
 */
#include "victim.h"

static void place(void) {
    free(malloc(24));
}

static void left(void) {
    for (int i = 0; i < 10; i++)
        place();
}

static void right(void) {
    for (int i = 0; i < 20; i++)
        place();
}

static void both(void) {
    left();
    right();
}

static void deep(int depth) {
    if (depth > 0)
        deep(depth - 1);
    else
        for (int i = 0; i < 16; i++)
            place();
}

int main(void) {
    both();
    deep(40);
    return 0;
}
