/* SPDX-License-Identifier: MIT
 *
 * logstat_commands.h: what the command line hands to a command. Private to logstat.c and the
 * logstat_*.c files.
 */
#ifndef COUNTALLOC_LOGSTAT_COMMANDS_H
#define COUNTALLOC_LOGSTAT_COMMANDS_H

#include <stdbool.h>

#include "print_report.h"

/* Exit statuses of logstat. */
enum {
    CA_EXIT_OK = 0,
    CA_EXIT_FAILED = 1, /* a file cannot be read or written, memory ran out, or --on-error fail met
                           a malformed line */
    CA_EXIT_USAGE = 2,
};

enum {
    CA_OPERANDS_MAX = 4,
    CA_THREADS_MAX = 256,
};

/* The parsed command line. `operands`: `operand_count` elements, the command's name not among them.
 */
struct ca_logstat_options {
    const char *blocklist_path; /* NULL: the built-in list */
    const struct ca_report_format *format;
    bool stops_at_malformed;
    bool shows_progress;
    unsigned thread_count; /* 0: not given */
    const char *operands[CA_OPERANDS_MAX];
    int operand_count;
};

/* A command: itself, what it says about itself, and which options it takes. `help` is the whole
 * page. */
struct ca_logstat_command {
    const char *name;
    const char *help;
    int operand_count_min;
    int operand_count_max;
    bool takes_run_options; /* --blocklist, --format, --on-error, --threads */
    bool takes_progress;
    int (*run)(const struct ca_logstat_options *options);
};

extern const struct ca_logstat_command ca_command_gen;
extern const struct ca_logstat_command ca_command_run;
extern const struct ca_logstat_command ca_command_versions;

/* Prints "logstat: message" on stderr. */
void ca_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes to standard output and returns the exit status; a failure is reported. */
int ca_print(struct ca_slice bytes);

#endif
