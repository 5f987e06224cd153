/* SPDX-License-Identifier: MIT
 *
 * Blocks above 128 KiB are mapped one by one; live and peak bytes include them.
 *
 * expect: malloc=40 calloc=10 realloc=10 frees=55 live_blocks=5 bytes_live=@live bytes_peak=@peak
 * expect: bytes_peak_error=0
 */
#include "victim.h"

static int64_t live;
static int64_t peak;

static void *follow(void *block) {
    CHECK(block != NULL);
    live += (int64_t)malloc_usable_size(block);
    peak = live > peak ? live : peak;
    return block;
}

static void *forget(void *block) {
    live -= (int64_t)malloc_usable_size(block);
    return block;
}

int main(void) {
    void *blocks[50];
    CHECK(mallopt(M_MMAP_THRESHOLD, 128 * 1024) == 1);
    for (size_t i = 0; i < 40; i++)
        blocks[i] = follow(malloc(131072 + i * 4097));
    for (size_t i = 40; i < 50; i++)
        blocks[i] = follow(calloc(i, 10000));
    for (size_t i = 0; i < 10; i++) {
        int64_t before = (int64_t)malloc_usable_size(blocks[i]);
        blocks[i] = realloc(blocks[i], 300000 + i * 10000);
        live -= before;
        follow(blocks[i]);
    }
    for (size_t i = 0; i < 45; i++)
        free(forget(blocks[i]));
    say("live", live);
    say("peak", peak);
    return 0;
}
