/* SPDX-License-Identifier: MIT
 *
 * Records of `countalloc run`. Their sites will become stacks here; a record has none yet. */
#include "fold/fold.h"

static bool is_like(const char *bytes, size_t byte_count) {
    for (size_t i = 0; i < byte_count; i++)
        if (bytes[i] != ' ' && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\t')
            return bytes[i] == '{';
    return false;
}

static enum ca_status read_record(struct ca_line_reader *reader,
                                  const struct ca_fold_options *options, struct ca_stack_tree *tree,
                                  struct ca_fold_notes *notes, struct ca_error *err) {
    (void)options;
    (void)tree;
    (void)notes;
    return ca_error_set(err, CA_ERROR_INPUT,
                        "'%s' looks like a record, and records of this version have no call "
                        "stacks: use 'countalloc report' for its phases and threads",
                        reader->shown);
}

const struct ca_fold_kind ca_fold_record = {
    .name = "record",
    .shown = "a record",
    .is_like = is_like,
    .read = read_record,
};
