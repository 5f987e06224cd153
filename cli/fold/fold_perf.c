/* SPDX-License-Identifier: MIT
 *
 * perf script: samples, a line with the event and one for each frame, the innermost first, up to an
 * empty line; or all in one line for samples without call chains. A stack begins with its thread's
 * name; kernel functions end in "_[k]", as in FlameGraph and inferno. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/fold.h"
#include "fold/frame_label.h"
#include "fold/perf_line.h"

#define EVENT_NAMES 16 /* that a warning can name */

/* The labels of symbols seen before: demangling costs more than everything else here. */
struct known_symbols {
    struct ca_name_table symbols;
    uint32_t *labels; /* of each symbol its name in the tree */
    size_t capacity;
};

struct walk {
    struct ca_line_reader *reader;
    const struct ca_fold_options *options;
    struct ca_stack_tree *tree;
    struct ca_error *err;
    struct ca_byte_buffer label;
    uint32_t *frames; /* frame_count names, the innermost first */
    size_t frame_count;
    size_t frame_capacity;
    struct known_symbols known[2]; /* of programs, of the kernel */
    uint32_t thread;               /* the name */
    bool is_open;                  /* in a sample */
    bool is_wanted;                /* it is of the event that was asked for */
    bool is_one_line;              /* it came with its only frame */
    uint64_t weight;
    struct ca_name_table events;
    uint64_t event_counts[EVENT_NAMES];
    bool is_any_taken;
    uint64_t trace_error_count; /* of Intel PT: something was lost there */
};

static bool is_trace_error(const char *line, size_t byte_count) {
    return ca_fold_begins(line, byte_count, " instruction trace error type ");
}

static bool is_like(const char *bytes, size_t byte_count) {
    const char *line;
    size_t length;
    struct ca_perf_event event;
    while (ca_fold_peek_line(&bytes, &byte_count, &line, &length))
        if (length > 0 && line[0] != '#' && !is_trace_error(line, length))
            return ca_perf_event_parse(line, length, &event);
    return false;
}

/* "cycles" also means "cycles:u" and "cpu_core/cycles/". */
static bool is_event(struct ca_perf_text event, const char *wanted) {
    size_t length = strlen(wanted);
    if (event.byte_count >= length && memcmp(event.bytes, wanted, length) == 0 &&
        (event.byte_count == length || event.bytes[length] == ':'))
        return true;
    const char *slash = memchr(event.bytes, '/', event.byte_count);
    if (slash == NULL)
        return false;
    size_t rest = event.byte_count - (size_t)(slash + 1 - event.bytes);
    return rest > length && memcmp(slash + 1, wanted, length) == 0 && slash[1 + length] == '/';
}

static enum ca_status close_sample(struct walk *walk) {
    bool is_taken = walk->is_open && walk->is_wanted;
    walk->is_open = false;
    if (!is_taken)
        return CA_OK;
    uint32_t *frames = walk->frames;
    for (size_t i = 0, k = walk->frame_count; i + 1 < k--; i++) {
        uint32_t kept = frames[i];
        frames[i] = frames[k];
        frames[k] = kept;
    }
    uint32_t node;
    enum ca_status status =
        ca_stack_tree_child(walk->tree, CA_STACK_ROOT, walk->thread, &node, walk->err);
    for (size_t i = 0; status == CA_OK && i < walk->frame_count; i++)
        status = ca_stack_tree_child(walk->tree, node, frames[i], &node, walk->err);
    if (status == CA_OK)
        status = ca_stack_tree_add(walk->tree, node, CA_STACK_NEW, walk->weight, walk->err);
    if (status == CA_ERROR_INPUT)
        return ca_line_error(walk->reader, walk->err, "with this sample the counts pass 64 bits");
    walk->is_any_taken = true;
    return status;
}

