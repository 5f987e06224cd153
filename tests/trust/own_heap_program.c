/* SPDX-License-Identifier: MIT
 *
 * A program with an allocator of its own inside (own_heap.c). */
#include <stdlib.h>

int main(void) {
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    return 0;
}
