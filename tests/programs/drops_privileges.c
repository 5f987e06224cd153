/* SPDX-License-Identifier: MIT
 *
 * A program that gives up its rights after the start, its root directory too where it may, is counted
 * on; a thread that begins then finds its place.
 *
 * expect: phase.before.malloc=10 phase.after.malloc=10 phase.thread.malloc=10
 * modes: run
 */
#include "victim.h"

#include <grp.h>
#include <sys/prctl.h>

static void take(const char *phase) {
    countalloc_phase_begin(phase);
    for (int i = 0; i < 10; i++)
        free(malloc(24));
    countalloc_phase_end();
}

static void *work(void *nothing) {
    take("thread");
    return nothing;
}

int main(void) {
    take("before");
    if (geteuid() == 0) {
        CHECK(chroot("/proc") == 0 && chdir("/") == 0);
        CHECK(setgroups(0, NULL) == 0);
        CHECK(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
    }
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
    take("after");
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return 0;
}
