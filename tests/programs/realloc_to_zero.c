/* SPDX-License-Identifier: MIT
 *
 * realloc(p, 0) takes the block back and returns none (glibc): a free, no allocation, nothing
 * failed.
 *
 * expect: malloc=1000 realloc=0 allocations=1000 free=0 frees=1000 failed=0 live_blocks=0
 * expect: bytes_live=0 bytes_requested=100000 realloc_in_place=0 realloc_moved=0 realloc_grown=0
 * expect: realloc_shrunk=0
 */
#include "victim.h"

int main(void) {
    volatile size_t nothing = 0;
    for (int i = 0; i < 1000; i++) {
        void *block = malloc(100);
        errno = 1234;
        CHECK(realloc(block, nothing) == NULL);
        CHECK(errno == 1234);
    }
    return 0;
}
