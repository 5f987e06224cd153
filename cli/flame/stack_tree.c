/* SPDX-License-Identifier: MIT */
#include "flame/stack_tree.h"

#include <stdlib.h>

static size_t slot_of(const struct ca_stack_tree *tree, uint32_t parent, uint32_t name) {
    uint64_t key = ((uint64_t)parent << 32 | name) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(key >> 32) & (tree->slot_count - 1);
}

static bool grow_slots(struct ca_stack_tree *tree) {
    size_t count = tree->slot_count < 256 ? 256 : tree->slot_count * 2;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return false;
    free(tree->slots);
    tree->slots = slots;
    tree->slot_count = count;
    for (uint32_t node = 1; node < tree->node_count; node++) {
        size_t at = slot_of(tree, tree->nodes[node].parent, tree->nodes[node].name);
        while (slots[at] != 0)
            at = (at + 1) & (count - 1);
        slots[at] = node;
    }
    return true;
}

enum ca_status ca_stack_tree_init(struct ca_stack_tree *tree, struct ca_error *err) {
    *tree = (struct ca_stack_tree){0};
    tree->nodes = ca_array_grown(NULL, 0, &tree->node_capacity, sizeof *tree->nodes);
    if (tree->nodes == NULL)
        return ca_error_memory(err);
    tree->nodes[0] = (struct ca_stack_node){0};
    tree->node_count = 1;
    return CA_OK;
}

void ca_stack_tree_release(struct ca_stack_tree *tree) {
    ca_name_table_release(&tree->names);
    free(tree->nodes);
    free(tree->slots);
    free(tree->pushed);
    *tree = (struct ca_stack_tree){0};
}

enum ca_status ca_stack_tree_name(struct ca_stack_tree *tree, const char *bytes, size_t byte_count,
                                  uint32_t *ret_name, struct ca_error *err) {
    if (!ca_name_table_number(&tree->names, bytes, byte_count, ret_name))
        return ca_error_memory(err);
    return CA_OK;
}

enum ca_status ca_stack_tree_child(struct ca_stack_tree *tree, uint32_t parent, uint32_t name,
                                   uint32_t *ret_node, struct ca_error *err) {
    /* Until the tree is finished, first_child is the one asked for last: stacks often come sorted.
     */
    uint32_t last = tree->nodes[parent].first_child;
    if (last != 0 && tree->nodes[last].name == name) {
        *ret_node = last;
        return CA_OK;
    }
    if (tree->node_count * 2 > tree->slot_count && !grow_slots(tree))
        return ca_error_memory(err);
    size_t at = slot_of(tree, parent, name);
    for (uint32_t node; (node = tree->slots[at]) != 0; at = (at + 1) & (tree->slot_count - 1))
        if (tree->nodes[node].parent == parent && tree->nodes[node].name == name) {
            *ret_node = tree->nodes[parent].first_child = node;
            return CA_OK;
        }
    struct ca_stack_node *nodes =
        ca_array_grown(tree->nodes, tree->node_count, &tree->node_capacity, sizeof *nodes);
    if (nodes == NULL || tree->node_count >= UINT32_MAX)
        return ca_error_memory(err);
    tree->nodes = nodes;
    uint32_t depth = nodes[parent].depth + 1;
    if (depth > tree->deepest)
        tree->deepest = depth;
    nodes[tree->node_count] =
        (struct ca_stack_node){.name = name, .parent = parent, .depth = depth};
    *ret_node = tree->slots[at] = nodes[parent].first_child = (uint32_t)tree->node_count++;
    return CA_OK;
}

enum ca_status ca_stack_tree_add(struct ca_stack_tree *tree, uint32_t node,
                                 enum ca_stack_column column, uint64_t count,
                                 struct ca_error *err) {
    if (count > UINT64_MAX - tree->counted[column])
        return ca_error_set(err, CA_ERROR_INPUT, "the counts add up to more than %ju",
                            (uintmax_t)UINT64_MAX);
    tree->counted[column] += count;
    tree->nodes[node].self_count[column] += count;
    return CA_OK;
}

enum ca_status ca_stack_tree_push_names(struct ca_stack_tree *tree, const uint32_t *names,
                                        size_t name_count, enum ca_stack_column column,
                                        uint64_t count, struct ca_error *err) {
    uint32_t node = CA_STACK_ROOT;
    for (size_t i = 0; i < name_count; i++) {
        enum ca_status status = ca_stack_tree_child(tree, node, names[i], &node, err);
        if (status != CA_OK)
            return status;
    }
    return ca_stack_tree_add(tree, node, column, count, err);
}

