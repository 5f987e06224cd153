/* SPDX-License-Identifier: MIT
 *
 * Same usable size: in place, neither grown nor shrunk. The block at the top of the heap grows in
 * place. A large block shrinks in place.
 *
 * expect: malloc=3 realloc=3 allocations=6 free=3 frees=6 realloc_in_place=3 realloc_moved=0
 * expect: realloc_grown=1 realloc_shrunk=1 bytes_requested=159404 live_blocks=0 bytes_live=0
 */
#include "victim.h"

int main(void) {
    char *same = malloc(24);
    CHECK(realloc(same, 20) == same);

    char *shrunk = malloc(9000);
    void *top = malloc(60000);
    CHECK(realloc(shrunk, 360) == shrunk);
    CHECK(realloc(top, 90000) == top);

    free(same);
    free(shrunk);
    free(top);
    return 0;
}
