/* SPDX-License-Identifier: MIT
 *
 * Names as they come: reserved and control characters become `_`, bytes that are no UTF-8 are
 * U+FFFD in the record, long ones are cut at 95 bytes, process phases may be entered by name.
 *
 * expect: phase.a_b_c_d_e_f_g.allocations=1 phase.bad�name.allocations=2 phase.grün.allocations=3
 * expect: phase..allocations=4 phase.quote"backslash\.allocations=5 phase.v1.2.parse.allocations=6
 * expect: phase.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.allocations=14
 * expect: phase.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.opened=2
 * expect: phase.main.allocations=16
 */
#include "victim.h"

static void take(const char *name, int count) {
    countalloc_phase_begin(name);
    while (count-- > 0)
        free(malloc(24));
    countalloc_phase_end();
}

int main(void) {
    char name[200];
    take("a/b@c;d]e\nf\177g", 1);
    take("bad\xffname", 2);
    take("gr\xc3\xbcn", 3);
    take("", 4);
    take("quote\"backslash\\", 5);
    take("v1.2.parse", 6);
    memset(name, 'x', sizeof name);
    name[150] = '\0';
    take(name, 7);
    name[95] = '\0';
    take(name, 7);
    take("main", 8);
    for (int i = 0; i < 8; i++)
        free(malloc(24));
    return 0;
}
