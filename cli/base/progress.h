/* SPDX-License-Identifier: MIT
 *
 * A line at a terminal that says how far something has come. Nothing is written anywhere but to a
 * terminal, and nothing about work that is done within the first half second. */
#ifndef CA_PROGRESS_H
#define CA_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct ca_progress {
    int fd;           /* negative: nothing is shown */
    const char *what; /* "symbols"; kept */
    uint64_t next_ns; /* when it may be written next, CLOCK_MONOTONIC */
    bool is_shown;
};

/* For work named `what`; shown on `fd` when that is a terminal that can go back in a line. */
void ca_progress_init(struct ca_progress *progress, int fd, const char *what);

/* Takes the line away. */
void ca_progress_release(struct ca_progress *progress);

/* `target`: a struct ca_progress. Says that `done` of `total` is done, ten times a second at most;
 * may be called as often as one likes. */
void ca_progress_show(void *target, uint64_t done, uint64_t total);

#endif
