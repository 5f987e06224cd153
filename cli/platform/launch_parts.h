/* SPDX-License-Identifier: MIT
 *
 * What launch_posix.c needs of a system. */
#ifndef CA_LAUNCH_PARTS_H
#define CA_LAUNCH_PARTS_H

#include <signal.h>
#include <stdint.h>
#include <sys/time.h>

#define CA_LAUNCH_NO_LIMIT UINT64_MAX

/* Waits for one of `awaited`, all of which are blocked, for at most `limit_ns`. Returns its number,
 * or -1 when there was none. */
int ca_launch_await_signal(const sigset_t *awaited, uint64_t limit_ns);

/* With this done about SIGCHLD, a blocked one stays pending. */
extern void (*const ca_launch_on_child)(int);

/* The unit of struct rusage's ru_maxrss. */
extern const uint64_t ca_launch_rss_unit_bytes;

/* `limit_ns` for setitimer: rounded up to a whole microsecond, at least one. */
struct timeval ca_launch_limit(uint64_t limit_ns);

#endif
