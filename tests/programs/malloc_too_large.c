/* SPDX-License-Identifier: MIT
 *
 * Requests that nobody can serve are failed calls and no allocations; errno is the allocator's.
 *
 * expect: failed=4 allocations=1 malloc=1 frees=1 bytes_requested=24 live_blocks=0 bytes_live=0
 */
#include "victim.h"

int main(void) {
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 4096, (size_t)PTRDIFF_MAX + 1,
                                   PTRDIFF_MAX - 64};
    for (int i = 0; i < 4; i++) {
        errno = 0;
        CHECK(malloc(sizes[i]) == NULL);
        CHECK(errno == ENOMEM);
    }
    free(malloc(24));
    return 0;
}
