/* SPDX-License-Identifier: MIT
 *
 * Blocks are aligned as asked. A bad alignment is refused by the result, not by errno, and leaves
 * the pointer alone.
 *
 * expect: aligned=14 allocations=14 malloc=0 free=14 frees=14 failed=3 bytes_requested=1400
 * expect: size_histogram=112:14 live_blocks=0 bytes_live=0
 */
#include "victim.h"

int main(void) {
    volatile size_t huge = PTRDIFF_MAX - 4096;
    char here;
    void *blocks[14];
    for (int i = 0; i < 14; i++) {
        CHECK(posix_memalign(&blocks[i], (size_t)8 << i, 100) == 0);
        CHECK(is_aligned(blocks[i], (size_t)8 << i));
    }
    void *untouched = &here;
    errno = 1234;
    CHECK(posix_memalign(&untouched, 3, 100) == EINVAL);
    CHECK(posix_memalign(&untouched, 24, 100) == EINVAL);
    CHECK(errno == 1234);
    CHECK(posix_memalign(&untouched, 16, huge) == ENOMEM);
    CHECK(untouched == &here);
    for (int i = 0; i < 14; i++)
        free(blocks[i]);
    return 0;
}
