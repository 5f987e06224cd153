/* SPDX-License-Identifier: MIT
 *
 * aligned_alloc, memalign, valloc and pvalloc: one allocation each of the size asked for, aligned
 * by the allocator below.
 *
 * expect: aligned=52 allocations=52 malloc=0 free=52 frees=52 failed=2 bytes_requested=7340
 * expect: live_blocks=0 bytes_live=0
 */
#include "victim.h"

int main(void) {
    volatile size_t huge = PTRDIFF_MAX - 4096;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *blocks[52];
    int count = 0;
    for (size_t alignment = 16; alignment <= 65536; alignment *= 2) {
        CHECK(is_aligned(blocks[count++] = aligned_alloc(alignment, 192), alignment));
        CHECK(is_aligned(blocks[count++] = memalign(alignment, 100), alignment));
    }
    CHECK(is_aligned(blocks[count++] = aligned_alloc(16, 0), 16));
    CHECK(is_aligned(blocks[count++] = memalign(4096, 364), 4096));
    for (int i = 0; i < 12; i++) {
        CHECK(is_aligned(blocks[count++] = valloc(40), page));
        CHECK(is_aligned(blocks[count++] = pvalloc(225), page));
        CHECK(malloc_usable_size(blocks[count - 1]) >= page);
    }
    errno = 0;
    CHECK(aligned_alloc(64, huge) == NULL);
    CHECK(errno == ENOMEM);
    errno = 0;
    CHECK(memalign(4096, huge) == NULL);
    CHECK(errno == ENOMEM);
    for (int i = 0; i < count; i++)
        free(blocks[i]);
    return 0;
}
