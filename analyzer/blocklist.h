/* SPDX-License-Identifier: MIT
 *
 * blocklist.h: where a blocklist comes from.
 */
#ifndef COUNTALLOC_BLOCKLIST_H
#define COUNTALLOC_BLOCKLIST_H

#include "logstat.h"

enum {
    CA_BUILTIN_USER_COUNT = 1000
};

/* Makes the built-in list: u00007, u00017 … u09997, every tenth user of a generated log, in a fixed
 * shuffled order. Two allocations. */
enum ca_status ca_blocklist_init_builtin(struct ca_blocklist *list, struct ca_error *err);

/* Reads a list: one user a line, in the file's order; lines end as in a log; empty lines are
 * skipped; "-" is standard input. A space makes the list wrong (CA_MALFORMED, "FILE:LINE: …"),
 * because a field of a log ends at one and such a user could never match. */
enum ca_status ca_blocklist_init_file(struct ca_blocklist *list, const char *path,
                                      struct ca_error *err);

/* Frees the list. */
void ca_blocklist_release(struct ca_blocklist *list);

#endif
