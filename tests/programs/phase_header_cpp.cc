/* SPDX-License-Identifier: MIT
 *
 * phase.h as C++.
 *
 * expect: phase.first.allocations=3 phase.second.allocations=2 phase.second.unit.line=10
 * expect: phase.adopted.allocations=1 phase.adopted.opened=1 phase.adopted.allocations=1
 */
#include <countalloc/phase.h>

static void take(int count) {
    while (count-- > 0)
        free(malloc(24));
}

int main() {
    struct countalloc_counts counts;
    uint64_t token;
    if (!countalloc_is_active())
        return 1;
    countalloc_phase_begin("first");
    take(3);
    countalloc_phase_begin("second");
    take(2);
    countalloc_phase_units("line", 10);
    countalloc_phase_end();
    countalloc_phase_end();
    countalloc_phase_begin("adopted");
    token = countalloc_phase_token();
    countalloc_phase_end();
    countalloc_phase_adopt(token);
    take(1);
    countalloc_phase_end();
    counts = countalloc_thread_counts();
    return counts.allocations >= 6 ? 0 : 2;
}
