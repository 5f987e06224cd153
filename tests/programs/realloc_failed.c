/* SPDX-License-Identifier: MIT
 *
 * A realloc that fails leaves the block alone: nothing is freed.
 *
 * expect: malloc=1 realloc=0 allocations=1 free=1 frees=1 failed=2 live_blocks=0 bytes_live=0
 * expect: bytes_requested=24 bytes_peak=24 realloc_in_place=0 realloc_moved=0 realloc_grown=0
 * expect: realloc_shrunk=0
 */
#include "victim.h"

int main(void) {
    volatile size_t huge = PTRDIFF_MAX - 4096;
    char *block = malloc(24);
    strcpy(block, "still here");
    errno = 0;
    CHECK(realloc(block, huge) == NULL);
    CHECK(errno == ENOMEM);
    errno = 0;
    CHECK(realloc(NULL, huge) == NULL);
    CHECK(errno == ENOMEM);
    CHECK(strcmp(block, "still here") == 0);
    free(block);
    return 0;
}
