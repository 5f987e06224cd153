/* SPDX-License-Identifier: MIT
 *
 * The same with one thread and a timer, and with a live figure that must come back to where it
 * began.
 *
 * expect: malloc=@malloc frees=@malloc bytes_requested=@bytes bytes_live=0 live_blocks=0
 * expect: thread_rows=1
 */
#include "victim.h"

#include <sys/time.h>

static volatile int64_t in_loop;
static volatile int64_t in_handler;

static void handle(int signal_number) {
    (void)signal_number;
    void *small = malloc(100);
    free(malloc(70000));
    free(small);
    in_handler += 2;
}

int main(void) {
    struct sigaction action;
    struct itimerval often = {{0, 100}, {0, 100}};
    struct itimerval never = {{0, 0}, {0, 0}};
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    CHECK(sigaction(SIGVTALRM, &action, NULL) == 0);
    CHECK(setitimer(ITIMER_VIRTUAL, &often, NULL) == 0);
    for (int64_t i = 0; i < 3000000 && (i < 1000000 || in_handler < 100); i++) {
        free(malloc(24));
        in_loop++;
    }
    CHECK(setitimer(ITIMER_VIRTUAL, &never, NULL) == 0);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    CHECK(in_handler > 0);
    say("malloc", in_loop + in_handler);
    say("bytes", in_loop * 24 + in_handler / 2 * 70100);
    return 0;
}
