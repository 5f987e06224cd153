/* SPDX-License-Identifier: MIT
 *
 * kill -9 in mid-run, with a second thread at work: what was counted stays counted.
 *
 * expect: phase.work.malloc=70000 phase.work.free=69990 phase.work.bytes_live=@live
 * expect: phase.main.thread.2.malloc=500 exit_status=null signal=9 complete=false
 * modes: run
 */
#include "victim.h"

static void *help(void *nothing) {
    for (int i = 0; i < 500; i++)
        free(malloc(24));
    return nothing;
}

int main(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, help, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    countalloc_phase_begin("work");
    for (int i = 0; i < 69990; i++)
        free(malloc((size_t)i % 3000));
    int64_t live = 0;
    for (int i = 0; i < 10; i++)
        live += (int64_t)malloc_usable_size(malloc(24));
    say("live", live);
    kill(getpid(), SIGKILL);
    return 0;
}
