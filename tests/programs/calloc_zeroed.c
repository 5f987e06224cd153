/* SPDX-License-Identifier: MIT
 *
 * calloc's blocks are zero even where another block lay before, and count*size bytes are asked for.
 *
 * expect: malloc=50 calloc=51 free=101 frees=101 bytes_requested=216000 failed=0 live_blocks=0
 * expect: size_histogram=160:100,262144:1
 * valgrind: yes
 */
#include "victim.h"

static int is_zero(const char *block, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (block[i] != 0)
            return 0;
    return 1;
}

int main(void) {
    for (int i = 0; i < 50; i++) {
        char *dirty = malloc(160);
        memset(dirty, 0xff, 160);
        free(dirty);
        char *block = calloc(10, 16);
        CHECK(is_zero(block, 160));
        free(block);
    }
    char *large = calloc(100, 2000);
    CHECK(is_zero(large, 200000));
    free(large);
    return 0;
}
