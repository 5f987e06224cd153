/* SPDX-License-Identifier: MIT
 *
 * What `countalloc diff` prints, in three formats. To add one: write a function, add a line to the
 * table in diff_formats.c. */
#ifndef CA_DIFF_REPORT_H
#define CA_DIFF_REPORT_H

#include "diff/site_diff.h"

#define CA_DIFF_SCHEMA "countalloc.diff/1"

struct ca_diff_report {
    const char *version; /* of this program */
    const struct ca_record_diff *diff;
    const char *before_source; /* the files, as they were given */
    const char *after_source;
    const struct ca_site_diff *sites; /* by site; NULL: by phase */
    size_t top_count;                 /* sites that text and Markdown show, of those that differ */
};

#define CA_DIFF_SITES_SHOWN 20u

struct ca_diff_format {
    const char *name;
    /* CA_ERROR_SYSTEM: out of memory. */
    enum ca_status (*write)(const struct ca_diff_report *report, struct ca_out *out,
                            struct ca_error *err);
};

/* CA_ERROR_USAGE lists the known ones. The first, text, is the default. */
enum ca_status ca_diff_format_find(const char *name, const struct ca_diff_format **ret_format,
                                   struct ca_error *err);

enum ca_status ca_diff_write_text(const struct ca_diff_report *report, struct ca_out *out,
                                  struct ca_error *err);
enum ca_status ca_diff_write_json(const struct ca_diff_report *report, struct ca_out *out,
                                  struct ca_error *err);
enum ca_status ca_diff_write_md(const struct ca_diff_report *report, struct ca_out *out,
                                struct ca_error *err);

/* ---- phrases that the formats have in common; `ret_text`: CA_DIFF_TEXT_SIZE bytes ---- */

#define CA_DIFF_TEXT_SIZE 320u

/* "+1000 allocations, +24000 bytes requested; 1 of 5 phases differs"; "no difference". */
const char *ca_diff_summary(const struct ca_record_diff *diff, char *ret_text);

/* "21.003 -> 22.003 per line"; "-" where a record has none of the unit; "" when neither does. */
const char *ca_diff_quotients(const struct ca_figure_pair *figure, const struct ca_unit_pair *unit,
                              char *ret_text);

/* "+1000", "-3", "0". */
const char *ca_diff_change(const struct ca_figure_pair *figure, char *ret_text);

/* "thread 2", "thread 2 'worker' (adopted)". */
const char *ca_diff_thread(const struct ca_thread_pair *thread, char *ret_text);

/* "changed", "new", "gone", "same". */
const char *ca_change_name(enum ca_change change);

/* "+1000 allocations, +24000 bytes requested; sites: 1 new, 2 grown, 0 shrunk, 0 gone, 5 the same";
 * "no site differs (5 sites)". */
const char *ca_diff_site_summary(const struct ca_site_diff *diff, char *ret_text);

/* "copy_line parse.c:42"; without what is unknown. */
const char *ca_diff_site_place(const struct ca_changed_site *site, char *ret_text);

/* "parse_all, main"; "" without any. */
const char *ca_diff_site_callers(const struct ca_changed_site *site, char *ret_text);

/* How many sites text and Markdown show, and the sums of the others that differ. */
size_t ca_diff_sites_shown(const struct ca_diff_report *report, struct ca_figure_pair *ret_others,
                           struct ca_figure_pair *ret_bytes_of_others);

#endif
