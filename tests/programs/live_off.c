/* SPDX-License-Identifier: MIT
 *
 * Without live bytes everything else is the same.
 *
 * expect: malloc=101 calloc=1 realloc=1 aligned=1 free=53 frees=54 free_null=1 failed=1
 * expect: live_blocks=50 bytes_requested=29600 realloc_moved=1 realloc_grown=1 bytes_live=null
 * expect: bytes_peak=null bytes_peak_error=null phase.main.bytes_live=null
 * run: --live off
 * env: COUNTALLOC_LIVE=off
 */
#include "victim.h"

int main(void) {
    volatile size_t huge = PTRDIFF_MAX - 4096;
    static void *blocks[100];
    for (int i = 0; i < 100; i++)
        blocks[i] = malloc(40);
    void *mapped = malloc(20000);
    void *zeroed = calloc(10, 10);
    void *aligned = aligned_alloc(256, 512);
    CHECK(malloc(huge) == NULL);
    blocks[0] = realloc(blocks[0], 4988);
    for (int i = 0; i < 50; i++)
        free(blocks[i]);
    free(mapped);
    free(zeroed);
    free(aligned);
    free(NULL);
    return 0;
}
