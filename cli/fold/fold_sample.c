/* SPDX-License-Identifier: MIT
 *
 * Reports of sample(1) on macOS: a tree of calls, each line "COUNT name  (in file) + offset
 * [address]" behind an indentation in which "+ ! : |" are guides for the eye. The counts of a
 * line's children are part of its own; the rest is what it spent itself. Roots are threads.
 * Reports are passed on in issues and mails: other text may stand around one, all of it may be
 * indented, and there may be several, which are added up. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fold/fold.h"
#include "fold/frame_label.h"

/* A line whose children are being read. */
struct call {
    size_t column; /* where its count begins */
    uint32_t node;
    uint64_t left_count; /* what no child has taken */
    uint64_t count;
    uint64_t line_number;
};

struct walk {
    struct ca_line_reader *reader;
    struct ca_stack_tree *tree;
    struct ca_error *err;
    struct ca_byte_buffer label;
    struct call *calls;   /* from the thread to the line read last */
    uint64_t thread_line; /* of the first root that is called a thread, or 0 */
    size_t call_count;
    size_t call_capacity;
};

enum place {
    BEFORE_GRAPH,
    IN_GRAPH,
    BEHIND_GRAPH
};

struct parsed {
    size_t column;
    uint64_t count;
    const char *text; /* behind the count */
    size_t byte_count;
};

static const char graph_begin[] = "Call graph:";

static bool begins_indented(const char *line, size_t byte_count, const char *text) {
    size_t at = 0;
    while (at < byte_count && (line[at] == ' ' || line[at] == '\t'))
        at++;
    return ca_fold_begins(line + at, byte_count - at, text);
}

static bool is_like(const char *bytes, size_t byte_count) {
    const char *line;
    size_t length;
    while (ca_fold_peek_line(&bytes, &byte_count, &line, &length))
        if (begins_indented(line, length, graph_begin) ||
            begins_indented(line, length, "Analysis of sampling "))
            return true;
    return false;
}

static bool is_blank(const struct ca_line *line) {
    for (size_t i = 0; i < line->byte_count; i++)
        if (line->bytes[i] != ' ' && line->bytes[i] != '\t')
            return false;
    return true;
}

