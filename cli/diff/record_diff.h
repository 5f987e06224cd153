/* SPDX-License-Identifier: MIT
 *
 * What changed between two records: the total, and each phase by its name, largest change first.
 */
#ifndef CA_RECORD_DIFF_H
#define CA_RECORD_DIFF_H

#include "base/error.h"
#include "diff/columns.h"

#define CA_DIFF_NOTES     8u
#define CA_DIFF_NOTE_SIZE 512u

enum ca_change {
    CA_CHANGE_NONE = 0,
    CA_CHANGE_NUMBERS, /* in both, with other numbers */
    CA_CHANGE_NEW,     /* only in the new record */
    CA_CHANGE_GONE     /* only in the old one */
};

/* A figure in both; 0 where there is nothing to count. */
struct ca_figure_pair {
    bool is_known; /* measured in both */
    bool is_different;
    int64_t before;
    int64_t after;
};

/* A unit that either has. */
struct ca_unit_pair {
    const char *name;
    uint64_t before; /* 0: it has none */
    uint64_t after;
};

/* A thread's share of a phase. */
struct ca_thread_pair {
    uint32_t number;
    const char *name; /* of the new record, else of the old; NULL: it has none */
    bool is_adopted;
    struct ca_figure_pair allocations;
    struct ca_figure_pair bytes_requested;
};

struct ca_phase_diff {
    const char *name; /* "total" for the total */
    enum ca_change change;
    struct ca_figure_pair opened; /* of the total: 0 */
    struct ca_figure_pair figures[CA_COLUMN_COUNT];
    struct ca_unit_pair units[2 * CA_UNIT_CAPACITY];
    uint32_t unit_count;
    struct ca_thread_pair *threads; /* thread_count that differ, largest change first; none when the
                                       phase is one thread's */
    uint32_t thread_count;
};

struct ca_record_diff {
    const struct ca_record *before; /* kept */
    const struct ca_record *after;
    bool is_different; /* in the total or in a phase */
    struct ca_phase_diff total;
    struct ca_phase_diff *phases; /* phase_count that differ, largest change first */
    size_t phase_count;
    size_t same_count;                            /* phases in both without a difference */
    char notes[CA_DIFF_NOTES][CA_DIFF_NOTE_SIZE]; /* note_count: what makes the comparison doubtful
                                                   */
    uint32_t note_count;
};

/* CA_ERROR_INPUT when one of them measured nothing: `shown_before` and `shown_after` name them. */
enum ca_status ca_record_diff_init(struct ca_record_diff *diff, const struct ca_record *before,
                                   const struct ca_record *after, const char *shown_before,
                                   const char *shown_after, struct ca_error *err);

void ca_record_diff_release(struct ca_record_diff *diff);

#endif
