/* SPDX-License-Identifier: MIT
 *
 * The options of `countalloc check`. */
#ifndef CA_CHECK_OPTIONS_H
#define CA_CHECK_OPTIONS_H

#include "budget/check_report.h"
#include "commands/units_option.h"
#include "commands/wanted_option.h"
#include "options.h"

#define CA_CHECK_OUTPUTS  16u
#define CA_CHECK_STATUSES 16u
#define CA_CHECK_AGAINST  16u

struct ca_check_output {
    const char *path; /* NULL: standard output */
    const struct ca_check_format *format;
};

struct ca_check_options {
    const char *budgets; /* path; never NULL */
    struct ca_check_output outputs[CA_CHECK_OUTPUTS];
    uint32_t output_count;
    bool is_update_wanted;
    bool is_update_all;
    bool is_fit_wanted;
    bool is_strict;
    const char *base_ref; /* NULL: none */
    bool is_self_test_wanted;
    int allowed_status[CA_CHECK_STATUSES];
    size_t allowed_count;
    /* run's */
    const char *record_path; /* -o; NULL: none */
    const char *name;
    struct ca_given_units units;
    struct ca_wanted wanted;
    bool is_uncounted_ok;
    bool is_debuginfod_off; /* of records, too */
    uint64_t timeout_ns;
    const char *allocator;                 /* NULL: whatever the program has */
    const char *against[CA_CHECK_AGAINST]; /* against_count paths of older records */
    size_t against_count;
    /* what to judge: either */
    char **program;       /* NULL-terminated; NULL: records */
    const char **records; /* record_count paths, as in argv; returned: free() */
    size_t record_count;
};

/* Whether the path of an output is standard output. */
bool ca_check_output_is_standard(const struct ca_check_output *output);

/* Whether standard output is one document, so that the program's goes elsewhere. */
bool ca_check_options_is_output_taken(const struct ca_check_options *check);

extern const struct ca_option_table ca_check_option_table;

/* Strings are borrowed from `argv`. CA_HELP_WANTED; CA_ERROR_USAGE; CA_ERROR_INPUT. */
enum ca_status ca_check_options_parse(struct ca_check_options *ret_options, int argc, char **argv,
                                      struct ca_error *err);

#endif
