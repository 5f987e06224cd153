/* SPDX-License-Identifier: MIT
 *
 * With the shim it is active. Without it (test_phase_header runs this program bare) every call is
 * nothing, and none allocates.
 *
 * expect: phase.work.allocations=0 phase.work.opened=1 phase.work.unit.line=5 allocations=0
 */
#include "victim.h"

int main(void) {
    struct mallinfo2 before = mallinfo2();
    countalloc_phase_begin("work");
    countalloc_phase_units("line", 5);
    uint64_t token = countalloc_phase_token();
    countalloc_phase_end();
    countalloc_phase_adopt(token);
    countalloc_phase_end();
    struct countalloc_counts counts = countalloc_thread_counts();
    struct mallinfo2 after = mallinfo2();
    CHECK(counts.allocations == 0);
    CHECK(after.uordblks == before.uordblks && after.arena == before.arena);
    say("active", countalloc_is_active());
    say("token", token != 0);
    return 0;
}
