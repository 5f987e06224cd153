/* SPDX-License-Identifier: MIT
 *
 * Standard input for a program that runs more than once. */
#ifndef CA_STDIN_AGAIN_H
#define CA_STDIN_AGAIN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct ca_stdin_again {
    bool is_rewound; /* a file: each run reads it from `start` on */
    off_t start;
};

/* Says whether every run can read the same: a file does, from where it stands; a terminal asks each
 * time; /dev/null and a closed descriptor have nothing to read. CA_ERROR_USAGE for a pipe or a
 * socket, of which the first run would leave nothing; `option` is what makes it run again. */
enum ca_status ca_stdin_again_init(struct ca_stdin_again *again, const char *option,
                                   struct ca_error *err);

/* Before each further run. CA_ERROR_SYSTEM. */
enum ca_status ca_stdin_again_rewind(const struct ca_stdin_again *again, struct ca_error *err);

#endif
