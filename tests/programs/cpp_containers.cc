/* SPDX-License-Identifier: MIT
 *
 * A vector that doubles, a map with a node for each entry, strings too long to be kept inside.
 *
 * expect: phase.vector.malloc=11 phase.vector.free=11 phase.vector.bytes_requested=8188
 * expect: phase.map.malloc=100 phase.map.free=100 phase.string.malloc=50 phase.string.free=50
 * expect: phase.string.bytes_requested=2050
 * valgrind: yes
 */
#include "victim.h"

#include <map>
#include <string>
#include <vector>

int main() {
    countalloc_phase_begin("vector");
    {
        std::vector<int> numbers;
        for (int i = 0; i < 1000; i++)
            numbers.push_back(i);
    }
    countalloc_phase_end();
    countalloc_phase_begin("map");
    {
        std::map<int, int> entries;
        for (int i = 0; i < 100; i++)
            entries[i * 7919 % 101] = i;
    }
    countalloc_phase_end();
    countalloc_phase_begin("string");
    for (int i = 0; i < 50; i++)
        std::string text(40, 'x');
    countalloc_phase_end();
    return 0;
}
