/* SPDX-License-Identifier: MIT
 *
 * A program that asks for a block's usable size and then uses all of it: the shim puts nothing into
 * blocks and takes nothing from them.
 *
 * expect: malloc=@blocks realloc=@blocks aligned=@blocks bytes_live=0 live_blocks=0
 */
#include "victim.h"

static void fill(void *block, size_t at_least) {
    size_t usable = malloc_usable_size(block);
    CHECK(usable >= at_least);
    memset(block, 0xa5, usable);
}

int main(void) {
    int count = 0;
    for (size_t size = 1; size < 300000; size += size / 7 + 1, count++) {
        unsigned char *a = malloc(size);
        unsigned char *b = aligned_alloc(64, size);
        fill(a, size);
        fill(b, size);
        size_t kept = malloc_usable_size(a);
        a = realloc(a, 2 * size + 100);
        for (size_t i = 0; i < kept; i++)
            CHECK(a[i] == 0xa5);
        fill(a, 2 * size + 100);
        free(a);
        free(b);
    }
    say("blocks", count);
    return 0;
}
