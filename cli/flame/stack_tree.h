/* SPDX-License-Identifier: MIT
 *
 * Stacks with counts, added up into a tree: what folded stacks, flame graphs and any other view of
 * call stacks are made from.
 *
 * Push stacks in any order, then finish; afterwards the tree can be walked through its node array.
 * Node 0 is the root above all outermost frames and has no name. A node's parent has the smaller
 * number. Two columns of counts: the stacks of interest and, for comparisons, those of before.
 *
 * Frames are any bytes, the empty name included. Everything is 64-bit; the sum of all counts of a
 * column is kept below 2^64. One thread at a time.
 */
#ifndef CA_STACK_TREE_H
#define CA_STACK_TREE_H

#include "base/error.h"
#include "flame/name_table.h"

#define CA_STACK_ROOT 0u

enum ca_stack_column {
    CA_STACK_NEW,
    CA_STACK_OLD,
    CA_STACK_COLUMNS
};

struct ca_frame_name {
    const char *bytes; /* borrowed */
    size_t byte_count;
};

struct ca_stack_node {
    uint64_t self_count[CA_STACK_COLUMNS];  /* of the stacks that end here */
    uint64_t total_count[CA_STACK_COLUMNS]; /* and of all that pass; valid once finished */
    uint32_t name;                          /* in the tree's table; of the root: none */
    uint32_t parent;
    uint32_t depth;        /* of the root 0 */
    uint32_t first_child;  /* sorted by the bytes of the name; 0: none; valid once finished */
    uint32_t next_sibling; /* likewise */
};

struct ca_stack_tree {
    struct ca_name_table names;
    struct ca_stack_node *nodes; /* node_count elements; at least the root */
    size_t node_count;
    size_t node_capacity;
    uint32_t *slots; /* (parent, name) → node */
    size_t slot_count;
    uint32_t *pushed; /* names of the stack that is being pushed */
    size_t pushed_capacity;
    uint64_t counted[CA_STACK_COLUMNS]; /* the sum of what was pushed */
    uint32_t deepest;                   /* the largest depth */
};

/* CA_ERROR_SYSTEM: no memory; then there is nothing to release. */
enum ca_status ca_stack_tree_init(struct ca_stack_tree *tree, struct ca_error *err);

/* An all-zero tree is fine, too. */
void ca_stack_tree_release(struct ca_stack_tree *tree);

/* Adds `count` to the stack of `frames`: `frame_count` elements, the outermost first; none means
 * the root itself. CA_ERROR_INPUT: the column's sum would pass 2^64 - 1. CA_ERROR_SYSTEM: no
 * memory. The tree is as before the call, but may know more names and nodes with count 0. */
enum ca_status ca_stack_tree_push(struct ca_stack_tree *tree, const struct ca_frame_name *frames,
                                  size_t frame_count, enum ca_stack_column column, uint64_t count,
                                  struct ca_error *err);

/* The same in two steps, for readers whose frames do not stay in memory: first the number of each
 * name, then the stack of `names`, the outermost first. */
enum ca_status ca_stack_tree_name(struct ca_stack_tree *tree, const char *bytes, size_t byte_count,
                                  uint32_t *ret_name, struct ca_error *err);
enum ca_status ca_stack_tree_push_names(struct ca_stack_tree *tree, const uint32_t *names,
                                        size_t name_count, enum ca_stack_column column,
                                        uint64_t count, struct ca_error *err);

/* The child of `parent` called `name`, which is added when it is new; for readers that walk a tree
 * themselves and then add to `self_count` with ca_stack_tree_add. */
enum ca_status ca_stack_tree_child(struct ca_stack_tree *tree, uint32_t parent, uint32_t name,
                                   uint32_t *ret_node, struct ca_error *err);
enum ca_status ca_stack_tree_add(struct ca_stack_tree *tree, uint32_t node,
                                 enum ca_stack_column column, uint64_t count, struct ca_error *err);

/* Adds column CA_STACK_NEW of `from` to a column of `tree`. Errors as for push. */
enum ca_status ca_stack_tree_merge(struct ca_stack_tree *tree, enum ca_stack_column column,
                                   const struct ca_stack_tree *from, struct ca_error *err);

/* Computes totals and the sorted lists of children. May be called again after further pushes.
 * CA_ERROR_SYSTEM: no memory. */
enum ca_status ca_stack_tree_finish(struct ca_stack_tree *tree, struct ca_error *err);

/* The node's name; not of the root. Borrowed until the next push. */
struct ca_frame_name ca_stack_tree_frame(const struct ca_stack_tree *tree, uint32_t node);

/* The node that follows in a walk over the finished tree, parents before children; without the
 * node's children when `is_pruned`. 0: the walk is over. */
uint32_t ca_stack_tree_next(const struct ca_stack_tree *tree, uint32_t node, bool is_pruned);

#endif
