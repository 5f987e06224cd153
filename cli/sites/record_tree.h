/* SPDX-License-Identifier: MIT
 *
 * The call sites of a record as a tree of stacks: what its folded stacks and its flame graphs are
 * made from. A stack begins with its phase and goes on from the outermost function to the one that
 * allocates; inlined functions are frames of their own. Frames that are none:
 *
 *     [no site]         the allocations of a phase that no site has
 *     [cut]             frames that were beyond the depth of the stacks
 *     [anonymous]       code that was made at run time
 *     libx.so+0x1f2b    a place without a symbol
 *
 * A function whose name occurs in several modules has its module's behind it: "init [liba.so]".
 *
 * The counts of the tree add up to the record's total, except those of samples, which are an
 * estimate.
 */
#ifndef CA_RECORD_TREE_H
#define CA_RECORD_TREE_H

#include "flame/stack_tree.h"
#include "interpose/report/record.h"

struct ca_record_tree_options {
    bool is_by_bytes;      /* bytes requested instead of allocations */
    bool is_sampled;       /* from samples; records without sites always are */
    bool is_without_phase; /* stacks begin with the outermost function */
};

/* Adds the record's stacks to column CA_STACK_NEW; the caller finishes the tree. CA_ERROR_INPUT:
 * what is asked for was not measured; `shown` names the record then. */
enum ca_status ca_record_tree_add(struct ca_stack_tree *tree, const struct ca_record *record,
                                  const struct ca_record_tree_options *options, const char *shown,
                                  struct ca_error *err);

/* Whether the counts are an estimate. */
bool ca_record_tree_is_estimate(const struct ca_record *record,
                                const struct ca_record_tree_options *options);

#endif
