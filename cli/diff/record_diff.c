/* SPDX-License-Identifier: MIT */
#include "diff/record_diff.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ca_counts nothing = {.has_live = true, .has_peak = true};

/* ---- numbers ---- */

static struct ca_figure_pair pair_of(int64_t before, int64_t after) {
    return (struct ca_figure_pair){true, before != after, before, after};
}

static uint64_t distance(const struct ca_figure_pair *pair) {
    return pair->before < pair->after ? (uint64_t)pair->after - (uint64_t)pair->before
                                      : (uint64_t)pair->before - (uint64_t)pair->after;
}

/* A peak is different only beyond what it may be wrong by. */
static struct ca_figure_pair compare(const struct ca_counts *before, const struct ca_counts *after,
                                     enum ca_column column) {
    struct ca_figure_pair pair = {.is_known = true};
    pair.is_known &= ca_column_get(before, column, &pair.before);
    pair.is_known &= ca_column_get(after, column, &pair.after);
    uint64_t error = ca_column_error(before, column) + ca_column_error(after, column);
    pair.is_different = pair.is_known && distance(&pair) > error;
    return pair;
}

static bool compare_counts(struct ca_phase_diff *phase, const struct ca_counts *before,
                           const struct ca_counts *after) {
    bool is_different = phase->opened.is_different;
    for (int column = 0; column < CA_COLUMN_COUNT; column++) {
        phase->figures[column] = compare(before, after, (enum ca_column)column);
        is_different |= phase->figures[column].is_different;
    }
    return is_different;
}

/* ---- units ---- */

static struct ca_unit_pair *unit_called(struct ca_phase_diff *phase, const char *name) {
    for (uint32_t i = 0; i < phase->unit_count; i++)
        if (strcmp(phase->units[i].name, name) == 0)
            return &phase->units[i];
    phase->units[phase->unit_count] = (struct ca_unit_pair){.name = name};
    return &phase->units[phase->unit_count++];
}

static bool compare_units(struct ca_phase_diff *phase, const struct ca_units *before,
                          uint32_t before_count, const struct ca_units *after,
                          uint32_t after_count) {
    bool is_different = false;
    for (uint32_t i = 0; i < before_count && i < CA_UNIT_CAPACITY; i++)
        unit_called(phase, before[i].name)->before = before[i].unit_count;
    for (uint32_t i = 0; i < after_count && i < CA_UNIT_CAPACITY; i++)
        unit_called(phase, after[i].name)->after = after[i].unit_count;
    for (uint32_t i = 0; i < phase->unit_count; i++)
        is_different |= phase->units[i].before != phase->units[i].after;
    return is_different;
}

/* ---- threads ---- */

static const struct ca_share *share_like(const struct ca_record_phase *phase,
                                         const struct ca_share *wanted) {
    for (uint32_t i = 0; phase != NULL && i < phase->share_count; i++)
        if (phase->shares[i].thread == wanted->thread &&
            phase->shares[i].is_adopted == wanted->is_adopted)
            return &phase->shares[i];
    return NULL;
}

static const char *thread_name(const struct ca_record *record, uint32_t number) {
    for (uint32_t i = 0; i < record->thread_count; i++)
        if (record->threads[i].number == number)
            return record->threads[i].name;
    return NULL;
}

static void add_thread(const struct ca_record_diff *diff, struct ca_phase_diff *phase,
                       const struct ca_share *before, const struct ca_share *after) {
    const struct ca_counts *old = before != NULL ? &before->counts : &nothing;
    const struct ca_counts *new = after != NULL ? &after->counts : &nothing;
    const struct ca_share *either = after != NULL ? after : before;
    struct ca_thread_pair thread = {
        .number = either->thread,
        .is_adopted = either->is_adopted,
        .name = thread_name(diff->after, either->thread),
        .allocations = compare(old, new, CA_COLUMN_ALLOCATIONS),
        .bytes_requested = compare(old, new, CA_COLUMN_BYTES_REQUESTED),
    };
    if (thread.name == NULL)
        thread.name = thread_name(diff->before, either->thread);
    if (thread.allocations.is_different || thread.bytes_requested.is_different)
        phase->threads[phase->thread_count++] = thread;
}

