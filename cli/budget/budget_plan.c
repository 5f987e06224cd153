/* SPDX-License-Identifier: MIT */
#include "budget/budget_plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFUSED_MAX 5u /* raises without a reason that are listed */

/* ---- edits and remarks ---- */

static const struct ca_budget_token *token_at(const struct ca_budget_edit *edit) {
    const struct ca_budget_limit *limit = &edit->section->limits[edit->kind];
    return edit->is_rate ? &limit->rate_at : &limit->fixed_at;
}

static void *append(void *array, size_t *count, size_t element_bytes) {
    void *grown = realloc(array, (*count + 1) * element_bytes);
    if (grown != NULL)
        ++*count;
    return grown;
}

enum ca_status ca_planner_remark(struct ca_planner *planner,
                                 const struct ca_budget_section *section, uint32_t line,
                                 const char *format, ...) {
    struct ca_budget_plan *plan = planner->plan;
    char *sentence, *remark;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&sentence, format, arguments);
    va_end(arguments);
    if (length < 0)
        return ca_error_memory(planner->err);
    length = asprintf(&remark, "%s:%u: [%s]: %s", planner->file->path,
                      line != 0 ? line : section->line, section->title, sentence);
    free(sentence);
    if (length < 0)
        return ca_error_memory(planner->err);
    for (size_t i = 0; i < plan->remark_count; i++)
        if (strcmp(plan->remarks[i], remark) == 0) {
            free(remark);
            return CA_OK;
        }
    char **grown = append(plan->remarks, &plan->remark_count, sizeof *plan->remarks);
    if (grown == NULL) {
        free(remark);
        return ca_error_memory(planner->err);
    }
    plan->remarks = grown;
    grown[plan->remark_count - 1] = remark;
    return CA_OK;
}

enum ca_status ca_planner_set(struct ca_planner *planner, const struct ca_budget_section *section,
                              enum ca_limit_kind kind, bool is_rate, struct ca_ratio before,
                              struct ca_ratio after, bool is_raise) {
    struct ca_budget_plan *plan = planner->plan;
    struct ca_budget_edit edit = {
        .section = section,
        .kind = kind,
        .is_rate = is_rate,
        .before = before,
        .after = after,
    };
    if (ca_ratio_compare(before, after) == 0)
        return CA_OK;
    edit.is_inserted = token_at(&edit)->line == 0;
    edit.line = edit.is_inserted ? section->line : token_at(&edit)->line;
    /* Beside a number that may not rise, one that falls stays, too: they belong together. */
    bool is_held = is_raise && planner->mode == CA_UPDATE_LOWER;
    edit.is_raise = ca_ratio_compare(after, before) > 0;
    if (is_held && !edit.is_raise)
        return CA_OK;
    if (is_held) {
        char text[2][CA_NUMBER_TEXT_SIZE];
        return ca_planner_remark(
            planner, section, edit.line,
            "%s stays %s: it would have to be %s, and only --update=all raises a number",
            ca_limit_key(kind, is_rate), ca_ratio_text(before, text[0]),
            ca_ratio_text(after, text[1]));
    }
    struct ca_budget_edit *grown = append(plan->edits, &plan->edit_count, sizeof *plan->edits);
    if (grown == NULL)
        return ca_error_memory(planner->err);
    plan->edits = grown;
    grown[plan->edit_count - 1] = edit;
    return CA_OK;
}

/* ---- raises want a reason ---- */

static enum ca_status refuse_unexplained(struct ca_planner *planner) {
    const struct ca_budget_plan *plan = planner->plan;
    char message[CA_ERROR_MESSAGE_SIZE];
    size_t length = 0;
    unsigned refused_count = 0;
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct ca_budget_edit *edit = &plan->edits[i];
        if (!edit->is_raise || edit->section->why != NULL || refused_count++ >= REFUSED_MAX)
            continue;
        char text[2][CA_NUMBER_TEXT_SIZE];
        length += (size_t)snprintf(
            message + length, sizeof message - length,
            "%.120s:%u: [%.60s]: %s would rise from %s to %s\n", planner->file->path, edit->line,
            edit->section->title, ca_limit_key(edit->kind, edit->is_rate),
            ca_ratio_text(edit->before, text[0]), ca_ratio_text(edit->after, text[1]));
    }
    if (refused_count == 0 || planner->mode == CA_UPDATE_SHOW)
        return CA_OK;
    if (refused_count > REFUSED_MAX)
        length += (size_t)snprintf(message + length, sizeof message - length, "and %u more\n",
                                   refused_count - REFUSED_MAX);
    return ca_error_set(
        planner->err, CA_ERROR_INPUT,
        "%sa number rises only for a reason: add a line 'why = ...' to the section; nothing was "
        "written",
        message);
}

