/* SPDX-License-Identifier: MIT
 *
 * Files of callgrind and of what writes its format (Valgrind manual, "Callgrind Format
 * Specification"). Costs of a function count for it wherever their lines come from: fl=, fi= and
 * fe=, the source files, are passed over, so that inlining does not split it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fold/call_graph.h"
#include "fold/fold.h"
#include "fold/frame_label.h"

#define NOTHING UINT32_MAX

/* Names of one sort, "(12) name" first and "(12)" from then on, and what they stand for. */
struct dictionary {
    struct ca_name_table keys;
    uint32_t *values;
    size_t capacity;
};

struct walk {
    struct ca_line_reader *reader;
    const struct ca_fold_options *options;
    struct ca_stack_tree *tree;
    struct ca_error *err;
    struct ca_call_graph graph;
    struct dictionary functions; /* → number in the graph */
    struct dictionary objects;   /* → number in object_names */
    struct ca_name_table object_names;
    struct ca_byte_buffer label;
    struct ca_byte_buffer key;
    struct ca_byte_buffer event_names; /* as they stand in the file */
    uint32_t function, callee;         /* fn=, cfn=; or NOTHING */
    uint32_t object, callee_object;    /* ob=, cob= */
    bool is_call;                      /* the next line has a call's cost */
    size_t position_count;             /* columns in front of the costs */
    size_t event_count, event_at;      /* 0 events: none known yet */
    bool is_by_callgrind;              /* itself: "creator: callgrind-3.21.0" */
    uint64_t promised[2];              /* the sums of summary: and of totals: lines */
    bool has_promised[2];
};

static bool is_like(const char *bytes, size_t byte_count) {
    const char *line;
    size_t length;
    while (ca_fold_peek_line(&bytes, &byte_count, &line, &length))
        if (ca_fold_begins(line, length, "# callgrind format") ||
            ca_fold_begins(line, length, "events: ") || ca_fold_begins(line, length, "fl=") ||
            ca_fold_begins(line, length, "fn="))
            return true;
    return false;
}

static bool next_word(const char **at, const char *end, const char **ret_word, size_t *ret_count) {
    while (*at < end && (**at == ' ' || **at == '\t'))
        (*at)++;
    *ret_word = *at;
    while (*at < end && **at != ' ' && **at != '\t')
        (*at)++;
    *ret_count = (size_t)(*at - *ret_word);
    return *ret_count > 0;
}

/* The length of the "(12)" in front; 0: there is none. */
static size_t id_length(const char *text, size_t count) {
    uint64_t id;
    size_t digits = count > 2 && text[0] == '(' ? ca_fold_digits(text + 1, count - 1, &id) : 0;
    return digits > 0 && digits + 1 < count && text[digits + 1] == ')' ? digits + 2 : 0;
}

/* The number of the key, with room for its value; NOTHING is the value of a new one. */
static enum ca_status look_up(struct walk *walk, struct dictionary *dictionary, const char *key,
                              size_t key_bytes, uint32_t *ret_number) {
    size_t known = dictionary->keys.name_count;
    uint32_t *values =
        ca_array_grown(dictionary->values, known, &dictionary->capacity, sizeof *values);
    if (values == NULL)
        return ca_error_memory(walk->err);
    dictionary->values = values;
    if (!ca_name_table_number(&dictionary->keys, key, key_bytes, ret_number))
        return ca_error_memory(walk->err);
    if (dictionary->keys.name_count > known)
        values[*ret_number] = NOTHING;
    return CA_OK;
}

static enum ca_status unnamed(struct walk *walk, const char *text, size_t id_bytes) {
    return ca_line_error(walk->reader, walk->err,
                         "expected '%.*s NAME': there was no name for it so far", (int)id_bytes,
                         text);
}

static enum ca_status take_object(struct walk *walk, const char *text, size_t count,
                                  uint32_t *ret_object) {
    size_t id = id_length(text, count), name_at = id;
    while (name_at < count && text[name_at] == ' ')
        name_at++;
    uint32_t number;
    enum ca_status status = look_up(walk, &walk->objects, text, id > 0 ? id : count, &number);
    if (status != CA_OK)
        return status;
    uint32_t *value = &walk->objects.values[number];
    if (*value == NOTHING && id > 0 && name_at == count)
        return unnamed(walk, text, id);
    if (*value == NOTHING &&
        !ca_name_table_number(&walk->object_names, text + name_at, count - name_at, value))
        return ca_error_memory(walk->err);
    *ret_object = *value;
    return CA_OK;
}

