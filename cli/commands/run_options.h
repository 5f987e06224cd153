/* SPDX-License-Identifier: MIT
 *
 * The options of `countalloc run`. */
#ifndef CA_RUN_OPTIONS_H
#define CA_RUN_OPTIONS_H

#include "commands/units_option.h"
#include "commands/wanted_option.h"
#include "options.h"
#include "writers/writers.h"

#define CA_RUN_OUTPUTS 16u
#define CA_RUN_REPEATS 100000u

struct ca_run_output {
    const char *path; /* NULL: standard error, in place of the report */
    const struct ca_writer *writer;
};

struct ca_run_options {
    struct ca_run_output outputs[CA_RUN_OUTPUTS];
    uint32_t output_count;
    const char *name;      /* NULL: the program's own */
    const char *allocator; /* NULL: whatever the program has */
    struct ca_given_units units;
    struct ca_wanted wanted;
    struct ca_symbols_wanted symbols;
    bool is_uncounted_ok;
    bool is_quiet;
    uint32_t repeat_count; /* from 1 */
    uint64_t timeout_ns;   /* of each run; 0: none */
    size_t region_bytes;   /* 0: as many as `wanted` needs */
    char **program;        /* NULL-terminated, at least one element */
};

/* The table. */
extern const struct ca_option_table ca_run_option_table;

/* Strings are borrowed from `argv`. Reads the files of --units. CA_HELP_WANTED; CA_ERROR_USAGE;
 * CA_ERROR_INPUT. */
enum ca_status ca_run_options_parse(struct ca_run_options *ret_options, int argc, char **argv,
                                    struct ca_error *err);

#endif
