/* SPDX-License-Identifier: MIT
 *
 * realloc(NULL, n) is an allocation that took nothing back.
 *
 * expect: realloc=10 allocations=10 free=10 frees=10 bytes_requested=1000 size_histogram=112:10
 * expect: realloc_in_place=0 realloc_moved=0 realloc_grown=0 realloc_shrunk=0 live_blocks=0
 * expect: bytes_live=0
 * valgrind: yes
 */
#include "victim.h"

int main(void) {
    for (int i = 0; i < 10; i++)
        free(realloc(NULL, 100));
    return 0;
}
