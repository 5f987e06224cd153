/* SPDX-License-Identifier: MIT
 *
 * What a command is, and the table of them. To add one: write commands/cmd_x.c with one `const
 * struct ca_command`, add it to the table in command.c, write man/countalloc-x.1.
 *
 * Exit statuses of the whole program are defined here.
 */
#ifndef CA_COMMAND_H
#define CA_COMMAND_H

#include "options.h"

enum ca_exit {
    CA_EXIT_OK = 0,
    CA_EXIT_DIFFERENT = 1, /* diff --exit-code; of check: over */
    CA_EXIT_FAILED =
        2, /* usage, input that cannot be read, anything else; of all commands but `run` */
    CA_EXIT_NOT_COUNTED = 3,  /* doctor: no */
    CA_EXIT_RUN_FAILED = 125, /* run: own failure, or nothing can be or was measured */
    CA_EXIT_RUN_UNEXECUTABLE = 126,
    CA_EXIT_RUN_ABSENT = 127,
    CA_EXIT_RUN_SIGNAL = 128 /* run: plus the number of the signal that killed the program */
};

struct ca_command {
    const char *name;
    const char *summary;     /* one line, for the list */
    const char *synopsis;    /* lines of it, without "countalloc " in front of each */
    const char *description; /* paragraphs */
    const char *examples;    /* lines */
    const char *exit_status; /* lines */
    const struct ca_option_table *options;
    int failed_status; /* enum ca_exit */
    bool is_hidden;
    /* `argv[0]` is the command's name. CA_OK: `*ret_exit` is the exit status. CA_HELP_WANTED: the
     * caller prints the help. Anything else: the caller prints `err`, after "countalloc NAME: ",
     * and ends with `failed_status`. */
    enum ca_status (*run)(int argc, char **argv, int *ret_exit, struct ca_error *err);
};

extern const struct ca_command ca_command_run;
extern const struct ca_command ca_command_report;
extern const struct ca_command ca_command_diff;
extern const struct ca_command ca_command_check;
extern const struct ca_command ca_command_fold;
extern const struct ca_command ca_command_flamegraph;
extern const struct ca_command ca_command_doctor;
extern const struct ca_command ca_command_self_test;

/* `*ret_count` commands, in the order of --help. */
const struct ca_command *const *ca_commands(size_t *ret_count);

/* Runs the command line and returns the exit status. */
int ca_command_main(int argc, char **argv);

#endif
