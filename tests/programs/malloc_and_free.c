/* SPDX-License-Identifier: MIT
 *
 * A hundred blocks taken and given back.
 *
 * expect: allocations=100 malloc=100 calloc=0 realloc=0 aligned=0 frees=100 free=100 free_null=0
 * expect: failed=0 bytes_requested=2400 live_blocks=0 bytes_live=0 size_histogram=32:100
 * expect: bytes_peak_error=0 phases=startup,main,exit phase.main.allocations=100 thread_rows=1
 * expect: process_count=1 level=full
 * valgrind: yes
 */
#include "victim.h"

int main(void) {
    void *blocks[100];
    for (int i = 0; i < 100; i++)
        CHECK(is_aligned(blocks[i] = malloc(24), 16));
    for (int i = 0; i < 100; i++)
        free(blocks[i]);
    return 0;
}
