/* SPDX-License-Identifier: MIT
 *
 * Help texts, printed from the tables. */
#ifndef CA_COMMAND_HELP_H
#define CA_COMMAND_HELP_H

#include <stdio.h>

#include "command.h"

/* The list of commands. */
void ca_help_write_all(FILE *to);

void ca_help_write(const struct ca_command *command, FILE *to);

#endif
