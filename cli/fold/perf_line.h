/* SPDX-License-Identifier: MIT
 *
 * The two kinds of lines of perf script (perf-script(1), "FIELDS"), taken apart. All strings lie in
 * the line. */
#ifndef CA_PERF_LINE_H
#define CA_PERF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ca_perf_text {
    const char *bytes;
    size_t byte_count;
};

/* "thread name  PID[/TID] [CPU] TIME: PERIOD EVENT: rest", of which CPU, TIME and PERIOD, and after
 * a TIME the EVENT, may be missing. The thread's name may hold blanks and numbers. What
 * --show-mmap-events and its like add has "PERF_RECORD_NAME rest" in the place of the event. */
struct ca_perf_event {
    struct ca_perf_text thread;
    struct ca_perf_text event; /* without the last ':'; empty when it is missing */
    struct ca_perf_text rest;  /* a tracepoint's fields, or the only frame */
    bool has_time;
    bool has_period;
    uint64_t period;
};

/* "ADDRESS symbol+0xOFFSET (file)"; the file may be missing. Symbols and files may hold blanks and
 * brackets. */
struct ca_perf_frame {
    uint64_t address;
    struct ca_perf_text symbol; /* without offset */
    struct ca_perf_text file;   /* without brackets; "inlined" for an inlined function */
    bool has_file;
};

/* Whether a word such as "12.345:" may be in it: quick, for lines of which nearly none has one. */
bool ca_perf_line_may_have_time(const char *line, size_t byte_count);

/* False for anything else; `*ret_event` is untouched then. */
bool ca_perf_event_parse(const char *line, size_t byte_count, struct ca_perf_event *ret_event);
bool ca_perf_frame_parse(const char *line, size_t byte_count, struct ca_perf_frame *ret_frame);

/* Whether the frame is the kernel's, a module's or a BPF program's. */
bool ca_perf_frame_is_kernel(const struct ca_perf_frame *frame);

#endif