/* "fib'2" → "fib": the level of recursion that callgrind tells apart. */
static size_t without_level(const char *name, size_t count) {
    size_t at = count;
    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
        at--;
    return at > 1 && at < count && name[at - 1] == '\'' ? at - 1 : count;
}

/* "parse'main'start" → "parse": with --separate-callers the callers stand behind the function. What
 * such names have in common is their label; in the graph they stay apart. Clang's "f()::'lambda'()"
 * has quotes, too, the first of each pair not behind a name. */
static size_t without_callers(const char *name, size_t count) {
    for (size_t at = 1; at < count; at++) {
        if (name[at] != '\'')
            continue;
        if (memchr(":(<{, ", name[at - 1], 6) == NULL)
            return at;
        const char *end = memchr(name + at + 1, '\'', count - at - 1);
        if (end == NULL)
            return count;
        at = (size_t)(end - name);
    }
    return count;
}

static enum ca_status add_function(struct walk *walk, const char *name, size_t count,
                                   uint32_t object, uint32_t *ret_function) {
    count = walk->is_by_callgrind ? without_callers(name, count) : without_level(name, count);
    bool is_nameless = ca_fold_begins(name, count, "???") || ca_fold_begins(name, count, "0x");
    const char *path = "";
    size_t path_bytes = 0;
    if (object != NOTHING) {
        path = ca_name_table_bytes(&walk->object_names, object);
        path_bytes = walk->object_names.names[object].byte_count;
        path_bytes = ca_fold_begins(path, path_bytes, "???") ? 0 : path_bytes;
    }
    bool is_ok = is_nameless ? ca_frame_label_of_file(&walk->label, path, path_bytes)
                             : ca_frame_label(&walk->label, name, count);
    uint32_t label;
    if (!is_ok)
        return ca_error_memory(walk->err);
    enum ca_status status = ca_stack_tree_name(walk->tree, walk->label.bytes,
                                               walk->label.byte_count, &label, walk->err);
    if (status == CA_OK)
        status = ca_call_graph_function(&walk->graph, label, ret_function, walk->err);
    return status;
}

/* Names without an id belong to their object file. */
static enum ca_status take_function(struct walk *walk, const char *text, size_t count,
                                    uint32_t object, uint32_t *ret_function) {
    size_t id = id_length(text, count), name_at = id;
    while (name_at < count && text[name_at] == ' ')
        name_at++;
    walk->key.byte_count = 0;
    bool is_ok = ca_byte_buffer_add(&walk->key, text, id > 0 ? id : count) &&
                 (id > 0 || (ca_byte_buffer_add(&walk->key, "", 1) &&
                             ca_byte_buffer_add(&walk->key, (const char *)&object, sizeof object)));
    uint32_t number;
    if (!is_ok)
        return ca_error_memory(walk->err);
    enum ca_status status =
        look_up(walk, &walk->functions, walk->key.bytes, walk->key.byte_count, &number);
    if (status != CA_OK)
        return status;
    uint32_t *value = &walk->functions.values[number];
    if (*value == NOTHING && id > 0 && name_at == count)
        return unnamed(walk, text, id);
    if (*value == NOTHING)
        status = add_function(walk, text + name_at, count - name_at, object, value);
    *ret_function = *value;
    return status;
}

static enum ca_status take_events(struct walk *walk, const char *at, const char *end) {
    const char *word, *begin = at;
    size_t count, found = NOTHING;
    walk->event_count = 0;
    for (; next_word(&at, end, &word, &count); walk->event_count++)
        if (walk->options->event != NULL && strlen(walk->options->event) == count &&
            memcmp(walk->options->event, word, count) == 0)
            found = walk->event_count;
    if (walk->event_count == 0)
        return ca_line_error(walk->reader, walk->err, "expected names of events");
    if (walk->options->event != NULL && found == NOTHING)
        return ca_line_error(walk->reader, walk->err, "there is no event '%s' here, but these:%.*s",
                             walk->options->event, (int)(end - begin), begin);
    walk->event_at = walk->options->event != NULL ? found : 0;
    walk->event_names.byte_count = 0;
    return ca_byte_buffer_add(&walk->event_names, begin, (size_t)(end - begin))
               ? CA_OK
               : ca_error_memory(walk->err);
}

