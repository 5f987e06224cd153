/* SPDX-License-Identifier: MIT
 *
 * Below the shim an allocator whose entries call each other by their public names: one call of the
 * program counts once, under the outermost name.
 *
 * expect: malloc=5 calloc=10 realloc=9 aligned=9 allocations=33 free=15 frees=21 failed=3
 * expect: bytes_requested=10040 live_blocks=12 realloc_moved=4 realloc_in_place=0 realloc_grown=4
 * expect: realloc_shrunk=0 free_null=0 bytes_live=@live bytes_peak=@peak
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

static void give(void *block) {
    live -= (int64_t)malloc_usable_size(block);
    free(block);
}

int main(void) {
    volatile size_t huge = PTRDIFF_MAX - 4096;
    void *aligned = NULL;
    give(follow(realloc(NULL, 10))); /* says nothing of a realloc that moves */
    for (int i = 0; i < 5; i++)
        give(follow(malloc(10)));
    for (int i = 0; i < 10; i++)
        follow(calloc(4, 100));
    for (int i = 0; i < 4; i++) {
        void *block = follow(realloc(NULL, 100));
        live -= (int64_t)malloc_usable_size(block);
        block = follow(realloc(block, 900));
        if (i < 2) {
            live -= (int64_t)malloc_usable_size(block);
            CHECK(realloc(block, 0) == NULL);
        }
    }
    for (int i = 0; i < 3; i++) {
        CHECK(posix_memalign(&aligned, 64, 220) == 0);
        give(follow(aligned));
        give(follow(memalign(64, 220)));
        give(follow(aligned_alloc(64, 220)));
    }
    CHECK(calloc(huge, 16) == NULL);
    CHECK(realloc(NULL, huge) == NULL);
    CHECK(posix_memalign(&aligned, 64, huge) == ENOMEM);
    say("live", live);
    say("peak", peak);
    return 0;
}
