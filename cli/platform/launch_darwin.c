/* SPDX-License-Identifier: MIT */
#ifndef __APPLE__
#error "macOS only"
#endif

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

#include "platform/launch_parts.h"

static void ignore(int number) {
    (void)number;
}

/* Because XNU drops a signal whose action is to ignore it, which is what SIGCHLD's default does,
 * even when it is blocked. It stays blocked, so this is never called. */
void (*const ca_launch_on_child)(int) = ignore;

/* Because ru_maxrss is in bytes (getrusage(2)). */
const uint64_t ca_launch_rss_unit_bytes = 1;

/* Because macOS has no sigtimedwait: a timer ends the wait. A limit that has passed already is one
 * of a microsecond, since 0 would stop the timer. */
int ca_launch_await_signal(const sigset_t *awaited, uint64_t limit_ns) {
    sigset_t waited = *awaited;
    struct itimerval timer = {{0, 0}, {0, 0}};
    if (limit_ns != CA_LAUNCH_NO_LIMIT) {
        timer.it_value = ca_launch_limit(limit_ns);
        sigaddset(&waited, SIGALRM);
        sigprocmask(SIG_BLOCK, &waited, NULL);
        setitimer(ITIMER_REAL, &timer, NULL);
    }
    int number = 0;
    int status = sigwait(&waited, &number);
    return status == 0 && number != SIGALRM ? number : -1;
}
