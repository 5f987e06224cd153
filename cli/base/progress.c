/* SPDX-License-Identifier: MIT */
#include "base/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_BEFORE_FIRST 500000000u
#define NS_BETWEEN      100000000u
#define BAR_CELLS       30u
#define ERASE_LINE      "\r\033[K"

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void write_text(const struct ca_progress *progress, const char *text) {
    ssize_t written = write(progress->fd, text, strlen(text));
    (void)written; /* a terminal that has gone takes no message about it */
}

void ca_progress_init(struct ca_progress *progress, int fd, const char *what) {
    const char *terminal = getenv("TERM");
    bool is_able = isatty(fd) && terminal != NULL && strcmp(terminal, "dumb") != 0;
    *progress = (struct ca_progress){
        .fd = is_able ? fd : -1,
        .what = what,
        .next_ns = now_ns() + NS_BEFORE_FIRST,
    };
}

void ca_progress_release(struct ca_progress *progress) {
    if (progress->is_shown)
        write_text(progress, ERASE_LINE);
    *progress = (struct ca_progress){.fd = -1};
}

void ca_progress_show(void *target, uint64_t done, uint64_t total) {
    struct ca_progress *progress = target;
    char bar[BAR_CELLS + 1];
    char line[160];
    if (progress->fd < 0 || total == 0)
        return;
    uint64_t now = now_ns();
    if (now < progress->next_ns)
        return;
    progress->next_ns = now + NS_BETWEEN;
    double share = done < total ? (double)done / (double)total : 1.0;
    for (unsigned i = 0; i < BAR_CELLS; i++)
        bar[i] = (double)i + 1.0 <= share * BAR_CELLS ? '#' : '.';
    bar[BAR_CELLS] = '\0';
    snprintf(line, sizeof line, ERASE_LINE "%s [%s] %" PRIu64 " of %" PRIu64, progress->what, bar,
             done, total);
    write_text(progress, line);
    progress->is_shown = true;
}
