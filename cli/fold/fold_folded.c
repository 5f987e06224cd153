/* SPDX-License-Identifier: MIT
 *
 * Folded stacks: merged, otherwise passed on as they are. Lines that begin with "# " are remarks,
 * as some tools write them in front. */
#include <string.h>

#include "fold/fold.h"

static bool is_like(const char *bytes, size_t byte_count) {
    const char *line;
    size_t length;
    while (ca_fold_peek_line(&bytes, &byte_count, &line, &length)) {
        size_t stack_bytes;
        uint64_t count;
        if (length > 0 && !ca_fold_begins(line, length, "# "))
            return ca_fold_split(line, length, &stack_bytes, &count);
    }
    return false;
}

/* Frames are what lies between the ';'. */
static enum ca_status push(struct ca_stack_tree *tree, const char *stack, size_t byte_count,
                           uint64_t count, struct ca_error *err) {
    uint32_t node = CA_STACK_ROOT;
    for (const char *end = stack + byte_count, *next; stack <= end; stack = next + 1) {
        next = memchr(stack, ';', (size_t)(end - stack));
        if (next == NULL)
            next = end;
        uint32_t name;
        enum ca_status status = ca_stack_tree_name(tree, stack, (size_t)(next - stack), &name, err);
        if (status == CA_OK)
            status = ca_stack_tree_child(tree, node, name, &node, err);
        if (status != CA_OK)
            return status;
    }
    return ca_stack_tree_add(tree, node, CA_STACK_NEW, count, err);
}

static enum ca_status read_folded(struct ca_line_reader *reader,
                                  const struct ca_fold_options *options, struct ca_stack_tree *tree,
                                  struct ca_fold_notes *notes, struct ca_error *err) {
    (void)options;
    (void)notes;
    struct ca_line line;
    bool is_end;
    enum ca_status status;
    while ((status = ca_line_reader_next(reader, &line, &is_end, err)) == CA_OK && !is_end) {
        size_t stack_bytes;
        uint64_t count;
        char shown[64];
        if (line.byte_count == 0 || ca_fold_begins(line.bytes, line.byte_count, "# "))
            continue;
        if (!ca_fold_split(line.bytes, line.byte_count, &stack_bytes, &count))
            return ca_line_error(reader, err,
                                 "expected a stack, a blank and a whole number ('main;work 12'), "
                                 "found '%s'",
                                 ca_line_shown(&line, shown));
        status = push(tree, line.bytes, stack_bytes, count, err);
        if (status == CA_ERROR_INPUT)
            return ca_line_error(reader, err, "with this line the counts pass 64 bits");
        if (status != CA_OK)
            return status;
    }
    return status;
}

const struct ca_fold_kind ca_fold_folded = {
    .name = "folded",
    .shown = "folded stacks",
    .is_like = is_like,
    .read = read_folded,
};
