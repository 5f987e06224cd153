/* SPDX-License-Identifier: MIT
 *
 * A neighbour in use makes growing move the block.
 *
 * expect: malloc=40 realloc=20 allocations=60 free=40 frees=60 realloc_moved=20 realloc_in_place=0
 * expect: realloc_grown=20 realloc_shrunk=0 bytes_requested=64560 live_blocks=0 bytes_live=0
 * expect: size_histogram=64:40,4096:20
 * valgrind: yes
 */
#include "victim.h"

int main(void) {
    char *blocks[20];
    void *neighbours[20];
    for (int i = 0; i < 20; i++) {
        blocks[i] = malloc(64);
        neighbours[i] = malloc(64);
        memset(blocks[i], i, 64);
    }
    for (int i = 0; i < 20; i++) {
        char *moved = realloc(blocks[i], 3100);
        CHECK(moved != blocks[i] && moved[0] == i && moved[63] == i);
        blocks[i] = moved;
    }
    for (int i = 0; i < 20; i++) {
        free(blocks[i]);
        free(neighbours[i]);
    }
    return 0;
}
