/* SPDX-License-Identifier: MIT
 *
 * A phase's peak is the highest live figure of the whole process while it was innermost.
 *
 * expect: bytes_peak=@both phase.small.bytes_peak=@a phase.large.bytes_peak=@both
 * expect: phase.after.bytes_peak=@after phase.main.bytes_peak=@both bytes_live=0 bytes_peak_error=0
 */
#include "victim.h"

int main(void) {
    CHECK(mallopt(M_MMAP_THRESHOLD, 64 << 20) == 1);
    countalloc_phase_begin("small");
    void *a = malloc(1000000);
    countalloc_phase_end();
    countalloc_phase_begin("large");
    void *b = malloc(2000000);
    countalloc_phase_end();
    int64_t a_bytes = (int64_t)malloc_usable_size(a);
    say("a", a_bytes);
    say("both", a_bytes + (int64_t)malloc_usable_size(b));
    free(b);
    countalloc_phase_begin("after");
    void *c = malloc(24);
    countalloc_phase_end();
    say("after", a_bytes + (int64_t)malloc_usable_size(c));
    free(c);
    free(a);
    return 0;
}
