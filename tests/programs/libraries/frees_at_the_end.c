/* SPDX-License-Identifier: MIT
 *
 * A library that takes blocks in its constructor and gives them back in its destructor. */
#include <stdlib.h>

void frees_at_the_end_take(int count);

static void *blocks[100];
static int taken;

void frees_at_the_end_take(int count) {
    while (count-- > 0)
        blocks[taken++] = malloc(50);
}

__attribute__((constructor)) static void begin(void) {
    frees_at_the_end_take(3);
}

__attribute__((destructor)) static void end(void) {
    while (taken > 0)
        free(blocks[--taken]);
    free(malloc(60));
}
