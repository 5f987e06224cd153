/* SPDX-License-Identifier: MIT
 *
 * v2 of logstat with one allocation more for each line: what a regression looks like. Linked before
 * logstat's own v2, whose place it takes. */
#include <stdlib.h>

#include "log_line.h"

static struct ca_line line_after_an_allocation(void) {
    void *volatile extra = malloc(24);
    free(extra);
    return ca_line_empty();
}

#define ca_line_empty line_after_an_allocation
#include "v2_borrowed.c"
