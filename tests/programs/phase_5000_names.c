/* SPDX-License-Identifier: MIT
 *
 * Five thousand names: the first 4,091 have rows, the others count together, nothing is dropped.
 *
 * expect: phase_count=4095 phase.n0000.allocations=2 phase.n4090.allocations=2
 * expect: phase.(other).allocations=1818 phase.(other).opened=1818 allocations=10000 frees=10000
 * expect: phase.main.allocations=0
 * note: 1818 times under names beyond the first 4,091
 */
#include "victim.h"

int main(void) {
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 5000; i++) {
            char name[] = {'n',
                           (char)('0' + i / 1000),
                           (char)('0' + i / 100 % 10),
                           (char)('0' + i / 10 % 10),
                           (char)('0' + i % 10),
                           '\0'};
            countalloc_phase_begin(name);
            free(malloc(24));
            countalloc_phase_end();
        }
    return 0;
}
