/* SPDX-License-Identifier: MIT
 *
 * The first allocation comes before any constructor, from .preinit_array: it is counted, and so is
 * all that follows.
 *
 * expect: malloc=11 free=11 phase.startup.malloc=1 phase.startup.free=1 phase.main.malloc=10
 * expect: bytes_requested=340 live_blocks=0 bytes_live=0
 */
#include "victim.h"

static void take_early(int argc, char **argv, char **environment) {
    (void)argc, (void)argv, (void)environment;
    char *block = malloc(100);
    CHECK(is_aligned(block, 16));
    memset(block, 1, 100);
    free(block);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
                                                                            char **) = take_early;

int main(void) {
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    return 0;
}
