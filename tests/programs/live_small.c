/* SPDX-License-Identifier: MIT
 *
 * Live and peak bytes of small blocks are the usable sizes that malloc_usable_size gives; half of
 * them stay.
 *
 * expect: malloc=1000 free=500 live_blocks=500 bytes_live=@live bytes_peak=@peak bytes_peak_error=0
 * expect: phase.main.bytes_live=@live phase.main.bytes_peak=@peak
 */
#include "victim.h"

int main(void) {
    static void *blocks[1000];
    int64_t live = 0;
    for (size_t i = 0; i < 1000; i++) {
        blocks[i] = malloc(i);
        live += (int64_t)malloc_usable_size(blocks[i]);
    }
    int64_t peak = live;
    for (size_t i = 0; i < 1000; i += 2) {
        live -= (int64_t)malloc_usable_size(blocks[i]);
        free(blocks[i]);
    }
    say("live", live);
    say("peak", peak);
    return 0;
}
