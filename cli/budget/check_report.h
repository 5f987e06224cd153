/* SPDX-License-Identifier: MIT
 *
 * What `countalloc check` says, in five formats. To add one: write a function, add a line to the
 * table in check_formats.c.
 *
 * text    for people: verdict first, then what failed with FILE:LINE of the budget, raw counts
 * before quotients, and the two commands to copy json    for programs, schema countalloc.check/1
 * (see check_json.c); the verdict, too junit   a <testcase> for each budget: over is a failure,
 * invalid an error, stale and unbudgeted are skipped github  workflow commands that become
 * annotations md      a job summary
 */
#ifndef CA_CHECK_REPORT_H
#define CA_CHECK_REPORT_H

#include "budget/budget_base.h"
#include "budget/check_sites.h"

#define CA_CHECK_SCHEMA "countalloc.check/1"

struct ca_check_report {
    const char *version; /* of this program */
    const struct ca_budget_file *file;
    const struct ca_judgement *judgement;
    const struct ca_subject *subjects; /* subject_count */
    size_t subject_count;
    const struct ca_budget_base *base; /* --base; NULL: not asked for */
    const char *const *arguments; /* argument_count words, as given behind "countalloc check": for
                                     the commands to copy */
    size_t argument_count;
    const struct ca_check_sites
        *sites; /* of each verdict, in their order; NULL: nothing is known */
};

struct ca_check_format {
    const char *name;    /* of --format */
    const char *summary; /* for --help */
    bool is_document;    /* a file by itself, which nothing may come before */
    /* CA_ERROR_SYSTEM: out of memory. */
    enum ca_status (*write)(const struct ca_check_report *report, struct ca_out *out,
                            struct ca_error *err);
};

/* `*ret_count` formats, in the order of --help; the first is the default. */
const struct ca_check_format *ca_check_formats(size_t *ret_count);

/* The format called by the first `name_length` bytes of `name`. CA_ERROR_USAGE lists the known
 * ones. */
enum ca_status ca_check_format_find(const char *name, size_t name_length,
                                    const struct ca_check_format **ret_format,
                                    struct ca_error *err);

enum ca_status ca_check_write_text(const struct ca_check_report *report, struct ca_out *out,
                                   struct ca_error *err);
enum ca_status ca_check_write_json(const struct ca_check_report *report, struct ca_out *out,
                                   struct ca_error *err);
enum ca_status ca_check_write_junit(const struct ca_check_report *report, struct ca_out *out,
                                    struct ca_error *err);
enum ca_status ca_check_write_github(const struct ca_check_report *report, struct ca_out *out,
                                     struct ca_error *err);
enum ca_status ca_check_write_md(const struct ca_check_report *report, struct ca_out *out,
                                 struct ca_error *err);

#endif
