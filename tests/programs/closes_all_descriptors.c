/* SPDX-License-Identifier: MIT
 *
 * A daemon's habit: close everything at the start, and once more at the end. The counters need no
 * descriptor.
 *
 * expect: malloc=100 free=100 phase.work.malloc=50 bytes_live=0
 */
#include "victim.h"

static void close_all(void) {
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
}

static void take(int count) {
    while (count-- > 0)
        free(malloc(24));
}

int main(void) {
    close_all();
    take(25);
    countalloc_phase_begin("work");
    take(50);
    countalloc_phase_end();
    take(25);
    CHECK(atexit(close_all) == 0);
    return 0;
}
