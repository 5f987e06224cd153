/* SPDX-License-Identifier: MIT
 *
 * Blocks that came past the shim go through it later: passed on, counted as what was done with them.
 *
 * expect: malloc=10 realloc=10 free=30 frees=40 realloc_grown=10 live_blocks=-20
 */
#include "victim.h"

extern void *__libc_malloc(size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

int main(void) {
    for (int i = 0; i < 10; i++) {
        char *block = __libc_malloc(24);
        block[0] = 'x';
        block = realloc(block, 5000);
        CHECK(block != NULL && block[0] == 'x');
        free(block);
        free(__libc_memalign(256, 100));
        free(strdup("taken inside libc"));
    }
    return 0;
}
