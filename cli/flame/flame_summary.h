/* SPDX-License-Identifier: MIT
 *
 * What a flame graph says in a sentence. */
#ifndef CA_FLAME_SUMMARY_H
#define CA_FLAME_SUMMARY_H

#include "flame/stack_tree.h"

struct ca_flame_heaviest {
    uint32_t name; /* in the tree's table */
    uint64_t self_count;
};

/* The functions with the largest counts of their own, wherever they are called from, in column
 * CA_STACK_NEW: at most `capacity`, the largest first. Returns how many; 0 also without memory. */
size_t ca_flame_heaviest(const struct ca_stack_tree *tree, struct ca_flame_heaviest *ret_heaviest,
                         size_t capacity);

#endif
