/* SPDX-License-Identifier: MIT */
#include "diff/site_diff.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/site_pairs.h"
#include "interpose/plain.h"
#include "sites/site_notes.h"

#define NO_SITE       "[no site]"
#define MODULES_NOTED 2u /* by each reason */

static const struct ca_record nothing = {.name = "", .executable = ""};

__attribute__((format(printf, 2, 3))) static void note(struct ca_site_diff *diff,
                                                       const char *format, ...) {
    va_list arguments;
    if (diff->note_count == CA_DIFF_NOTES)
        return;
    va_start(arguments, format);
    vsnprintf(diff->notes[diff->note_count++], CA_DIFF_NOTE_SIZE, format, arguments);
    va_end(arguments);
}

const char *ca_site_change_name(enum ca_site_change change) {
    static const char *const names[CA_SITE_CHANGES] = {"new", "grown", "shrunk", "gone", "same"};
    return names[change];
}

/* ---- units ---- */

static const struct ca_units *units_of(const struct ca_record *record, const char *phase,
                                       uint32_t *ret_count) {
    *ret_count = record->total_units_count;
    if (phase == NULL)
        return record->total_units;
    *ret_count = 0;
    for (uint32_t i = 0; i < record->phase_count; i++)
        if (strcmp(record->phases[i].name, phase) == 0 && record->phases[i].opened > 0) {
            *ret_count = record->phases[i].units_count;
            return record->phases[i].units;
        }
    return NULL;
}

static struct ca_unit_pair *unit_called(struct ca_unit_pair *units, uint32_t *count,
                                        const char *name) {
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    units[*count] = (struct ca_unit_pair){.name = name};
    return &units[(*count)++];
}

uint32_t ca_site_units(const struct ca_site_diff *diff, const char *phase,
                       struct ca_unit_pair *ret_units) {
    uint32_t count = 0, of_side;
    const struct ca_units *units = units_of(diff->after, phase, &of_side);
    for (uint32_t i = 0; i < of_side && i < CA_UNIT_CAPACITY; i++)
        unit_called(ret_units, &count, units[i].name)->after = units[i].unit_count;
    units = units_of(diff->before, phase, &of_side);
    for (uint32_t i = 0; i < of_side && i < CA_UNIT_CAPACITY; i++)
        unit_called(ret_units, &count, units[i].name)->before = units[i].unit_count;
    return count;
}

/* ---- rows ---- */

static struct ca_figure_pair figure_of(const uint64_t *numbers) {
    return (struct ca_figure_pair){true, numbers[0] != numbers[1], (int64_t)numbers[0],
                                   (int64_t)numbers[1]};
}

static void add_to(struct ca_figure_pair *sum, const struct ca_figure_pair *figure) {
    sum->is_known = true;
    sum->before += figure->before;
    sum->after += figure->after;
    sum->is_different = sum->before != sum->after;
}

static enum ca_site_change change_of(const struct ca_site_pair *pair) {
    const uint64_t *numbers =
        pair->allocations[0] != pair->allocations[1] ? pair->allocations : pair->bytes_requested;
    if (pair->before == NULL)
        return CA_SITE_NEW;
    if (pair->after == NULL)
        return CA_SITE_GONE;
    return numbers[0] == numbers[1]  ? CA_SITE_SAME
           : numbers[0] < numbers[1] ? CA_SITE_GROWN
                                     : CA_SITE_SHRUNK;
}

/* A name that is the record's own, or a copy of what is in `buffer`. NULL: no memory. */
static const char *keep(struct ca_site_diff *diff, const char *name, const char *buffer) {
    if (name != buffer)
        return name;
    char **names =
        ca_array_grown(diff->names, diff->name_count, &diff->name_capacity, sizeof *names);
    if (names == NULL)
        return NULL;
    diff->names = names;
    names[diff->name_count] = strdup(name);
    return names[diff->name_count] != NULL ? names[diff->name_count++] : NULL;
}

/* The next name of a stack goes into the row: the function, then its callers. */
static bool add_name(struct ca_site_diff *diff, struct ca_changed_site *row,
                     const struct ca_record *record, const struct ca_record_frame *frame,
                     uint32_t function) {
    char buffer[CA_FUNCTION_NAME_SIZE];
    const char *name = ca_record_function_name(record, frame, function, buffer);
    const char *last = row->caller_count > 0 ? row->callers[row->caller_count - 1] : row->function;
    if (last != NULL && strcmp(last, name) == 0)
        return true;
    name = keep(diff, name, buffer);
    if (row->function != NULL) {
        row->callers[row->caller_count++] = name;
        return name != NULL;
    }
    row->function = name;
    if (function < frame->function_count) {
        row->file = frame->functions[function].file;
        row->line = frame->functions[function].line;
    }
    return name != NULL;
}

