/* SPDX-License-Identifier: MIT
 *
 * The peak is where growing ends, whoever ends it: a free, a phase, or kill -9 before either.
 *
 * expect: malloc=190 free=100 bytes_live=@live bytes_peak=@peak bytes_peak_error=0
 * expect: phase.first.bytes_peak=@first phase.second.bytes_peak=@second
 * expect: phase.third.bytes_peak=@peak exit_status=null signal=9 complete=false
 * modes: run
 */
#include "victim.h"

static void *blocks[100];

/* Bytes of `count` more blocks from the `first` one on. */
static int64_t grow(int first, int count, size_t size_bytes) {
    int64_t bytes = 0;
    for (int i = first; i < first + count; i++) {
        blocks[i] = malloc(size_bytes);
        bytes += (int64_t)malloc_usable_size(blocks[i]);
    }
    return bytes;
}

static void shrink(int first, int count) {
    for (int i = first; i < first + count; i++)
        free(blocks[i]);
}

int main(void) {
    countalloc_phase_begin("first");
    int64_t live = grow(0, 60, 500);
    int64_t highest = live;
    countalloc_phase_end();
    say("first", highest);

    countalloc_phase_begin("second");
    int64_t more = grow(60, 40, 900);
    say("second", live + more);
    shrink(60, 40);
    shrink(0, 60);
    countalloc_phase_end();

    countalloc_phase_begin("third");
    live = grow(0, 90, 1000);
    say("live", live);
    say("peak", live);
    kill(getpid(), SIGKILL);
    return 0;
}
