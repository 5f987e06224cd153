/* SPDX-License-Identifier: MIT
 *
 * A child made by the system call itself, past libc, is not told from its parent (LIMITS.md): what
 * it allocates adds to its parent's counts. It says nothing of its own, and nothing breaks. (In a
 * plain preload it has a copy of the counters, and its parent keeps its own.)
 *
 * expect: phase.before.malloc=10 phase.child.malloc=100 phase.child.free=100 phase.after.malloc=10
 * expect: process_count=1
 * modes: run
 */
#include "victim.h"

#include <sys/syscall.h>

static void take(const char *phase, int count) {
    countalloc_phase_begin(phase);
    while (count-- > 0)
        free(malloc(24));
    countalloc_phase_end();
}

int main(void) {
    take("before", 10);
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) {
        take("child", 100);
        exit(5);
    }
    expect_child(child, 5);
    take("after", 10);
    return 0;
}