static bool describe(struct ca_site_diff *diff, struct ca_changed_site *row,
                     const struct ca_chain *chain) {
    const struct ca_record *record = chain->is_after ? diff->after : diff->before;
    const struct ca_record_site *site = chain->site;
    row->phase = record->phases[site->phase].name;
    if (site->frame_count == 0)
        row->function = NO_SITE;
    for (uint32_t i = 0; i < site->frame_count; i++) {
        const struct ca_record_frame *frame = &record->frames[site->frames[i]];
        for (uint32_t k = 0; k < ca_record_function_count(frame); k++)
            if (row->caller_count == CA_SITE_CALLERS)
                return true;
            else if (!add_name(diff, row, record, frame, k))
                return false;
    }
    return true;
}

static bool add_row(struct ca_site_diff *diff, const struct ca_site_pair *pair) {
    const struct ca_chain *shown = pair->after != NULL ? pair->after : pair->before;
    struct ca_changed_site *row = &diff->sites[diff->site_count];
    *row = (struct ca_changed_site){
        .change = change_of(pair),
        .is_guess = shown->is_guess && pair->before != NULL && pair->after != NULL,
        .allocations = figure_of(pair->allocations),
        .bytes_requested = figure_of(pair->bytes_requested),
    };
    diff->counts[row->change]++;
    add_to(&diff->allocations, &row->allocations);
    add_to(&diff->bytes_requested, &row->bytes_requested);
    if (row->change != CA_SITE_SAME) {
        diff->site_count++;
        return describe(diff, row, shown);
    }
    add_to(&diff->same_allocations, &row->allocations);
    add_to(&diff->same_bytes, &row->bytes_requested);
    return true;
}

static uint64_t distance(const struct ca_figure_pair *pair) {
    return pair->before < pair->after ? (uint64_t)pair->after - (uint64_t)pair->before
                                      : (uint64_t)pair->before - (uint64_t)pair->after;
}

/* A total order, so that equal records give equal reports. */
static int compare_rows(const void *left, const void *right) {
    const struct ca_changed_site *a = left, *b = right;
    uint64_t of_a = distance(&a->allocations), of_b = distance(&b->allocations);
    if (a->change != b->change)
        return a->change < b->change ? -1 : 1;
    if (of_a == of_b) {
        of_a = distance(&a->bytes_requested);
        of_b = distance(&b->bytes_requested);
    }
    if (of_a != of_b)
        return of_a > of_b ? -1 : 1;
    int order = strcmp(a->phase, b->phase);
    if (order == 0)
        order = strcmp(a->function, b->function);
    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    for (uint32_t i = 0; order == 0 && i < a->caller_count && i < b->caller_count; i++)
        order = strcmp(a->callers[i], b->callers[i]);
    return order;
}

/* ---- what makes it doubtful ---- */

static void note_guesses(struct ca_site_diff *diff, const struct ca_site_pairs *pairs) {
    const char *noted[MODULES_NOTED];
    size_t noted_count = 0;
    for (size_t i = 0; i < pairs->pair_count; i++) {
        const struct ca_chain *after = pairs->pairs[i].after;
        if (after == NULL || pairs->pairs[i].before == NULL || !after->is_guess)
            continue;
        const struct ca_record_frame *frame = &diff->after->frames[after->site->frames[0]];
        const struct ca_record_module *module = &diff->after->modules[frame->module];
        const char *name = ca_plain_basename(module->path);
        bool is_noted = noted_count == MODULES_NOTED;
        for (size_t k = 0; k < noted_count; k++)
            is_noted |= strcmp(noted[k], name) == 0;
        if (is_noted)
            continue;
        noted[noted_count++] = name;
        note(diff,
             "%.100s: functions without a name, and %s: their sites are paired by their order and "
             "counts, which is a guess; a build with symbols can be compared by name",
             name,
             module->build_id_bytes > 0 ? "it was built anew, so that addresses mean nothing"
                                        : "no build id says whether it is the same build");
    }
}

static void note_missing_functions(struct ca_site_diff *diff) {
    size_t noted_count = 0;
    for (uint32_t i = 0; i < diff->after->module_count; i++) {
        const char *stem = ca_module_stem(diff->after, i);
        bool is_unknown_after, is_unknown_before;
        bool is_known_after = ca_module_has_functions(diff->after, i, &is_unknown_after);
        for (uint32_t k = 0; k < diff->before->module_count && noted_count < MODULES_NOTED; k++) {
            if (strcmp(stem, ca_module_stem(diff->before, k)) != 0)
                continue;
            bool is_known_before = ca_module_has_functions(diff->before, k, &is_unknown_before);
            if (is_known_after == is_known_before ||
                !(is_known_after ? is_unknown_before : is_unknown_after))
                continue;
            noted_count++;
            note(diff,
                 "%.100s: functions have names in the %s record only, so that its sites match none "
                 "of the other: keep symbols for both",
                 ca_plain_basename(diff->after->modules[i].path), is_known_after ? "new" : "old");
        }
    }
}

static void note_sum(struct ca_site_diff *diff, const char *which, int64_t of_sites,
                     uint64_t of_record) {
    if (of_sites != (int64_t)of_record)
        note(diff, "the sites of the %s record have %lld allocations, its total is %llu", which,
             (long long)of_sites, (unsigned long long)of_record);
}

