/* SPDX-License-Identifier: MIT */
#include "sites/site_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near_name.h"
#include "flame/name_table.h"

#define NEAR_NAMES 5u

/* A stack, the innermost frame first. */
struct stack {
    uint32_t phase;
    const uint32_t *frames;
    uint32_t frame_count;
    bool is_cut;
    uint64_t samples;
    uint64_t allocations;
    uint64_t bytes_requested;
};

/* A function in a stack. */
struct call {
    const struct ca_record_frame *frame;
    uint32_t function;
};

struct builder {
    struct ca_site_rows *rows;
    const struct ca_record *record;
    const struct ca_site_query *query;
    struct call *calls; /* call_count: of the stack that is being looked at, innermost first */
    size_t call_count;
    size_t call_capacity;
    struct ca_name_table keys; /* what makes a row; its number is the row's */
    struct ca_byte_buffer key;
};

/* ---- names ---- */

bool ca_is_function_meant(const char *wanted, const char *name) {
    size_t length = strlen(wanted);
    return length > 0 && strncmp(wanted, name, length) == 0 &&
           (name[length] == '\0' || name[length] == '(');
}

static const char *name_of(const struct builder *builder, const struct call *call, char *buffer) {
    return ca_record_function_name(builder->record, call->frame, call->function, buffer);
}

/* `name`, or a copy when it lies in `buffer`. */
static const char *keep(struct ca_site_rows *rows, const char *name, const char *buffer) {
    if (name != buffer)
        return name;
    char **names =
        ca_array_grown(rows->names, rows->name_count, &rows->name_capacity, sizeof *names);
    if (names == NULL)
        return NULL;
    rows->names = names;
    names[rows->name_count] = strdup(name);
    return names[rows->name_count] != NULL ? names[rows->name_count++] : NULL;
}

enum ca_status ca_function_absent(const struct ca_record *record, const char *function,
                                  struct ca_error *err) {
    char near[512] = "";
    struct ca_name_table seen = {0};
    size_t length = 0;
    for (uint32_t i = 0; i < record->frames_count && seen.name_count < NEAR_NAMES; i++)
        for (uint32_t k = 0; k < record->frames[i].function_count; k++) {
            const char *name = record->frames[i].functions[k].name;
            size_t known_count = seen.name_count;
            uint32_t number;
            if (name == NULL || known_count == NEAR_NAMES || !ca_is_near_name(function, name) ||
                !ca_name_table_number(&seen, name, strlen(name), &number) ||
                seen.name_count == known_count || length >= sizeof near)
                continue;
            length += (size_t)snprintf(near + length, sizeof near - length, "%s'%s'",
                                       known_count == 0 ? "; did you mean " : ", ", name);
        }
    ca_name_table_release(&seen);
    return ca_error_set(err, CA_ERROR_USAGE, "there is no function '%s' in the stacks%s", function,
                        near);
}

/* ---- stacks ---- */

static bool spread(struct builder *builder, const struct stack *stack) {
    builder->call_count = 0;
    for (uint32_t i = 0; i < stack->frame_count; i++) {
        const struct ca_record_frame *frame = &builder->record->frames[stack->frames[i]];
        uint32_t function_count = ca_record_function_count(frame);
        for (uint32_t k = 0; k < function_count; k++) {
            struct call *calls = ca_array_grown(builder->calls, builder->call_count,
                                                &builder->call_capacity, sizeof *calls);
            if (calls == NULL)
                return false;
            builder->calls = calls;
            calls[builder->call_count++] = (struct call){frame, k};
        }
    }
    return true;
}

/* The part of the calls that the query asks for: `*ret_first` and `*ret_count`. False: none of it.
 */
static bool choose_part(const struct builder *builder, size_t *ret_first, size_t *ret_count) {
    char buffer[CA_FUNCTION_NAME_SIZE];
    *ret_first = 0;
    *ret_count = builder->call_count;
    if (builder->query->view == CA_SITES_ALL)
        return true;
    for (size_t i = builder->call_count; i-- > 0;) {
        const char *name = name_of(builder, &builder->calls[i], buffer);
        if (!ca_is_function_meant(builder->query->function, name))
            continue;
        bool is_under = builder->query->view == CA_SITES_UNDER;
        *ret_first = is_under ? 0 : i + 1;
        *ret_count = is_under ? i + 1 : builder->call_count - i - 1;
        return true;
    }
    return false;
}

/* ---- rows ---- */

