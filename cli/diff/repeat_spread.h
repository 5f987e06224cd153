/* SPDX-License-Identifier: MIT
 *
 * Several runs of one program: what was not the same in all of them, by phase and thread. Nothing
 * is averaged. */
#ifndef CA_REPEAT_SPREAD_H
#define CA_REPEAT_SPREAD_H

#include "base/error.h"
#include "diff/columns.h"

/* A figure over all runs. Runs in which the phase or thread was not there count as 0. */
struct ca_spread {
    int64_t lowest;
    int64_t highest;
    uint64_t error;  /* a peak's: no difference up to it */
    bool is_unknown; /* not measured in one of the runs */
};

/* The total, a phase, or a thread's share of a phase. */
struct ca_spread_row {
    char *phase;     /* NULL: the total */
    uint32_t thread; /* has_thread */
    bool has_thread;
    bool is_adopted;
    uint32_t run_count;   /* runs in which it was there */
    uint32_t last_run;    /* the latest of them, from 1 */
    uint32_t share_count; /* of a phase: the most threads that it had in a run */
    struct ca_spread opened;
    struct ca_spread columns[CA_COLUMN_COUNT];
};

struct ca_repeat_spread {
    uint32_t run_count;
    struct ca_spread_row *rows; /* row_count: the total, then in order of appearance */
    size_t row_count;
    size_t capacity;
    struct ca_spread exit_status; /* 128 + N for signal N, as `run` says it */
};

/* Adds one more run, which has happened after all that were added before. CA_ERROR_SYSTEM. */
enum ca_status ca_repeat_spread_add(struct ca_repeat_spread *spread, const struct ca_record *record,
                                    struct ca_error *err);

/* Whether the row says something: it is not the same in all runs, and not the share of a phase's
 * only thread, which the phase's row has already. */
bool ca_spread_row_is_different(const struct ca_repeat_spread *spread,
                                const struct ca_spread_row *row);

bool ca_spread_is_different(const struct ca_spread *figure);

/* Whether all runs were the same. */
bool ca_repeat_spread_is_identical(const struct ca_repeat_spread *spread);

/* For people, behind the report: one line, or what differed. */
void ca_repeat_spread_write_text(const struct ca_repeat_spread *spread, struct ca_out *out);

/* The JSON record's extra member: "repeat": {"runs": 3, "identical": false, "exit_status": [0, 0],
 * "different": [{"phase": "parse"|null, "thread": 2|null, "adopted": false, "runs": 3, "opened":
 * [1, 1], "counts": {"allocations": [10, 12], ..}}]}, pairs being the lowest and the highest; null
 * in place of the total's phase; of counts only those that differ. */
void ca_repeat_spread_write_json(const struct ca_repeat_spread *spread, struct ca_out *out);

void ca_repeat_spread_release(struct ca_repeat_spread *spread);

#endif