/* The cost of our event from words of which `skip` come before the costs. */
static enum ca_status take_cost(struct walk *walk, const char *at, const char *end, size_t skip,
                                uint64_t *ret_cost) {
    const char *word;
    size_t count, word_count = 0;
    *ret_cost = 0;
    for (; next_word(&at, end, &word, &count); word_count++) {
        uint64_t number = 0;
        size_t sign = word_count < skip && (word[0] == '+' || word[0] == '-') ? 1 : 0;
        bool is_free = word_count < skip && ((count == 1 && word[0] == '*') ||
                                             ca_fold_begins(word + sign, count - sign, "0x"));
        if (!is_free && ca_fold_digits(word + sign, count - sign, &number) != count - sign)
            return ca_line_error(walk->reader, walk->err, "expected a number, found '%.*s'",
                                 (int)(count < 40 ? count : 40), word);
        if (word_count == skip + walk->event_at)
            *ret_cost = number;
    }
    if (word_count < skip || word_count > skip + walk->event_count)
        return ca_line_error(walk->reader, walk->err,
                             "expected %zu position%s and at most %zu costs, found %zu numbers",
                             skip, skip == 1 ? "" : "s", walk->event_count, word_count);
    return CA_OK;
}

static enum ca_status take_cost_line(struct walk *walk, const struct ca_line *line) {
    bool is_call = walk->is_call;
    uint64_t cost;
    walk->is_call = false;
    if (walk->event_count == 0)
        return ca_line_error(walk->reader, walk->err, "expected 'events: …' before the first cost");
    if (walk->function == NOTHING)
        return ca_line_error(walk->reader, walk->err, "expected 'fn=…' before the first cost");
    enum ca_status status =
        take_cost(walk, line->bytes, line->bytes + line->byte_count, walk->position_count, &cost);
    if (status != CA_OK)
        return status;
    if (is_call)
        return ca_call_graph_call(&walk->graph, walk->function, walk->callee, cost, walk->err);
    if (!ca_call_graph_spend(&walk->graph, walk->function, cost))
        return ca_line_error(walk->reader, walk->err, "with this line the costs pass 64 bits");
    return CA_OK;
}

static enum ca_status take_promise(struct walk *walk, const char *at, const char *end, int which) {
    uint64_t sum;
    enum ca_status status = take_cost(walk, at, end, 0, &sum);
    if (status == CA_OK) {
        walk->promised[which] += sum;
        walk->has_promised[which] = true;
    }
    return status;
}

/* "key: value" of the header. Most say nothing about costs. */
static enum ca_status take_header(struct walk *walk, const char *line, size_t key_bytes,
                                  const char *end) {
    const char *value = line + key_bytes + 1, *word;
    size_t count;
    if (ca_fold_begins(line, key_bytes + 1, "events:"))
        return take_events(walk, value, end);
    if (ca_fold_begins(line, key_bytes + 1, "summary:"))
        return take_promise(walk, value, end, 0);
    if (ca_fold_begins(line, key_bytes + 1, "totals:"))
        return take_promise(walk, value, end, 1);
    if (ca_fold_begins(line, (size_t)(end - line), "creator: callgrind"))
        walk->is_by_callgrind = true;
    if (ca_fold_begins(line, key_bytes + 1, "positions:"))
        for (walk->position_count = 0; next_word(&value, end, &word, &count);)
            walk->position_count++;
    return CA_OK;
}

/* "key=value" */
static enum ca_status take_setting(struct walk *walk, const char *line, size_t key_bytes,
                                   const char *end) {
    static const char *const passed_over[] = {"fl",  "fi",  "fe",   "cfi",  "cfl",
                                              "jfi", "jfn", "jump", "jcnd", "frfn"};
    const char *value = line + key_bytes + 1;
    size_t count = (size_t)(end - value);
    enum ca_status status;
    if (key_bytes == 2 && memcmp(line, "fn", 2) == 0)
        return take_function(walk, value, count, walk->object, &walk->function);
    if (key_bytes == 2 && memcmp(line, "ob", 2) == 0)
        return take_object(walk, value, count, &walk->object);
    if (key_bytes == 3 && memcmp(line, "cob", 3) == 0)
        return take_object(walk, value, count, &walk->callee_object);
    if (key_bytes == 3 && memcmp(line, "cfn", 3) == 0) {
        uint32_t object = walk->callee_object != NOTHING ? walk->callee_object : walk->object;
        status = take_function(walk, value, count, object, &walk->callee);
        walk->callee_object = NOTHING;
        return status;
    }
    if (key_bytes == 5 && memcmp(line, "calls", 5) == 0) {
        if (walk->callee == NOTHING)
            return ca_line_error(walk->reader, walk->err, "expected 'cfn=…' before 'calls=…'");
        walk->is_call = true;
        return CA_OK;
    }
    for (size_t i = 0; i < sizeof passed_over / sizeof passed_over[0]; i++)
        if (strlen(passed_over[i]) == key_bytes && memcmp(line, passed_over[i], key_bytes) == 0)
            return CA_OK;
    return ca_line_error(walk->reader, walk->err,
                         "expected a line of a callgrind file, found '%.*s='",
                         (int)(key_bytes < 40 ? key_bytes : 40), line);
}