enum ca_status ca_stack_tree_push(struct ca_stack_tree *tree, const struct ca_frame_name *frames,
                                  size_t frame_count, enum ca_stack_column column, uint64_t count,
                                  struct ca_error *err) {
    for (size_t i = 0; i < frame_count; i++) {
        uint32_t *pushed =
            ca_array_grown(tree->pushed, i, &tree->pushed_capacity, sizeof *tree->pushed);
        if (pushed == NULL)
            return ca_error_memory(err);
        tree->pushed = pushed;
        enum ca_status status =
            ca_stack_tree_name(tree, frames[i].bytes, frames[i].byte_count, &pushed[i], err);
        if (status != CA_OK)
            return status;
    }
    return ca_stack_tree_push_names(tree, tree->pushed, frame_count, column, count, err);
}

enum ca_status ca_stack_tree_merge(struct ca_stack_tree *tree, enum ca_stack_column column,
                                   const struct ca_stack_tree *from, struct ca_error *err) {
    uint32_t *node_of = calloc(from->node_count, sizeof *node_of);
    if (node_of == NULL)
        return ca_error_memory(err);
    enum ca_status status = ca_stack_tree_add(
        tree, CA_STACK_ROOT, column, from->nodes[CA_STACK_ROOT].self_count[CA_STACK_NEW], err);
    for (uint32_t node = 1; status == CA_OK && node < from->node_count; node++) {
        struct ca_frame_name frame = ca_stack_tree_frame(from, node);
        uint32_t name;
        status = ca_stack_tree_name(tree, frame.bytes, frame.byte_count, &name, err);
        if (status == CA_OK)
            status = ca_stack_tree_child(tree, node_of[from->nodes[node].parent], name,
                                         &node_of[node], err);
        if (status == CA_OK)
            status = ca_stack_tree_add(tree, node_of[node], column,
                                       from->nodes[node].self_count[CA_STACK_NEW], err);
    }
    free(node_of);
    return status;
}

/* A child has a larger number than its parent. */
static void sum_up(struct ca_stack_tree *tree) {
    for (size_t i = 0; i < tree->node_count; i++) {
        struct ca_stack_node *node = &tree->nodes[i];
        node->first_child = node->next_sibling = 0;
        for (int column = 0; column < CA_STACK_COLUMNS; column++)
            node->total_count[column] = node->self_count[column];
    }
    for (size_t i = tree->node_count; i-- > 1;)
        for (int column = 0; column < CA_STACK_COLUMNS; column++)
            tree->nodes[tree->nodes[i].parent].total_count[column] +=
                tree->nodes[i].total_count[column];
}

/* Puts the nodes of each name in front of their parents' lists, the last name first: `heads[rank]`
 * chains the nodes of one name through next_sibling. */
static void link_children(struct ca_stack_tree *tree, const uint32_t *ranks, uint32_t *heads) {
    for (uint32_t node = 1; node < tree->node_count; node++) {
        uint32_t *head = &heads[ranks[tree->nodes[node].name]];
        tree->nodes[node].next_sibling = *head;
        *head = node;
    }
    for (size_t rank = tree->names.name_count; rank-- > 0;)
        for (uint32_t node = heads[rank], next; node != 0; node = next) {
            struct ca_stack_node *parent = &tree->nodes[tree->nodes[node].parent];
            next = tree->nodes[node].next_sibling;
            tree->nodes[node].next_sibling = parent->first_child;
            parent->first_child = node;
        }
}

enum ca_status ca_stack_tree_finish(struct ca_stack_tree *tree, struct ca_error *err) {
    uint32_t *ranks;
    if (!ca_name_table_ranks(&tree->names, &ranks))
        return ca_error_memory(err);
    uint32_t *heads = calloc(tree->names.name_count + 1, sizeof *heads);
    if (heads != NULL) {
        sum_up(tree);
        link_children(tree, ranks, heads);
    }
    bool is_done = heads != NULL;
    free(heads);
    free(ranks);
    return is_done ? CA_OK : ca_error_memory(err);
}

struct ca_frame_name ca_stack_tree_frame(const struct ca_stack_tree *tree, uint32_t node) {
    uint32_t name = tree->nodes[node].name;
    return (struct ca_frame_name){ca_name_table_bytes(&tree->names, name),
                                  tree->names.names[name].byte_count};
}

uint32_t ca_stack_tree_next(const struct ca_stack_tree *tree, uint32_t node, bool is_pruned) {
    if (!is_pruned && tree->nodes[node].first_child != 0)
        return tree->nodes[node].first_child;
    while (node != CA_STACK_ROOT && tree->nodes[node].next_sibling == 0)
        node = tree->nodes[node].parent;
    return node == CA_STACK_ROOT ? 0 : tree->nodes[node].next_sibling;
}
