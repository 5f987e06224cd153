/* SPDX-License-Identifier: MIT
 *
 * What changed between the call sites of two records, and which of them are new.
 *
 * Sites are the same when their phase and their chain of functions are (site_chains.h): neither
 * addresses nor lines count. Where one function has several sites, they are paired in the order of
 * their lines, so that the pairs change as little as can be; when one record has more of them, the
 * rest is new or gone.
 *
 * A chain that goes on where another one ends (it was inlined there, and called here; or the stack
 * could be walked further) is the same site when what one has less explains what the other has
 * more.
 *
 * The sums of all sites are those of the records: every change is in one row, and nothing twice. */
#ifndef CA_SITE_DIFF_H
#define CA_SITE_DIFF_H

#include "diff/record_diff.h"

#define CA_SITE_CALLERS 3u

enum ca_site_change {
    CA_SITE_NEW = 0,
    CA_SITE_GROWN, /* more allocations, or as many and more bytes */
    CA_SITE_SHRUNK,
    CA_SITE_GONE,
    CA_SITE_SAME,
    CA_SITE_CHANGES
};

/* A site as people know it; of the new record, unless only the old one has it. Strings live as long
 * as the diff. */
struct ca_changed_site {
    enum ca_site_change change;
    const char *phase;
    const char *function;                 /* as ca_record_function_name has it; "[no site]" */
    const char *file;                     /* NULL: unknown */
    uint32_t line;                        /* 0: unknown */
    const char *callers[CA_SITE_CALLERS]; /* caller_count, the direct one first */
    uint32_t caller_count;
    bool is_guess; /* paired by order in a module without functions that was built anew */
    struct ca_figure_pair allocations;
    struct ca_figure_pair bytes_requested;
};

struct ca_site_diff {
    const struct ca_record *before; /* kept */
    const struct ca_record *after;
    bool is_different;             /* a site is */
    struct ca_changed_site *sites; /* site_count: those that differ: new, grown, shrunk, gone, each
                                      the largest change first */
    size_t site_count;
    size_t counts[CA_SITE_CHANGES]; /* how many of each; those that are the same are no rows */
    struct ca_figure_pair same_allocations; /* of the sites that are the same */
    struct ca_figure_pair same_bytes;
    struct ca_figure_pair allocations; /* sums of all sites */
    struct ca_figure_pair bytes_requested;
    char notes[CA_DIFF_NOTES][CA_DIFF_NOTE_SIZE]; /* note_count: what makes it doubtful */
    uint32_t note_count;
    char **names; /* name_count that the records have not */
    size_t name_count;
    size_t name_capacity;
};

/* CA_ERROR_INPUT when one of them has no sites: `shown_before` and `shown_after` name them.
 * CA_ERROR_SYSTEM: no memory. Release it all the same. */
enum ca_status ca_site_diff_init(struct ca_site_diff *diff, const struct ca_record *before,
                                 const struct ca_record *after, const char *shown_before,
                                 const char *shown_after, struct ca_error *err);

/* The sites of one record as rows, largest first, as if everything were new. */
enum ca_status ca_site_diff_init_alone(struct ca_site_diff *diff, const struct ca_record *record,
                                       struct ca_error *err);

void ca_site_diff_release(struct ca_site_diff *diff);

/* "new", "grown", "shrunk", "gone", "same" */
const char *ca_site_change_name(enum ca_site_change change);

/* What helps when the first of the rows people look at names something that allocates for others,
 * in a record with stacks of `stack_depth` frames: a sentence in `ret_text` (CA_DIFF_NOTE_SIZE
 * bytes), or NULL when nothing needs to. */
const char *ca_site_advice(const char *function, uint32_t caller_count, uint32_t stack_depth,
                           char *ret_text);

/* A unit of a phase in both records (of the total with NULL); `ret_units`: room for 2 *
 * CA_UNIT_CAPACITY. Returns how many. */
uint32_t ca_site_units(const struct ca_site_diff *diff, const char *phase,
                       struct ca_unit_pair *ret_units);

#endif