static enum ca_status add_frame(struct walk *walk, uint32_t name) {
    uint32_t *frames =
        ca_array_grown(walk->frames, walk->frame_count, &walk->frame_capacity, sizeof *frames);
    if (frames == NULL)
        return ca_error_memory(walk->err);
    walk->frames = frames;
    frames[walk->frame_count++] = name;
    return CA_OK;
}

/* Adds what stands in walk->label. */
static enum ca_status add_label(struct walk *walk, bool is_kernel, uint32_t *ret_name) {
    if (is_kernel && !ca_byte_buffer_add(&walk->label, "_[k]", 4))
        return ca_error_memory(walk->err);
    enum ca_status status = ca_stack_tree_name(walk->tree, walk->label.bytes,
                                               walk->label.byte_count, ret_name, walk->err);
    return status == CA_OK ? add_frame(walk, *ret_name) : status;
}

static enum ca_status add_symbol(struct walk *walk, const char *symbol, size_t byte_count,
                                 bool is_kernel) {
    struct known_symbols *known = &walk->known[is_kernel];
    size_t known_count = known->symbols.name_count;
    uint32_t number;
    uint32_t *labels = ca_array_grown(known->labels, known_count, &known->capacity, sizeof *labels);
    if (labels == NULL)
        return ca_error_memory(walk->err);
    known->labels = labels;
    if (!ca_name_table_number(&known->symbols, symbol, byte_count, &number))
        return ca_error_memory(walk->err);
    if (number < known_count)
        return add_frame(walk, labels[number]);
    if (!ca_frame_label(&walk->label, symbol, byte_count))
        return ca_error_memory(walk->err);
    return add_label(walk, is_kernel, &labels[number]);
}

/* Java's perf-map-agent writes inlined methods as "outer->inner". */
static enum ca_status add_jit(struct walk *walk, struct ca_perf_text symbol) {
    const char *end = symbol.bytes + symbol.byte_count;
    for (const char *at = end; at > symbol.bytes; at--)
        if (at[-1] == '>' && at - 1 > symbol.bytes && at[-2] == '-') {
            enum ca_status status = add_symbol(walk, at, (size_t)(end - at), false);
            if (status != CA_OK)
                return status;
            at--;
            end = at - 1;
        }
    return add_symbol(walk, symbol.bytes, (size_t)(end - symbol.bytes), false);
}

static enum ca_status take_frame(struct walk *walk, const struct ca_perf_frame *frame) {
    /* Where a dumped stack ends before its outermost function, perf puts an address of all ones:
     * no frame, and none of the kernel's. */
    if (!walk->is_wanted || frame->address == UINT64_MAX)
        return CA_OK;
    bool is_kernel = ca_perf_frame_is_kernel(frame);
    struct ca_perf_text symbol = frame->symbol, file = frame->file;
    bool is_named = symbol.byte_count > 0 &&
                    !(symbol.byte_count == 9 && memcmp(symbol.bytes, "[unknown]", 9) == 0);
    if (is_named && frame->has_file && ca_fold_begins(file.bytes, file.byte_count, "/tmp/perf-"))
        return add_jit(walk, symbol);
    if (is_named)
        return add_symbol(walk, symbol.bytes, symbol.byte_count, is_kernel);
    uint32_t name;
    if (!ca_frame_label_of_file(&walk->label, file.bytes, file.byte_count))
        return ca_error_memory(walk->err);
    return add_label(walk, is_kernel, &name);
}

static enum ca_status note_event(struct walk *walk, struct ca_perf_text event) {
    uint32_t number;
    if (!ca_name_table_number(&walk->events, event.bytes, event.byte_count, &number))
        return ca_error_memory(walk->err);
    if (number < EVENT_NAMES)
        walk->event_counts[number]++;
    return CA_OK;
}

