/* SPDX-License-Identifier: MIT
 *
 * With the threshold at 0 even blocks of a few bytes are mapped one by one: no arena's size rules
 * hold for them.
 *
 * expect: malloc=@malloc free=150 live_blocks=@kept bytes_live=@live bytes_peak=@peak
 * expect: bytes_peak_error=0
 */
#include "victim.h"

int main(void) {
    static void *blocks[200];
    int64_t live = 0;
    CHECK(mallopt(M_MMAP_THRESHOLD, 0) == 1);
    CHECK(mallopt(M_TOP_PAD, 0) == 1);
    int64_t filler_count = 0; /* uses up what the arena has already */
    for (size_t size = 2000; size > 0; size -= 8) {
        size_t usable;
        do {
            usable = malloc_usable_size(malloc(size));
            live += (int64_t)usable;
            filler_count++;
        } while (usable < 4000);
    }
    for (size_t i = 0; i < 200; i++) {
        blocks[i] = malloc(i * 10);
        live += (int64_t)malloc_usable_size(blocks[i]);
    }
    CHECK(malloc_usable_size(blocks[0]) > 4000);
    say("malloc", filler_count + 200);
    say("kept", filler_count + 50);
    say("peak", live);
    for (size_t i = 0; i < 150; i++) {
        live -= (int64_t)malloc_usable_size(blocks[i]);
        free(blocks[i]);
    }
    say("live", live);
    return 0;
}
