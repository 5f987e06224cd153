/* SPDX-License-Identifier: MIT
 *
 * reallocarray counts as one realloc, whatever libc makes of it.
 *
 * expect: realloc=4 allocations=4 malloc=0 free=1 frees=4 failed=2 bytes_requested=25284
 * expect: live_blocks=0 bytes_live=0 realloc_in_place=1 realloc_moved=1 realloc_grown=1
 * expect: realloc_shrunk=1 size_histogram=32:1,64:1,2048:1,32768:1
 */
#include "victim.h"

int main(void) {
    volatile size_t half = SIZE_MAX / 2;
    volatile size_t eighth = SIZE_MAX / 8 + 2;
    char *block = reallocarray(NULL, 2, 12);
    void *neighbour = reallocarray(NULL, 3, 20);
    strcpy(block, "content");
    char *moved = reallocarray(block, 300, 80);
    CHECK(moved != block && strcmp(moved, "content") == 0);
    errno = 0;
    CHECK(reallocarray(moved, half, 3) == NULL);
    CHECK(errno == ENOMEM);
    errno = 0;
    CHECK(reallocarray(NULL, eighth, 8) == NULL);
    CHECK(errno == ENOMEM);
    CHECK(strcmp(moved, "content") == 0);
    CHECK(reallocarray(moved, 15, 80) == moved);
    CHECK(reallocarray(moved, 0, 8) == NULL);
    free(neighbour);
    return 0;
}
