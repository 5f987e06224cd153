/* SPDX-License-Identifier: MIT
 *
 * `countalloc report --by site`: where the allocations of a record come from, with what a reader
 * has to know about the figures. */
#ifndef CA_SITE_REPORT_H
#define CA_SITE_REPORT_H

#include "sites/site_rows.h"

#define CA_SITE_ROWS_SHOWN  20u
#define CA_SITE_NOTES       12u
#define CA_SITE_NOTE_SIZE   1024u
#define CA_SITE_NUMBER_SIZE 64u /* as CA_FLAME_NUMBER_SIZE */

struct ca_site_report_options {
    enum ca_site_view view;
    const char *function; /* of the views of a part */
    size_t top_count;     /* rows to show; SIZE_MAX: all */
};

struct ca_site_report {
    const struct ca_record *record; /* kept */
    struct ca_site_report_options options;
    bool has_sites; /* `sites` has what was asked for */
    bool has_samples;
    struct ca_site_rows sites;
    struct ca_site_rows samples;
    const char *unit; /* what allocations are divided by; NULL: nothing */
    char notes[CA_SITE_NOTES][CA_SITE_NOTE_SIZE];
    size_t note_count;
};

/* Release it all the same after a failure. CA_ERROR_INPUT: the record has not what is needed, with
 * the option that measures it; CA_ERROR_USAGE: the function is not in it. `shown` names the record
 * in messages. */
enum ca_status ca_site_report_init(struct ca_site_report *report, const struct ca_record *record,
                                   const struct ca_site_report_options *options, const char *shown,
                                   struct ca_error *err);

void ca_site_report_release(struct ca_site_report *report);

/* Units of the report's unit in a phase (UINT32_MAX: in total); 0: not counted. */
uint64_t ca_site_report_units(const struct ca_site_report *report, uint32_t phase);

/* What the rows' shares are shares of. */
uint64_t ca_site_report_whole(const struct ca_site_report *report, const struct ca_site_rows *rows);

/* What the rows have more (or less, as a negative number) than the record: 0 for all rows of a
 * record whose sites add up, and for estimates and parts. */
int64_t ca_site_report_difference(const struct ca_site_report *report,
                                  const struct ca_site_rows *rows);

/* How many rows are shown. */
size_t ca_site_report_shown(const struct ca_site_report *report, const struct ca_site_rows *rows);

/* The sentence above a table. `text`: CA_SITE_NOTE_SIZE bytes; returned. */
const char *ca_site_report_heading(const struct ca_site_report *report,
                                   const struct ca_site_rows *rows, char *text);

/* Numbers as the tables have them; `text` of CA_SITE_NUMBER_SIZE bytes is returned. */
const char *ca_site_share(uint64_t part, uint64_t whole, char *text);
/* The relative error of an estimate from `sample_count` samples: 1 / sqrt(n), as "10%". */
const char *ca_site_error(uint64_t sample_count, char *text);

struct ca_site_format {
    const char *name;
    enum ca_status (*write)(const struct ca_site_report *report, struct ca_out *out,
                            struct ca_error *err);
};

/* text, md, json. CA_ERROR_USAGE. */
enum ca_status ca_site_format_find(const char *name, const struct ca_site_format **ret_format,
                                   struct ca_error *err);

enum ca_status ca_site_report_write_text(const struct ca_site_report *report, struct ca_out *out,
                                         struct ca_error *err);
enum ca_status ca_site_report_write_md(const struct ca_site_report *report, struct ca_out *out,
                                       struct ca_error *err);
enum ca_status ca_site_report_write_json(const struct ca_site_report *report, struct ca_out *out,
                                         struct ca_error *err);

#endif
