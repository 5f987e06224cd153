/* SPDX-License-Identifier: MIT
 *
 * progress_bar.h: one line on a terminal that says how far a long piece of work is.
 *
 * Drawn on stderr, at most ten times a second, not before half a second has passed, and erased at
 * the end. Allocates nothing. A loop pays one comparison per step: it asks for a mark and calls
 * again only when it has reached it.
 */
#ifndef COUNTALLOC_PROGRESS_BAR_H
#define COUNTALLOC_PROGRESS_BAR_H

#include <stdbool.h>
#include <stdint.h>

#include "slice.h"

struct ca_progress {
    const char *label; /* kept */
    uint64_t total;
    uint64_t done;
    uint64_t started_ns;
    uint64_t next_draw_ns;
    unsigned drawn_columns;
    bool is_shown;
};

/* Starts a bar of `total` steps of any kind, labelled `label`. It shows only if `is_wanted` and
 * stderr is a terminal. */
void ca_progress_start(struct ca_progress *progress, bool is_wanted, const char *label,
                       uint64_t total);

/* Draws the bar if it is due. Reads the clock, so call it every few thousand steps. */
void ca_progress_update(struct ca_progress *progress, uint64_t done);

/* As ca_progress_update, with `step_count` steps more than before. `progress` may be NULL. */
void ca_progress_add(struct ca_progress *progress, uint64_t step_count);

/* For a scan of `text`, which is `progress->total` bytes: draws the bar if it is due, and returns
 * the address at which to ask again. That is behind the text when no bar shows, so it is never
 * reached. `progress` may be NULL. */
const char *ca_progress_mark(struct ca_progress *progress, struct ca_slice text, const char *at);

/* Erases the bar. */
void ca_progress_end(struct ca_progress *progress);

/* The monotonic clock. */
uint64_t ca_clock_ns(void);

#endif
