/* SPDX-License-Identifier: MIT
 *
 * Samples are an estimate beside counts that stay exact. They are drawn alike in each run.
 *
 * run: --sample=64k
 * modes: run
 * expect: allocations=101000 bytes_requested=7424000 frees=101000 sample_bytes=65536
 * expect: site_count=0 samples=98
 */
#include "victim.h"

static void small(void) {
    free(malloc(10));
}

static void large(void) {
    free(malloc(6424));
}

int main(void) {
    for (int i = 0; i < 100000; i++)
        small();
    for (int i = 0; i < 1000; i++)
        large();
    return 0;
}