static bool begins(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool is_path_of_a_language(const char *path) {
    static const char *const libraries[] = {
        "std::", "core::", "alloc::", "__gnu_cxx::", "hashbrown::", "operator new"};
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        if (begins(path, libraries[i]))
            return true;
    return false;
}

/* Rust's "<TYPE as TRAIT>::method": `type` begins behind the '<'. A type without a path is built
 * in, or a parameter. */
static bool is_trait_of_a_language(const char *type, const char *as) {
    while (*type == '&' || *type == '[' || begins(type, "mut "))
        type += *type == 'm' ? strlen("mut ") : 1;
    const char *path = strstr(type, "::");
    bool is_type_known = is_path_of_a_language(type) || path == NULL || path > as;
    return is_type_known && is_path_of_a_language(as + strlen(" as "));
}

/* `name` behind the type that a template function returns. */
static const char *without_type(const char *name) {
    int depth = 0;
    const char *begin = name;
    for (const char *at = name;
         *at != '\0' && !(*at == '(' && depth == 0) && !(depth == 0 && begins(at, "operator"));
         at++) {
        depth += (*at == '<') - (*at == '>');
        if (*at == ' ' && depth == 0)
            begin = at + 1;
    }
    return begin;
}

/* Whether `name` is of a language's own library, which says little about who wanted the memory:
 * "void std::vector<...>::_M_realloc_insert", "<alloc::vec::Vec<T>>::push",
 * "<str as alloc::borrow::ToOwned>::to_owned". */
static bool is_of_a_language(const char *name) {
    const char *as = name[0] == '<' ? strstr(name, " as ") : NULL;
    if (as != NULL)
        return is_trait_of_a_language(name + 1, as);
    name = without_type(name);
    while (*name == '<')
        name++;
    return is_path_of_a_language(name);
}

/* With `is_telling` only callers that say who wanted the memory. */
static bool fill_callers_of(struct builder *builder, struct ca_site_row *row, size_t first,
                            size_t count, bool is_telling) {
    char buffer[CA_FUNCTION_NAME_SIZE];
    const char *before = row->function;
    for (size_t i = first + 1; i < first + count && row->caller_count < CA_ROW_CALLERS; i++) {
        const struct call *call = &builder->calls[i];
        const char *name = name_of(builder, call, buffer);
        if (strcmp(name, before) == 0 || (is_telling && is_of_a_language(name)))
            continue;
        struct ca_site_caller *caller = &row->callers[row->caller_count++];
        before = caller->function = keep(builder->rows, name, buffer);
        if (before == NULL)
            return false;
        if (call->function < call->frame->function_count) {
            caller->file = call->frame->functions[call->function].file;
            caller->line = call->frame->functions[call->function].line;
        }
    }
    return true;
}

static bool fill_callers(struct builder *builder, struct ca_site_row *row, size_t first,
                         size_t count) {
    bool is_ok = fill_callers_of(builder, row, first, count, true);
    return is_ok && row->caller_count == 0 ? fill_callers_of(builder, row, first, count, false)
                                           : is_ok;
}

static bool fill_row(struct builder *builder, struct ca_site_row *row, const struct stack *stack,
                     size_t first, size_t count) {
    char buffer[CA_FUNCTION_NAME_SIZE];
    *row = (struct ca_site_row){.phase = stack->phase, .has_symbol = true};
    if (count == 0) {
        row->function = stack->frame_count == 0 ? CA_ROW_NO_SITE : CA_ROW_NO_CALLER;
        return true;
    }
    const struct call *call = &builder->calls[first];
    if (call->function < call->frame->function_count) {
        row->file = call->frame->functions[call->function].file;
        row->line = call->frame->functions[call->function].line;
        row->has_symbol = call->frame->functions[call->function].name != NULL;
    } else {
        row->has_symbol = false;
    }
    row->function = keep(builder->rows, name_of(builder, call, buffer), buffer);
    return row->function != NULL && fill_callers(builder, row, first, count);
}

/* Names end in a NUL, which no name has. */
static bool add_to_key(struct builder *builder, const void *bytes, size_t byte_count) {
    return ca_byte_buffer_add(&builder->key, bytes, byte_count);
}

static bool add_place(struct builder *builder, const char *function, const char *file,
                      uint32_t line) {
    file = file != NULL ? file : "";
    return add_to_key(builder, &line, sizeof line) &&
           add_to_key(builder, function, strlen(function) + 1) &&
           add_to_key(builder, file, strlen(file) + 1);
}

static bool make_key(struct builder *builder, const struct ca_site_row *row) {
    builder->key.byte_count = 0;
    bool is_ok = add_to_key(builder, &row->phase, sizeof row->phase) &&
                 add_place(builder, row->function, row->file, row->line);
    for (uint32_t i = 0; is_ok && i < row->caller_count; i++)
        is_ok = add_place(builder, row->callers[i].function, row->callers[i].file,
                          row->callers[i].line);
    return is_ok;
}

/* The row that is like `row`, which becomes one when there is none. */
static struct ca_site_row *row_like(struct builder *builder, const struct ca_site_row *row) {
    struct ca_site_rows *rows = builder->rows;
    uint32_t number;
    if (!make_key(builder, row) ||
        !ca_name_table_number(&builder->keys, builder->key.bytes, builder->key.byte_count, &number))
        return NULL;
    if (number < rows->row_count)
        return &rows->rows[number];
    struct ca_site_row *grown =
        ca_array_grown(rows->rows, rows->row_count, &rows->row_capacity, sizeof *grown);
    if (grown == NULL)
        return NULL;
    rows->rows = grown;
    grown[rows->row_count] = *row;
    return &grown[rows->row_count++];
}

static bool add_stack(struct builder *builder, const struct stack *stack) {
    struct ca_site_rows *rows = builder->rows;
    struct ca_site_row row;
    size_t first, count;
    if (!spread(builder, stack))
        return false;
    if (!choose_part(builder, &first, &count))
        return true;
    rows->is_found = true;
    if (!fill_row(builder, &row, stack, first, count))
        return false;
    struct ca_site_row *to = row_like(builder, &row);
    if (to == NULL)
        return false;
    to->samples += stack->samples;
    to->allocations += stack->allocations;
    to->bytes_requested += stack->bytes_requested;
    rows->has_phases |= to->phase != rows->rows[0].phase;
    rows->has_callers |= to->caller_count > 0;
    rows->samples += stack->samples;
    rows->allocations += stack->allocations;
    rows->bytes_requested += stack->bytes_requested;
    return true;
}

static bool add_sites(struct builder *builder) {
    const struct ca_record *record = builder->record;
    bool is_ok = true;
    for (uint32_t i = 0; is_ok && i < record->site_count; i++) {
        const struct ca_record_site *site = &record->sites[i];
        is_ok = add_stack(builder, &(struct stack){site->phase, site->frames, site->frame_count,
                                                   site->is_cut, 0, site->allocations,
                                                   site->bytes_requested});
    }
    return is_ok;
}

static bool add_samples(struct builder *builder) {
    const struct ca_record *record = builder->record;
    bool is_ok = true;
    for (uint32_t i = 0; is_ok && i < record->sample_count; i++) {
        const struct ca_record_sample *sample = &record->samples[i];
        is_ok =
            add_stack(builder, &(struct stack){sample->phase, sample->frames, sample->frame_count,
                                               sample->is_cut, sample->samples, sample->allocations,
                                               sample->bytes_requested});
    }
    return is_ok;
}

static int by_line(uint32_t left, uint32_t right) {
    return (left > right) - (left < right);
}

static int by_callers(const struct ca_site_row *a, const struct ca_site_row *b) {
    for (uint32_t i = 0; i < a->caller_count && i < b->caller_count; i++) {
        int order = strcmp(a->callers[i].function, b->callers[i].function);
        if (order == 0)
            order = by_line(a->callers[i].line, b->callers[i].line);
        if (order != 0)
            return order;
    }
    return by_line(a->caller_count, b->caller_count);
}

/* What a reader can tell apart has its order, so that equal records give equal tables. */
static int by_allocations(const void *left, const void *right) {
    const struct ca_site_row *a = left, *b = right;
    if (a->allocations != b->allocations)
        return a->allocations > b->allocations ? -1 : 1;
    if (a->bytes_requested != b->bytes_requested)
        return a->bytes_requested > b->bytes_requested ? -1 : 1;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    int order = strcmp(a->function, b->function);
    if (order == 0)
        order = by_line(a->line, b->line);
    return order != 0 ? order : by_callers(a, b);
}

enum ca_status ca_site_rows_init(struct ca_site_rows *rows, const struct ca_record *record,
                                 const struct ca_site_query *query, struct ca_error *err) {
    *rows = (struct ca_site_rows){0};
    struct builder builder = {.rows = rows, .record = record, .query = query};
    bool is_ok = query->is_sampled ? add_samples(&builder) : add_sites(&builder);
    if (is_ok && rows->row_count > 1)
        qsort(rows->rows, rows->row_count, sizeof *rows->rows, by_allocations);
    free(builder.calls);
    ca_name_table_release(&builder.keys);
    ca_byte_buffer_release(&builder.key);
    return is_ok ? CA_OK : ca_error_memory(err);
}

void ca_site_rows_release(struct ca_site_rows *rows) {
    for (size_t i = 0; i < rows->name_count; i++)
        free(rows->names[i]);
    free(rows->names);
    free(rows->rows);
    *rows = (struct ca_site_rows){0};
}
