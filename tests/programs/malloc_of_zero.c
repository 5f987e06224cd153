/* SPDX-License-Identifier: MIT
 *
 * Blocks of no bytes are blocks.
 *
 * expect: malloc=10 calloc=2 realloc=1 free=13 failed=0 bytes_requested=0 size_histogram=0:13
 * expect: live_blocks=0
 * valgrind: yes
 */
#include "victim.h"

int main(void) {
    void *blocks[13];
    for (int i = 0; i < 10; i++)
        blocks[i] = malloc(0);
    blocks[10] = calloc(0, 8);
    blocks[11] = calloc(8, 0);
    blocks[12] = realloc(NULL, 0);
    for (int i = 0; i < 13; i++) {
        CHECK(blocks[i] != NULL);
        free(blocks[i]);
    }
    return 0;
}
