/* SPDX-License-Identifier: MIT
 *
 * Folded stacks: a line "outermost;…;innermost COUNT" for each stack, the lines sorted by bytes (as
 * LC_ALL=C sort leaves them). The format that flame graph tools have in common; it was introduced
 * by FlameGraph's stackcollapse scripts. */
#ifndef CA_FOLDED_OUTPUT_H
#define CA_FOLDED_OUTPUT_H

#include "flame/stack_tree.h"
#include "interpose/report/record.h"

/* Writes the column's stacks with a count other than 0. `tree`: finished, its frames without ';'
 * and newlines. CA_ERROR_SYSTEM: no memory; then a part may have been written. The caller flushes.
 */
enum ca_status ca_folded_write(const struct ca_stack_tree *tree, enum ca_stack_column column,
                               struct ca_out *out, struct ca_error *err);

#endif
