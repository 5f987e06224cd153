/* SPDX-License-Identifier: MIT
 *
 * Units add up in the innermost phase; rates divide by them. The total takes the unit that only one
 * phase has.
 *
 * expect: phase.parse.unit.line=1000 phase.parse.unit.token=8000 phase.parse.allocations=500
 * expect: phase.parse.per.line.allocations=0.5 phase.parse.per.token.allocations=0.0625
 * expect: phase.parse.per.line.bytes_requested=12 phase.write.unit.token=4
 * expect: per.line.allocations=0.504 phase.write.allocations=4 phase.many.unit.a=1
 * expect: phase.many.unit.d=1
 * note: units were given 2 times beyond the four that a phase can have
 */
#include "victim.h"

int main(void) {
    countalloc_phase_begin("parse");
    countalloc_phase_units("line", 400);
    for (int i = 0; i < 500; i++)
        free(malloc(24));
    countalloc_phase_units("line", 600);
    countalloc_phase_units("token", 8000);
    countalloc_phase_end();
    countalloc_phase_begin("write");
    countalloc_phase_units("token", 4);
    for (int i = 0; i < 4; i++)
        free(malloc(24));
    countalloc_phase_end();
    countalloc_phase_begin("many");
    static const char *const units[] = {"a", "b", "c", "d", "e", "f"};
    for (int i = 0; i < 6; i++)
        countalloc_phase_units(units[i], 1);
    countalloc_phase_end();
    return 0;
}