/* The sections behind the graph. */
static bool is_graph_end(const struct ca_line *line) {
    static const char *const begins[] = {"Total number in stack", "Sort by top of stack",
                                         "Binary Images", "Binary images", "Sample analysis"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (begins_indented(line->bytes, line->byte_count, begins[i]))
            return true;
    return false;
}

/* The fence behind a piece of a report in Markdown. */
static bool is_fence(const struct ca_line *line) {
    return begins_indented(line->bytes, line->byte_count, "```") ||
           begins_indented(line->bytes, line->byte_count, "~~~");
}

static bool parse(const struct ca_line *line, struct parsed *parsed) {
    size_t at = 0;
    while (at < line->byte_count && memchr(" +!:|\t", line->bytes[at], 6) != NULL)
        at++;
    parsed->column = at;
    size_t digits = ca_fold_digits(line->bytes + at, line->byte_count - at, &parsed->count);
    at += digits;
    if (digits == 0 || at >= line->byte_count || line->bytes[at] != ' ')
        return false;
    while (at < line->byte_count && line->bytes[at] == ' ')
        at++;
    parsed->text = line->bytes + at;
    parsed->byte_count = line->byte_count - at;
    return parsed->byte_count > 0;
}

/* Where the last `part` begins in the text; `count` when it does not occur. */
static size_t last_of(const char *text, size_t count, const char *part) {
    size_t length = strlen(part);
    for (size_t at = count; at-- > 0;)
        if (at + length <= count && memcmp(text + at, part, length) == 0)
            return at;
    return count;
}

/* The length of a file's name that a ')' ends: "Browser Helper (GPU)) + 8" has one of its own. */
static size_t file_length(const char *text, size_t count) {
    size_t depth = 1;
    for (size_t i = 0; i < count; i++) {
        depth += text[i] == '(';
        if (text[i] == ')' && --depth == 0)
            return i;
    }
    return 0;
}

/* "Thread_12   DispatchQueue_1: com.apple.main-thread  (serial)" with single blanks. */
static bool label_thread(struct ca_byte_buffer *label, const struct parsed *parsed) {
    if (!ca_frame_label(label, parsed->text, parsed->byte_count))
        return false;
    size_t to = 0;
    for (size_t i = 0; i < label->byte_count; i++)
        if (label->bytes[i] != ' ' || (to > 0 && label->bytes[to - 1] != ' '))
            label->bytes[to++] = label->bytes[i];
    label->byte_count = to;
    return true;
}

static bool label_call(struct ca_byte_buffer *label, const struct parsed *parsed) {
    const char *text = parsed->text;
    size_t count = parsed->byte_count;
    size_t in = last_of(text, count, "  (in ");
    in = in < count ? in : last_of(text, count, " (in ");
    /* A function without a file: only the address is left to cut. */
    size_t name_end = in < count ? in : last_of(text, count, "  [0x");
    bool is_nameless = name_end >= 3 && memcmp(text, "???", 3) == 0;
    if (!is_nameless)
        return ca_frame_label(label, text, name_end);
    size_t file = in < count ? in + strspn(text + in, " ") + strlen("(in ") : count;
    return ca_frame_label_of_file(label, text + file, file_length(text + file, count - file));
}

/* What the children left over, is the call's own. */
static enum ca_status close_calls(struct walk *walk, size_t keep_count) {
    while (walk->call_count > keep_count) {
        const struct call *call = &walk->calls[--walk->call_count];
        enum ca_status status =
            ca_stack_tree_add(walk->tree, call->node, CA_STACK_NEW, call->left_count, walk->err);
        if (status == CA_ERROR_INPUT)
            return ca_line_error(walk->reader, walk->err, "the counts pass 64 bits");
        if (status != CA_OK)
            return status;
    }
    return CA_OK;
}

static enum ca_status open_call(struct walk *walk, const struct parsed *parsed) {
    bool is_thread = walk->call_count == 0;
    struct call *calls =
        ca_array_grown(walk->calls, walk->call_count, &walk->call_capacity, sizeof *calls);
    bool is_labelled =
        is_thread ? label_thread(&walk->label, parsed) : label_call(&walk->label, parsed);
    if (calls == NULL || !is_labelled)
        return ca_error_memory(walk->err);
    walk->calls = calls;
    struct call call = {.column = parsed->column,
                        .left_count = parsed->count,
                        .count = parsed->count,
                        .line_number = walk->reader->line_number};
    uint32_t parent = is_thread ? CA_STACK_ROOT : calls[walk->call_count - 1].node;
    uint32_t name;
    enum ca_status status =
        ca_stack_tree_name(walk->tree, walk->label.bytes, walk->label.byte_count, &name, walk->err);
    if (status == CA_OK)
        status = ca_stack_tree_child(walk->tree, parent, name, &call.node, walk->err);
    calls[walk->call_count++] = call;
    return status;
}

/* False where the roots so far were threads and this is none: the indentation was lost on the way,
 * and each call would count as a thread. */
static bool note_root(struct walk *walk, const struct parsed *parsed) {
    bool is_thread = ca_fold_begins(parsed->text, parsed->byte_count, "Thread");
    if (is_thread && walk->thread_line == 0)
        walk->thread_line = walk->reader->line_number;
    return is_thread || walk->thread_line == 0;
}

static enum ca_status take_line(struct walk *walk, const struct ca_line *line) {
    struct parsed parsed;
    char shown[64];
    if (!parse(line, &parsed))
        return ca_line_error(walk->reader, walk->err,
                             "expected a call ('    + 12 main  (in app) + 41  [0x…]'), found '%s'",
                             ca_line_shown(line, shown));
    size_t keep_count = walk->call_count;
    while (keep_count > 0 && walk->calls[keep_count - 1].column >= parsed.column)
        keep_count--;
    bool is_sibling =
        keep_count < walk->call_count && walk->calls[keep_count].column == parsed.column;
    if (keep_count < walk->call_count && !is_sibling)
        return ca_line_error(
            walk->reader, walk->err,
            "expected the indentation of one of the calls above, found %zu columns", parsed.column);
    enum ca_status status = close_calls(walk, keep_count);
    if (status != CA_OK)
        return status;
    if (keep_count == 0 && !note_root(walk, &parsed))
        return ca_line_error(walk->reader, walk->err,
                             "expected a thread as in line %" PRIu64 ", or a call behind the "
                             "indentation that the report had, found '%s'",
                             walk->thread_line, ca_line_shown(line, shown));
    struct call *parent = keep_count > 0 ? &walk->calls[keep_count - 1] : NULL;
    if (parent != NULL && parsed.count > parent->left_count)
        return ca_line_error(walk->reader, walk->err,
                             "expected calls that add up to no more than the %" PRIu64
                             " samples of their caller in line %" PRIu64 ", found %" PRIu64
                             " too many",
                             parent->count, parent->line_number, parsed.count - parent->left_count);
    if (parent != NULL)
        parent->left_count -= parsed.count;
    return open_call(walk, &parsed);
}

static void note_cut(const struct walk *walk, uint64_t line_number, struct ca_fold_notes *notes) {
    ca_fold_note(notes,
                 "%.200s:%" PRIu64 ": the report ends in its call graph: what is missing counts "
                 "for the callers",
                 walk->reader->shown, line_number);
}

/* A line in a call graph; `*ret_place` says where the next one is. */
static enum ca_status take_graph_line(struct walk *walk, const struct ca_line *line,
                                      struct ca_fold_notes *notes, enum place *ret_place) {
    struct parsed parsed;
    bool is_end = is_graph_end(line), is_pasted_end = !is_end && is_fence(line);
    if (is_pasted_end)
        note_cut(walk, line->number, notes);
    if (is_end || is_pasted_end) {
        *ret_place = BEHIND_GRAPH;
        walk->thread_line = 0;
        return close_calls(walk, 0);
    }
    bool is_cut = !line->is_whole && !parse(line, &parsed);
    return is_cut || is_blank(line) ? CA_OK : take_line(walk, line);
}

static enum ca_status walk_lines(struct walk *walk, struct ca_fold_notes *notes) {
    struct ca_line line;
    bool is_end;
    enum place place = BEFORE_GRAPH;
    enum ca_status status;
    while ((status = ca_line_reader_next(walk->reader, &line, &is_end, walk->err)) == CA_OK &&
           !is_end) {
        if (place == IN_GRAPH)
            status = take_graph_line(walk, &line, notes, &place);
        else if (begins_indented(line.bytes, line.byte_count, graph_begin))
            place = IN_GRAPH;
        if (status != CA_OK)
            return status;
    }
    if (status == CA_OK)
        status = close_calls(walk, 0);
    if (status == CA_OK && place == BEFORE_GRAPH)
        return ca_error_set(walk->err, CA_ERROR_INPUT,
                            "%s:%" PRIu64 ": expected a line '%s', found the end",
                            walk->reader->shown, walk->reader->line_number, graph_begin);
    if (status == CA_OK && place == IN_GRAPH)
        note_cut(walk, walk->reader->line_number, notes);
    return status;
}

static enum ca_status read_sample(struct ca_line_reader *reader,
                                  const struct ca_fold_options *options, struct ca_stack_tree *tree,
                                  struct ca_fold_notes *notes, struct ca_error *err) {
    (void)options;
    struct walk walk = {.reader = reader, .tree = tree, .err = err};
    enum ca_status status = walk_lines(&walk, notes);
    ca_byte_buffer_release(&walk.label);
    free(walk.calls);
    return status;
}

const struct ca_fold_kind ca_fold_sample = {
    .name = "sample",
    .shown = "a sample report",
    .is_like = is_like,
    .read = read_sample,
};