static void add_notes(struct ca_site_diff *diff, const struct ca_site_pairs *pairs) {
    uint32_t of_before = diff->before->stack_depth, of_after = diff->after->stack_depth;
    if (of_before != of_after && (of_before == 1 || of_after == 1))
        note(diff,
             "the %s record has call sites, the other one stacks: a site there is all of the "
             "stacks that end in it",
             of_before == 1 ? "old" : "new");
    else if (of_before != of_after)
        note(diff, "stacks of %u and of %u frames: compared as far as both go", of_before,
             of_after);
    const struct ca_changed_site *first = diff->sites;
    char advice[CA_DIFF_NOTE_SIZE];
    if (diff->site_count > 0 &&
        ca_site_advice(first->function, first->caller_count, of_after, advice) != NULL)
        note(diff, "%s", advice);
    note_guesses(diff, pairs);
    note_missing_functions(diff);
    note_sum(diff, "old", diff->allocations.before, diff->before->total.allocations);
    note_sum(diff, "new", diff->allocations.after, diff->after->total.allocations);
}

const char *ca_site_advice(const char *function, uint32_t caller_count, uint32_t stack_depth,
                           char *ret_text) {
    if (caller_count > 0 || !ca_is_wrapper_name(function))
        return NULL;
    snprintf(ret_text, CA_DIFF_NOTE_SIZE, "by its name %.100s allocates for others: %s", function,
             stack_depth > 1
                 ? "'countalloc run --sample' estimates them where code has no frame pointers"
                 : "'--stacks' shows them where code has frame pointers, 'countalloc run "
                   "--sample' estimates them for any program");
    return ret_text;
}

/* ---- all together ---- */

static enum ca_status compare(struct ca_site_diff *diff, bool is_shallow, struct ca_error *err) {
    struct ca_chains chains;
    struct ca_site_pairs pairs = {0};
    bool is_whole = true;
    enum ca_status status = ca_chains_init(&chains, diff->before, diff->after, err);
    if (status == CA_OK)
        status = ca_site_pairs_init(&pairs, &chains, is_shallow, err);
    if (status == CA_OK)
        diff->sites = calloc(pairs.pair_count + 1, sizeof *diff->sites);
    is_whole = diff->sites != NULL;
    for (size_t i = 0; i < pairs.pair_count && status == CA_OK && is_whole; i++)
        is_whole = add_row(diff, &pairs.pairs[i]);
    if (status == CA_OK && is_whole) {
        qsort(diff->sites, diff->site_count, sizeof *diff->sites, compare_rows);
        diff->is_different = diff->site_count > 0;
        if (diff->before != &nothing)
            add_notes(diff, &pairs);
    }
    ca_site_pairs_release(&pairs);
    ca_chains_release(&chains);
    return status == CA_OK && !is_whole ? ca_error_memory(err) : status;
}

static bool has_sites(const struct ca_record *record) {
    return record->stack_depth > 0;
}

static enum ca_status refuse_missing(const struct ca_record *before, const struct ca_record *after,
                                     const char *shown_before, const char *shown_after,
                                     struct ca_error *err) {
    const struct ca_record *lacking = has_sites(before) ? after : before;
    const char *shown = lacking == before ? shown_before : shown_after;
    const char *option = before->stack_depth > 1 || after->stack_depth > 1 ? "--stacks" : "--sites";
    if (!has_sites(before) && !has_sites(after))
        return ca_error_set(err, CA_ERROR_INPUT,
                            "neither '%s' nor '%s' has call sites: record both again with "
                            "'countalloc run --sites -o FILE', or compare by phase",
                            shown_before, shown_after);
    return ca_error_set(
        err, CA_ERROR_INPUT,
        "'%s' has no call sites%s: record it again with 'countalloc run %s -o "
        "FILE', or compare by phase",
        shown, lacking->sample_bytes > 0 ? ", only samples, which are an estimate" : "", option);
}

enum ca_status ca_site_diff_init(struct ca_site_diff *diff, const struct ca_record *before,
                                 const struct ca_record *after, const char *shown_before,
                                 const char *shown_after, struct ca_error *err) {
    *diff = (struct ca_site_diff){.before = before, .after = after};
    if (!has_sites(before) || !has_sites(after))
        return refuse_missing(before, after, shown_before, shown_after, err);
    return compare(diff, before->stack_depth == 1 || after->stack_depth == 1, err);
}

enum ca_status ca_site_diff_init_alone(struct ca_site_diff *diff, const struct ca_record *record,
                                       struct ca_error *err) {
    *diff = (struct ca_site_diff){.before = &nothing, .after = record};
    return compare(diff, false, err);
}

void ca_site_diff_release(struct ca_site_diff *diff) {
    for (size_t i = 0; i < diff->name_count; i++)
        free(diff->names[i]);
    free(diff->names);
    free(diff->sites);
    *diff = (struct ca_site_diff){.before = NULL};
}
