/* SPDX-License-Identifier: MIT
 *
 * Folded stacks: merged, otherwise passed on as they are. Lines that begin with "# " are remarks,
 * as some tools write them in front, and some indent their lines. With a second count in each
 * line, as difffolded.pl writes them, a file is a comparison and no profile. */
#include <inttypes.h>
#include <string.h>

#include "fold/fold.h"

struct tally {
    uint64_t stack_count;
    uint64_t pair_count; /* of stacks that end in a number, too */
    uint64_t pair_line;  /* the first of them */
};

/* The line without "0" behind the point of its count, as in "main;work 12.0". Other fractions do
 * not fit into whole counts. */
static size_t without_zeros(const char *line, size_t byte_count) {
    size_t at = byte_count;
    while (at > 0 && (line[at - 1] == ' ' || line[at - 1] == '\t'))
        at--;
    while (at > 0 && line[at - 1] == '0')
        at--;
    bool is_point = at > 1 && line[at - 1] == '.' && line[at - 2] >= '0' && line[at - 2] <= '9';
    return is_point ? at - 1 : byte_count;
}

/* With any fraction: the reader then says in which line it is. */
static size_t without_fraction(const char *line, size_t byte_count) {
    size_t at = byte_count;
    while (at > 0 && line[at - 1] >= '0' && line[at - 1] <= '9')
        at--;
    return at > 0 && line[at - 1] == '.' ? at - 1 : byte_count;
}

static bool is_like(const char *bytes, size_t byte_count) {
    const char *line;
    size_t length;
    while (ca_fold_peek_line(&bytes, &byte_count, &line, &length)) {
        size_t stack_bytes;
        uint64_t count;
        if (length > 0 && !ca_fold_begins(line, length, "# "))
            return ca_fold_split(line, without_fraction(line, length), &stack_bytes, &count);
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

static enum ca_status take_line(struct ca_line_reader *reader, struct ca_line *line,
                                struct tally *tally, struct ca_stack_tree *tree,
                                struct ca_error *err) {
    size_t stack_bytes, shorter_bytes;
    uint64_t count, first_count;
    char shown[64];
    while (line->byte_count > 0 && (line->bytes[0] == ' ' || line->bytes[0] == '\t')) {
        line->bytes++;
        line->byte_count--;
    }
    if (line->byte_count == 0 || ca_fold_begins(line->bytes, line->byte_count, "# "))
        return CA_OK;
    line->byte_count = without_zeros(line->bytes, line->byte_count);
    if (!ca_fold_split(line->bytes, line->byte_count, &stack_bytes, &count))
        return ca_line_error(reader, err,
                             "expected a stack, a blank and a whole number ('main;work 12'), "
                             "found '%s'",
                             ca_line_shown(line, shown));
    tally->stack_count++;
    if (ca_fold_split(line->bytes, stack_bytes, &shorter_bytes, &first_count) &&
        tally->pair_count++ == 0)
        tally->pair_line = line->number;
    enum ca_status status = push(tree, line->bytes, stack_bytes, count, err);
    if (status == CA_ERROR_INPUT)
        return ca_line_error(reader, err, "with this line the counts pass 64 bits");
    return status;
}

/* A name may end in a number, but not each of them does. */
static enum ca_status judge(const struct ca_line_reader *reader, const struct tally *tally,
                            struct ca_fold_notes *notes, struct ca_error *err) {
    if (tally->pair_count == 0)
        return CA_OK;
    if (tally->pair_count == tally->stack_count)
        return ca_error_set(err, CA_ERROR_INPUT,
                            "%s:%" PRIu64 ": expected one count behind each stack, found two: a "
                            "comparison of two profiles; 'countalloc flamegraph --diff' makes one "
                            "of the profiles themselves",
                            reader->shown, tally->pair_line);
    ca_fold_note(notes,
                 "%.200s:%" PRIu64 ": a stack ends in a number in front of its count, which is "
                 "taken for a part of the name (stacks like this one: %" PRIu64 ")",
                 reader->shown, tally->pair_line, tally->pair_count);
    return CA_OK;
}

static enum ca_status read_folded(struct ca_line_reader *reader,
                                  const struct ca_fold_options *options, struct ca_stack_tree *tree,
                                  struct ca_fold_notes *notes, struct ca_error *err) {
    (void)options;
    struct ca_line line;
    struct tally tally = {0};
    bool is_end;
    enum ca_status status;
    while ((status = ca_line_reader_next(reader, &line, &is_end, err)) == CA_OK && !is_end) {
        status = take_line(reader, &line, &tally, tree, err);
        if (status != CA_OK)
            return status;
    }
    return status == CA_OK ? judge(reader, &tally, notes, err) : status;
}

const struct ca_fold_kind ca_fold_folded = {
    .name = "folded",
    .shown = "folded stacks",
    .is_like = is_like,
    .read = read_folded,
};