static enum ca_status open_sample(struct walk *walk, const struct ca_perf_event *event) {
    const struct ca_fold_options *options = walk->options;
    walk->frame_count = 0;
    /* --show-mmap-events and its like: no samples. */
    walk->is_open = !ca_fold_begins(event->event.bytes, event->event.byte_count, "PERF_RECORD_");
    walk->is_one_line = false;
    walk->weight = 1;
    if (!walk->is_open)
        return CA_OK;
    enum ca_status status = note_event(walk, event->event);
    walk->is_wanted = options->event == NULL || is_event(event->event, options->event);
    if (status != CA_OK || !walk->is_wanted)
        return status;
    if (options->is_by_period && !event->has_period)
        return ca_line_error(walk->reader, walk->err,
                             "this sample has no period; write it with "
                             "'perf script -F comm,tid,time,period,event,ip,sym,dso'");
    if (options->is_by_period)
        walk->weight = event->period;
    if (!ca_frame_label_of_thread(&walk->label, event->thread.bytes, event->thread.byte_count))
        return ca_error_memory(walk->err);
    status = ca_stack_tree_name(walk->tree, walk->label.bytes, walk->label.byte_count,
                                &walk->thread, walk->err);
    struct ca_perf_frame frame;
    if (status != CA_OK || event->rest.byte_count == 0 ||
        !ca_perf_frame_parse(event->rest.bytes, event->rest.byte_count, &frame) || !frame.has_file)
        return status;
    walk->is_one_line = true;
    return take_frame(walk, &frame);
}

/* What more fields put under a frame or a stack: +srcline "  file.c:12" or "  libc.so.6[27b25]",
 * +uregs " ABI:2    AX:0x7f", +insnlen " ilen: 2", +brstack " 0x401136/0x401140/P/-/-/0". */
static bool is_further_field(const struct walk *walk, const struct ca_line *line) {
    const char *bytes = line->bytes;
    size_t count = line->byte_count;
    if (!walk->is_open || count < 3 || bytes[0] != ' ')
        return false;
    bool has_mark = memchr(bytes, ':', count) != NULL || memchr(bytes, '[', count) != NULL;
    return bytes[1] != ' ' ? has_mark || memchr(bytes, '/', count) != NULL
                           : bytes[2] != ' ' && has_mark;
}

static enum ca_status take_line(struct walk *walk, const struct ca_line *line) {
    struct ca_perf_event event;
    struct ca_perf_frame frame;
    char shown[64];
    bool is_indented = line->bytes[0] == ' ' || line->bytes[0] == '\t';
    /* A thread may be called "dd": an address, too. In a sample, frames come first, except where
     * the samples have no empty lines between them. */
    bool is_event_first =
        !walk->is_open || walk->is_one_line || (!is_indented && walk->frame_count == 0);
    /* A time says that it is a sample, wherever it stands. */
    bool is_tried = is_event_first || ca_perf_line_may_have_time(line->bytes, line->byte_count);
    bool is_new = is_tried && ca_perf_event_parse(line->bytes, line->byte_count, &event) &&
                  (is_event_first || event.has_time);
    if (!is_new && walk->is_open && ca_perf_frame_parse(line->bytes, line->byte_count, &frame))
        return take_frame(walk, &frame);
    if (!is_new && !is_event_first)
        is_new = ca_perf_event_parse(line->bytes, line->byte_count, &event);
    if (is_new) {
        enum ca_status status = close_sample(walk);
        return status == CA_OK ? open_sample(walk, &event) : status;
    }
    if (is_further_field(walk, line))
        return CA_OK;
    return ca_line_error(walk->reader, walk->err, "expected %s, found '%s'",
                         walk->is_open
                             ? "a frame ('55d0c1 main+0x1f (/usr/bin/app)') or an empty line"
                             : "a sample ('app 1234 [000] 12.345: 1 cycles:')",
                         ca_line_shown(line, shown));
}

