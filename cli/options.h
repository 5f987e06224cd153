/* SPDX-License-Identifier: MIT
 *
 * Command line options. A command declares its options once, in a table; parsing, --help and the
 * test that compares the man page with the command all read that table.
 *
 * Accepted forms: -q  -o FILE  -oFILE  --name NAME  --name=NAME; -q options may be run together
 * (-qo FILE). `--` ends the options. Every command has -h and --help without declaring them.
 */
#ifndef CA_OPTIONS_H
#define CA_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum ca_option_value {
    CA_VALUE_NONE,
    CA_VALUE_NEEDED,
    CA_VALUE_OPTIONAL /* only as --name=VALUE */
};

struct ca_option {
    int id;           /* what the command's switch goes by */
    char letter;      /* 0: none */
    const char *name; /* without the dashes; NULL: the letter only */
    enum ca_option_value value;
    const char *value_name; /* "FILE"; NULL without a value */
    const char
        *help; /* may hold newlines; NULL: reserved for a later version, refused and not shown */
};

struct ca_option_table {
    const struct ca_option *options; /* option_count elements, in the order of --help */
    size_t option_count;
};

/* A walk over the arguments. All pointers are borrowed from argv and the table. */
struct ca_option_walk {
    const struct ca_option_table *table;
    int argc;
    char **argv;
    int at;              /* the next argument */
    const char *cluster; /* the rest of a word of one-letter options, or NULL */
    bool is_separated;   /* `--` was seen: the rest, from argv[at], is no option */
};

struct ca_option_found {
    const struct ca_option *option; /* NULL: an operand, or the end */
    const char *value;              /* of the option (NULL when it has none), or the operand */
};

/* `argv[0]` is the command's name and is skipped. */
void ca_option_walk_init(struct ca_option_walk *walk, const struct ca_option_table *table, int argc,
                         char **argv);

/* The next option or operand. At the end, or at `--`, both members are NULL. CA_HELP_WANTED for
 * --help; CA_ERROR_USAGE for what the table does not know, a value too many or too few, and
 * reserved options. */
enum ca_status ca_option_next(struct ca_option_walk *walk, struct ca_option_found *ret_found,
                              struct ca_error *err);

#endif