/* ---- the text ---- */

static size_t place_of(const struct ca_budget_edit *edit) {
    return edit->is_inserted ? edit->section->last_line_end_bytes : token_at(edit)->offset_bytes;
}

/* rate before fixed where both are new. */
static int compare_places(const void *a, const void *b) {
    const struct ca_budget_edit *left = a, *right = b;
    size_t left_place = place_of(left), right_place = place_of(right);
    if (left_place != right_place)
        return left_place < right_place ? -1 : 1;
    int left_rank = (int)left->kind * 2 + !left->is_rate;
    int right_rank = (int)right->kind * 2 + !right->is_rate;
    return left_rank - right_rank;
}

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

/* As the line that the new one follows. */
static const char *line_end_of(const struct ca_budget_file *file,
                               const struct ca_budget_section *section) {
    size_t end = section->last_line_end_bytes;
    const char *text = file->text;
    if (end == 0 || text[end - 1] != '\n') {
        const char *first = memchr(text, '\n', file->byte_count);
        return first != NULL && first > text && first[-1] == '\r' ? "\r\n" : "\n";
    }
    return end >= 2 && text[end - 2] == '\r' ? "\r\n" : "\n";
}

/* A line with the indentation and the '=' of the line before it. */
static void put_line(FILE *out, const struct ca_budget_file *file,
                     const struct ca_budget_edit *edit) {
    const struct ca_budget_section *section = edit->section;
    const char *line = file->text + section->last_line_offset_bytes;
    const char *key = ca_limit_key(edit->kind, edit->is_rate);
    const char *line_end = line_end_of(file, section);
    char number[CA_NUMBER_TEXT_SIZE];
    bool is_unended =
        section->last_line_end_bytes == 0 || file->text[section->last_line_end_bytes - 1] != '\n';
    int indent = 0, name = 0, gap = 1, after = 1;
    if (section->has_key) {
        while (is_blank(line[indent]))
            indent++;
        while (line[indent + name] != '=')
            name++;
        int blanks = 0;
        while (blanks < name && is_blank(line[indent + name - 1 - blanks]))
            blanks++;
        gap = blanks > 0;
        for (after = 0; is_blank(line[indent + name + 1 + after]);)
            after++;
    }
    int padding = name - (int)strlen(key);
    if (padding < gap || gap == 0)
        padding = gap;
    fprintf(out, "%s%.*s%s%*s=%*s%s%s", is_unended ? line_end : "", indent, line, key, padding, "",
            after, "", ca_ratio_text(edit->after, number), is_unended ? "" : line_end);
}

static enum ca_status make_text(struct ca_planner *planner) {
    const struct ca_budget_file *file = planner->file;
    struct ca_budget_plan *plan = planner->plan;
    FILE *out = open_memstream(&plan->text, &plan->byte_count);
    if (out == NULL)
        return ca_error_memory(planner->err);
    size_t at = 0;
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct ca_budget_edit *edit = &plan->edits[i];
        char number[CA_NUMBER_TEXT_SIZE];
        fwrite(file->text + at, 1, place_of(edit) - at, out);
        at = place_of(edit);
        if (edit->is_inserted) {
            put_line(out, file, edit);
        } else {
            fputs(ca_ratio_text(edit->after, number), out);
            at += token_at(edit)->length_bytes;
        }
    }
    fwrite(file->text + at, 1, file->byte_count - at, out);
    bool is_lost = ferror(out) != 0;
    is_lost |= fclose(out) != 0;
    return is_lost ? ca_error_memory(planner->err) : CA_OK;
}

enum ca_status ca_planner_finish(struct ca_planner *planner) {
    struct ca_budget_plan *plan = planner->plan;
    if (plan->edit_count > 0)
        qsort(plan->edits, plan->edit_count, sizeof *plan->edits, compare_places);
    enum ca_status status = refuse_unexplained(planner);
    return status == CA_OK ? make_text(planner) : status;
}

void ca_budget_plan_release(struct ca_budget_plan *plan) {
    for (size_t i = 0; i < plan->remark_count; i++)
        free(plan->remarks[i]);
    free(plan->remarks);
    free(plan->edits);
    free(plan->text);
    *plan = (struct ca_budget_plan){0};
}
