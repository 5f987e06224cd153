/* SPDX-License-Identifier: MIT
 *
 * A free before anything was allocated, and before any constructor: first of NULL, then of a block
 * that was taken past the shim. Both reach the allocator below, and both are counted.
 *
 * expect: malloc=10 free=11 free_null=1 live_blocks=-1 bytes_live=-24 phase.startup.free=1
 * expect: phase.startup.malloc=0
 */
#include "victim.h"

extern void *__libc_malloc(size_t size);

static void free_early(int argc, char **argv, char **environment) {
    (void)argc, (void)argv, (void)environment;
    void *block = __libc_malloc(24);
    free(NULL);
    free(block);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
                                                                            char **) = free_early;

int main(void) {
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    return 0;
}