static enum ca_status take_line(struct walk *walk, const struct ca_line *line) {
    const char *end = line->bytes + line->byte_count;
    char first = line->bytes[0], shown[64];
    if (first == '+' || first == '-' || first == '*' || (first >= '0' && first <= '9'))
        return take_cost_line(walk, line);
    size_t key_bytes = 0;
    while (key_bytes < line->byte_count &&
           ((line->bytes[key_bytes] >= 'a' && line->bytes[key_bytes] <= 'z') ||
            (line->bytes[key_bytes] >= 'A' && line->bytes[key_bytes] <= 'Z')))
        key_bytes++;
    if (key_bytes > 0 && key_bytes < line->byte_count && line->bytes[key_bytes] == ':')
        return take_header(walk, line->bytes, key_bytes, end);
    if (key_bytes > 0 && key_bytes < line->byte_count && line->bytes[key_bytes] == '=')
        return take_setting(walk, line->bytes, key_bytes, end);
    return ca_line_error(walk->reader, walk->err,
                         "expected a cost line or 'key=value' of a callgrind file, found '%s'",
                         ca_line_shown(line, shown));
}

static enum ca_status walk_lines(struct walk *walk, struct ca_fold_notes *notes) {
    struct ca_line line;
    bool is_end;
    enum ca_status status;
    while ((status = ca_line_reader_next(walk->reader, &line, &is_end, walk->err)) == CA_OK &&
           !is_end) {
        if (line.byte_count == 0 || line.bytes[0] == '#')
            continue;
        status = take_line(walk, &line);
        if (status == CA_ERROR_INPUT && !line.is_whole && walk->event_count > 0) {
            ca_fold_note(notes,
                         "%.200s:%" PRIu64 ": the file ends inside a line, which is left out",
                         walk->reader->shown, line.number);
            return CA_OK;
        }
        if (status != CA_OK)
            return status;
    }
    return status;
}

static void judge(const struct walk *walk, uint64_t cut_cost, struct ca_fold_notes *notes) {
    int which = walk->has_promised[1] ? 1 : 0;
    if (walk->has_promised[which] && walk->promised[which] != walk->graph.self_sum)
        ca_fold_note(notes,
                     "'%.200s' promises %" PRIu64 " in all, its lines add up to %" PRIu64
                     ": it may have been cut",
                     walk->reader->shown, walk->promised[which], walk->graph.self_sum);
    if (walk->options->event == NULL && walk->event_count > 1)
        ca_fold_note(notes, "the first of these events is taken; '--event NAME' takes another:%.*s",
                     (int)walk->event_names.byte_count, walk->event_names.bytes);
    if (cut_cost > walk->graph.self_sum / 100)
        ca_fold_note(notes,
                     "%" PRIu64 " of %" PRIu64 " is spread so thinly over so many ways that it is "
                     "shown at callers of the functions it belongs to",
                     cut_cost, walk->graph.self_sum);
}

static enum ca_status read_callgrind(struct ca_line_reader *reader,
                                     const struct ca_fold_options *options,
                                     struct ca_stack_tree *tree, struct ca_fold_notes *notes,
                                     struct ca_error *err) {
    struct walk walk = {.reader = reader, .options = options, .tree = tree, .err = err};
    uint64_t cut_cost = 0;
    walk.function = walk.callee = walk.object = walk.callee_object = NOTHING;
    walk.position_count = 1;
    enum ca_status status = walk_lines(&walk, notes);
    if (status == CA_OK)
        status = ca_call_graph_unfold(&walk.graph, tree, &cut_cost, err);
    if (status == CA_OK)
        judge(&walk, cut_cost, notes);
    ca_call_graph_release(&walk.graph);
    ca_name_table_release(&walk.functions.keys);
    ca_name_table_release(&walk.objects.keys);
    ca_name_table_release(&walk.object_names);
    free(walk.functions.values);
    free(walk.objects.values);
    ca_byte_buffer_release(&walk.label);
    ca_byte_buffer_release(&walk.key);
    ca_byte_buffer_release(&walk.event_names);
    return status;
}

const struct ca_fold_kind ca_fold_callgrind = {
    .name = "callgrind",
    .shown = "a callgrind file",
    .has_events = true,
    .is_like = is_like,
    .read = read_callgrind,
};
