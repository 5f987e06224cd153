/* SPDX-License-Identifier: MIT */
#ifndef __linux__
#error "Linux only"
#endif

#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "platform/launch_parts.h"

/* Because Linux keeps a blocked SIGCHLD whatever is done about it. */
void (*const ca_launch_on_child)(int) = SIG_DFL;

/* Because ru_maxrss is in KiB (getrusage(2)). */
const uint64_t ca_launch_rss_unit_bytes = 1024;

int ca_launch_await_signal(const sigset_t *awaited, uint64_t limit_ns) {
    siginfo_t info = {0};
    if (limit_ns == CA_LAUNCH_NO_LIMIT)
        return sigwaitinfo(awaited, &info);
    struct timespec limit = {.tv_sec = (time_t)(limit_ns / 1000000000u),
                             .tv_nsec = (long)(limit_ns % 1000000000u)};
    return sigtimedwait(awaited, &info, &limit);
}
