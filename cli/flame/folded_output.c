/* SPDX-License-Identifier: MIT */
#include "flame/folded_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What follows a stack so far: a node's own line ("name COUNT"), or all lines below it ("name;").
 * No name has a ';', so no other line sorts in between the latter. */
struct entry {
    struct ca_frame_name name;
    uint32_t node;
    char suffix[22];
};

/* The entries below one node. */
struct level {
    struct entry *entries; /* entry_count elements, sorted */
    size_t entry_count;
    size_t at;           /* the next one */
    size_t prefix_bytes; /* of the path that leads here */
};

static int by_line(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    size_t a_suffix = strlen(a->suffix), b_suffix = strlen(b->suffix);
    size_t a_count = a->name.byte_count + a_suffix, b_count = b->name.byte_count + b_suffix;
    size_t common =
        a->name.byte_count < b->name.byte_count ? a->name.byte_count : b->name.byte_count;
    int order = common > 0 ? memcmp(a->name.bytes, b->name.bytes, common) : 0;
    for (size_t i = common; order == 0 && i < a_count && i < b_count; i++) {
        char x = i < a->name.byte_count ? a->name.bytes[i] : a->suffix[i - a->name.byte_count];
        char y = i < b->name.byte_count ? b->name.bytes[i] : b->suffix[i - b->name.byte_count];
        order = ((unsigned char)x > (unsigned char)y) - ((unsigned char)x < (unsigned char)y);
    }
    return order != 0 ? order : (a_count > b_count) - (a_count < b_count);
}

static bool open_level(const struct ca_stack_tree *tree, uint32_t parent,
                       enum ca_stack_column column, size_t prefix_bytes, struct level *level) {
    size_t child_count = 0;
    for (uint32_t node = tree->nodes[parent].first_child; node != 0;
         node = tree->nodes[node].next_sibling)
        child_count++;
    *level = (struct level){.prefix_bytes = prefix_bytes};
    level->entries = malloc((2 * child_count + 1) * sizeof *level->entries);
    if (level->entries == NULL)
        return false;
    for (uint32_t node = tree->nodes[parent].first_child; node != 0;
         node = tree->nodes[node].next_sibling) {
        const struct ca_stack_node *child = &tree->nodes[node];
        struct entry entry = {.name = ca_stack_tree_frame(tree, node), .node = node};
        if (child->self_count[column] > 0) {
            snprintf(entry.suffix, sizeof entry.suffix, " %" PRIu64, child->self_count[column]);
            level->entries[level->entry_count++] = entry;
        }
        if (child->total_count[column] > child->self_count[column]) {
            memcpy(entry.suffix, ";", 2);
            level->entries[level->entry_count++] = entry;
        }
    }
    qsort(level->entries, level->entry_count, sizeof *level->entries, by_line);
    return true;
}

static void write_line(const struct ca_byte_buffer *prefix, const struct entry *entry,
                       struct ca_out *out) {
    ca_out_bytes(out, prefix->bytes, prefix->byte_count);
    ca_out_bytes(out, entry->name.bytes, entry->name.byte_count);
    ca_out_text(out, entry->suffix);
    ca_out_text(out, "\n");
}

enum ca_status ca_folded_write(const struct ca_stack_tree *tree, enum ca_stack_column column,
                               struct ca_out *out, struct ca_error *err) {
    struct level *levels = calloc((size_t)tree->deepest + 1, sizeof *levels);
    struct ca_byte_buffer prefix = {0};
    size_t level_count = 1;
    bool is_ok = levels != NULL && open_level(tree, CA_STACK_ROOT, column, 0, &levels[0]);
    while (is_ok && level_count > 0) {
        struct level *level = &levels[level_count - 1];
        prefix.byte_count = level->prefix_bytes;
        if (level->at == level->entry_count) {
            free(level->entries);
            level->entries = NULL;
            level_count--;
            continue;
        }
        const struct entry *entry = &level->entries[level->at++];
        if (entry->suffix[0] != ';')
            write_line(&prefix, entry, out);
        else
            is_ok =
                ca_byte_buffer_add(&prefix, entry->name.bytes, entry->name.byte_count) &&
                ca_byte_buffer_add(&prefix, ";", 1) &&
                open_level(tree, entry->node, column, prefix.byte_count, &levels[level_count++]);
    }
    for (size_t i = 0; levels != NULL && i <= tree->deepest; i++)
        free(levels[i].entries);
    free(levels);
    ca_byte_buffer_release(&prefix);
    return is_ok ? CA_OK : ca_error_memory(err);
}
