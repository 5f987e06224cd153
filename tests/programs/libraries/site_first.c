/* SPDX-License-Identifier: MIT
 *
 * One of two libraries that differ in nothing but their name. */
#include <stdlib.h>

void take_blocks(int count);

void take_blocks(int count) {
    while (count-- > 0)
        free(malloc(24));
}
