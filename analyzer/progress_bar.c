/* SPDX-License-Identifier: MIT */
#include "progress_bar.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
    FIRST_DRAW_NS = 500000000,
    REDRAW_NS = 100000000,
    MARK_BYTES = 256 * 1024,
    CELL_COUNT = 30,
    LINE_BYTES = 160,
};

uint64_t ca_clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void ca_progress_start(struct ca_progress *progress, bool is_wanted, const char *label,
                       uint64_t total) {
    *progress = (struct ca_progress){.label = label, .total = total};
    progress->is_shown = is_wanted && total > 0 && isatty(STDERR_FILENO);
    if (!progress->is_shown)
        return;
    progress->started_ns = ca_clock_ns();
    progress->next_draw_ns = progress->started_ns + FIRST_DRAW_NS;
}

/* What cannot be drawn is not worth a message. */
static void write_quietly(const char *bytes, size_t byte_count) {
    const ssize_t ignored = write(STDERR_FILENO, bytes, byte_count);
    (void)ignored;
}

static void draw(struct ca_progress *progress, uint64_t done, uint64_t now_ns) {
    char line[LINE_BYTES];
    char cells[CELL_COUNT + 1];
    const double share_ratio = (double)done / (double)progress->total;
    const double elapsed_s = (double)(now_ns - progress->started_ns) / 1e9;
    const double rest_s = share_ratio > 0 ? elapsed_s / share_ratio - elapsed_s : 0;
    const int full_count = (int)(share_ratio * (double)CELL_COUNT);
    for (int at = 0; at < CELL_COUNT; at++)
        cells[at] = at < full_count ? '#' : '.';
    cells[CELL_COUNT] = '\0';
    const int columns = snprintf(line, sizeof line, "\r%s [%s] %3d %%, %.0f s left ",
                                 progress->label, cells, (int)(share_ratio * 100), rest_s);
    if (columns < 0 || (size_t)columns >= sizeof line)
        return;
    write_quietly(line, (size_t)columns);
    if ((unsigned)columns > progress->drawn_columns)
        progress->drawn_columns = (unsigned)columns;
}

void ca_progress_update(struct ca_progress *progress, uint64_t done) {
    if (!progress->is_shown)
        return;
    const uint64_t now_ns = ca_clock_ns();
    if (now_ns < progress->next_draw_ns)
        return;
    draw(progress, done, now_ns);
    progress->next_draw_ns = now_ns + REDRAW_NS;
}

void ca_progress_add(struct ca_progress *progress, uint64_t step_count) {
    if (progress == NULL)
        return;
    progress->done += step_count;
    ca_progress_update(progress, progress->done);
}

const char *ca_progress_mark(struct ca_progress *progress, struct ca_slice text, const char *at) {
    const char *end = text.bytes + text.byte_count;
    if (progress == NULL || !progress->is_shown)
        return end;
    ca_progress_update(progress, (uint64_t)(at - text.bytes));
    return end - at > MARK_BYTES ? at + MARK_BYTES : end;
}

void ca_progress_end(struct ca_progress *progress) {
    char line[LINE_BYTES];
    if (progress->drawn_columns == 0)
        return;
    const int columns = snprintf(line, sizeof line, "\r%*s\r", (int)progress->drawn_columns, "");
    if (columns > 0 && (size_t)columns < sizeof line)
        write_quietly(line, (size_t)columns);
    progress->drawn_columns = 0;
}