/* A line that the file's end has cut: its sample has lost its outer frames. */
static bool is_cut(const struct walk *walk, const struct ca_line *line) {
    struct ca_perf_frame frame;
    if (line->is_whole || line->byte_count == 0)
        return false;
    return !walk->is_open || !ca_perf_frame_parse(line->bytes, line->byte_count, &frame) ||
           line->bytes[line->byte_count - 1] != ')';
}

static enum ca_status walk_lines(struct walk *walk, struct ca_fold_notes *notes) {
    struct ca_line line;
    bool is_end;
    enum ca_status status;
    while ((status = ca_line_reader_next(walk->reader, &line, &is_end, walk->err)) == CA_OK &&
           !is_end) {
        if (line.byte_count > 0 && line.bytes[0] == '#')
            continue;
        if (is_cut(walk, &line) && !walk->is_one_line) {
            ca_fold_note(notes,
                         "%.200s:%" PRIu64 ": the file ends inside a sample, which is left out",
                         walk->reader->shown, line.number);
            walk->is_open = false;
            continue;
        }
        if (is_trace_error(line.bytes, line.byte_count)) {
            walk->trace_error_count++;
            continue;
        }
        status = line.byte_count == 0 ? close_sample(walk) : take_line(walk, &line);
        if (status != CA_OK)
            return status;
    }
    return status == CA_OK ? close_sample(walk) : status;
}

/* "cycles (12), instructions (7)" */
static const char *list_events(const struct walk *walk, char *text, size_t text_bytes) {
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < walk->events.name_count && i < EVENT_NAMES && length < text_bytes; i++)
        length += (size_t)snprintf(text + length, text_bytes - length, "%s%.*s (%" PRIu64 ")",
                                   i == 0 ? "" : ", ", (int)walk->events.names[i].byte_count,
                                   ca_name_table_bytes(&walk->events, i), walk->event_counts[i]);
    return text;
}

static void note_trace_errors(const struct walk *walk, struct ca_fold_notes *notes) {
    if (walk->trace_error_count > 0)
        ca_fold_note(
            notes, "%.200s: %" PRIu64 " instruction trace error%s: samples are missing there",
            walk->reader->shown, walk->trace_error_count, walk->trace_error_count == 1 ? "" : "s");
}

static enum ca_status judge_events(const struct walk *walk, struct ca_fold_notes *notes) {
    char known[384];
    const struct ca_fold_options *options = walk->options;
    if (options->event != NULL && !walk->is_any_taken && walk->events.name_count > 0)
        return ca_error_set(walk->err, CA_ERROR_INPUT,
                            "'%s' has no samples of event '%s'; its events, with their samples: %s",
                            walk->reader->shown, options->event,
                            list_events(walk, known, sizeof known));
    if (options->event == NULL && walk->events.name_count > 1)
        ca_fold_note(
            notes, "samples of %zu events are added up: %s; '--event NAME' takes one of them%s",
            walk->events.name_count, list_events(walk, known, sizeof known),
            options->is_by_period ? " (the sum of periods of different events means nothing)" : "");
    return CA_OK;
}

static enum ca_status read_perf(struct ca_line_reader *reader,
                                const struct ca_fold_options *options, struct ca_stack_tree *tree,
                                struct ca_fold_notes *notes, struct ca_error *err) {
    struct walk walk = {.reader = reader, .options = options, .tree = tree, .err = err};
    enum ca_status status = walk_lines(&walk, notes);
    if (status == CA_OK)
        status = judge_events(&walk, notes);
    if (status == CA_OK)
        note_trace_errors(&walk, notes);
    ca_name_table_release(&walk.events);
    ca_byte_buffer_release(&walk.label);
    for (size_t i = 0; i < 2; i++) {
        ca_name_table_release(&walk.known[i].symbols);
        free(walk.known[i].labels);
    }
    free(walk.frames);
    return status;
}

const struct ca_fold_kind ca_fold_perf = {
    .name = "perf",
    .shown = "perf script output",
    .has_events = true,
    .has_periods = true,
    .is_like = is_like,
    .read = read_perf,
};