static int compare_threads(const void *a, const void *b) {
    const struct ca_thread_pair *left = a, *right = b;
    uint64_t of_left = distance(&left->allocations), of_right = distance(&right->allocations);
    if (of_left != of_right)
        return of_left > of_right ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

static bool add_threads(const struct ca_record_diff *diff, struct ca_phase_diff *phase,
                        const struct ca_record_phase *before, const struct ca_record_phase *after) {
    uint32_t before_count = before != NULL ? before->share_count : 0;
    uint32_t after_count = after != NULL ? after->share_count : 0;
    if (before_count <= 1 && after_count <= 1)
        return true;
    phase->threads = calloc((size_t)before_count + after_count, sizeof *phase->threads);
    if (phase->threads == NULL)
        return false;
    for (uint32_t i = 0; i < after_count; i++)
        add_thread(diff, phase, share_like(before, &after->shares[i]), &after->shares[i]);
    for (uint32_t i = 0; i < before_count; i++)
        if (share_like(after, &before->shares[i]) == NULL)
            add_thread(diff, phase, &before->shares[i], NULL);
    if (phase->thread_count > 0)
        qsort(phase->threads, phase->thread_count, sizeof *phase->threads, compare_threads);
    return true;
}

/* ---- phases ---- */

static const struct ca_record_phase *phase_called(const struct ca_record *record,
                                                  const char *name) {
    for (uint32_t i = 0; i < record->phase_count; i++)
        if (strcmp(record->phases[i].name, name) == 0 && record->phases[i].opened > 0)
            return &record->phases[i];
    return NULL;
}

/* Either may be NULL. False: no memory. */
static bool add_phase(struct ca_record_diff *diff, const struct ca_record_phase *before,
                      const struct ca_record_phase *after) {
    struct ca_phase_diff *phase = &diff->phases[diff->phase_count];
    *phase = (struct ca_phase_diff){
        .name = after != NULL ? after->name : before->name,
        .opened = pair_of(before != NULL ? (int64_t)before->opened : 0,
                          after != NULL ? (int64_t)after->opened : 0),
    };
    bool is_different = compare_counts(phase, before != NULL ? &before->counts : &nothing,
                                       after != NULL ? &after->counts : &nothing);
    is_different |= compare_units(
        phase, before != NULL ? before->units : NULL, before != NULL ? before->units_count : 0,
        after != NULL ? after->units : NULL, after != NULL ? after->units_count : 0);
    if (!is_different && before != NULL && after != NULL) {
        diff->same_count++;
        return true;
    }
    phase->change = before == NULL  ? CA_CHANGE_NEW
                    : after == NULL ? CA_CHANGE_GONE
                                    : CA_CHANGE_NUMBERS;
    diff->phase_count++;
    return add_threads(diff, phase, before, after);
}

static int compare_phases(const void *a, const void *b) {
    const struct ca_phase_diff *left = a, *right = b;
    for (int column = 0; column < CA_COLUMN_COUNT; column++) {
        uint64_t of_left = distance(&left->figures[column]);
        uint64_t of_right = distance(&right->figures[column]);
        if (of_left != of_right)
            return of_left > of_right ? -1 : 1;
    }
    return strcmp(left->name, right->name);
}

static bool add_phases(struct ca_record_diff *diff) {
    const struct ca_record *before = diff->before, *after = diff->after;
    bool is_whole = true;
    for (uint32_t i = 0; i < after->phase_count && is_whole; i++)
        if (after->phases[i].opened > 0)
            is_whole =
                add_phase(diff, phase_called(before, after->phases[i].name), &after->phases[i]);
    for (uint32_t i = 0; i < before->phase_count && is_whole; i++)
        if (before->phases[i].opened > 0 && phase_called(after, before->phases[i].name) == NULL)
            is_whole = add_phase(diff, &before->phases[i], NULL);
    if (diff->phase_count > 0)
        qsort(diff->phases, diff->phase_count, sizeof *diff->phases, compare_phases);
    return is_whole;
}

/* ---- what makes the comparison doubtful ---- */

__attribute__((format(printf, 2, 3))) static void note(struct ca_record_diff *diff,
                                                       const char *format, ...) {
    va_list arguments;
    if (diff->note_count == CA_DIFF_NOTES)
        return;
    va_start(arguments, format);
    vsnprintf(diff->notes[diff->note_count++], CA_DIFF_NOTE_SIZE, format, arguments);
    va_end(arguments);
}

static void note_text(struct ca_record_diff *diff, const char *what, const char *before,
                      const char *after, const char *meaning) {
    if (strcmp(before, after) != 0)
        note(diff, "%s: %.120s and %.120s%s", what, before, after, meaning);
}

static void note_ending(struct ca_record_diff *diff, const char *which,
                        const struct ca_record *record) {
    if (record->signal != 0)
        note(diff, "the %s program was killed by signal %d: its counts end there", which,
             record->signal);
    else if (!record->is_complete)
        note(diff, "the %s program did not run to its end: its counts end there", which);
    else if (record->has_exit_status && record->exit_status != 0)
        note(diff, "the %s program exited with status %d", which, record->exit_status);
    if (record->level == CA_LEVEL_PARTIAL)
        note(diff, "the %s program was counted in part: %.300s", which,
             record->note_count > 0 ? record->notes[record->note_count - 1] : "");
}

static void add_notes(struct ca_record_diff *diff) {
    const struct ca_record *before = diff->before, *after = diff->after;
    if (before->rules != after->rules)
        note(diff, "counting rules: %u and %u: the numbers do not mean the same", before->rules,
             after->rules);
    note_text(diff, "platform", before->platform_key, after->platform_key,
              ": a libc allocates in its own way");
    note_text(diff, "program", before->name, after->name, "");
    note_text(diff, "countalloc", before->version, after->version, "");
    note_ending(diff, "old", before);
    note_ending(diff, "new", after);
}

/* ---- all together ---- */

static enum ca_status refuse_unmeasured(const struct ca_record *record, const char *shown,
                                        struct ca_error *err) {
    if (record->is_attached && record->level != CA_LEVEL_NONE)
        return CA_OK;
    return ca_error_set(err, CA_ERROR_INPUT, "%s: nothing was measured: %s", shown,
                        record->note_count > 0 ? record->notes[0]
                                               : "the counting library was never in charge");
}

enum ca_status ca_record_diff_init(struct ca_record_diff *diff, const struct ca_record *before,
                                   const struct ca_record *after, const char *shown_before,
                                   const char *shown_after, struct ca_error *err) {
    *diff = (struct ca_record_diff){.before = before, .after = after};
    enum ca_status status = refuse_unmeasured(before, shown_before, err);
    if (status == CA_OK)
        status = refuse_unmeasured(after, shown_after, err);
    if (status != CA_OK)
        return status;
    size_t most = (size_t)before->phase_count + after->phase_count + 1;
    diff->phases = calloc(most, sizeof *diff->phases);
    if (diff->phases == NULL || !add_phases(diff)) {
        ca_record_diff_release(diff);
        return ca_error_memory(err);
    }
    diff->total.name = "total";
    diff->total.opened = pair_of(0, 0);
    bool is_different = compare_counts(&diff->total, &before->total, &after->total);
    is_different |= compare_units(&diff->total, before->total_units, before->total_units_count,
                                  after->total_units, after->total_units_count);
    diff->total.change = is_different ? CA_CHANGE_NUMBERS : CA_CHANGE_NONE;
    diff->is_different = is_different || diff->phase_count > 0;
    add_notes(diff);
    return CA_OK;
}

void ca_record_diff_release(struct ca_record_diff *diff) {
    for (size_t i = 0; diff->phases != NULL && i < diff->phase_count; i++)
        free(diff->phases[i].threads);
    free(diff->phases);
    diff->phases = NULL;
    diff->phase_count = 0;
}
