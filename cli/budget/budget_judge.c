/* SPDX-License-Identifier: MIT */
#include "budget/budget_judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/near_name.h"
#include "budget/budget_invalid.h"
#include "budget/budget_match.h"

#define TOTAL          "total"
#define OVERFLOW_PHASE "(other)" /* record.c's name for what found no place */

struct judge {
    const struct ca_budget_file *file;
    const struct ca_subject *subjects;
    size_t subject_count;
    const struct ca_judge_options *options;
    struct ca_judgement *judgement;
    size_t capacity;
    struct ca_matching matching; /* of the budget and record in hand */
    struct ca_error *err;
};

/* ---- verdicts ---- */

static struct ca_verdict *add_verdict(struct judge *judge) {
    struct ca_judgement *judgement = judge->judgement;
    if (judgement->verdict_count == judge->capacity) {
        size_t capacity = judge->capacity == 0 ? 16 : judge->capacity * 2;
        void *grown = realloc(judgement->verdicts, capacity * sizeof *judgement->verdicts);
        if (grown == NULL)
            return NULL;
        judgement->verdicts = grown;
        judge->capacity = capacity;
    }
    struct ca_verdict *verdict = &judgement->verdicts[judgement->verdict_count++];
    *verdict = (struct ca_verdict){.kind = CA_VERDICT_OK};
    return verdict;
}

/* ---- one budget against one record ---- */

static const struct ca_record_phase *find_phase(const struct ca_record *record, const char *name) {
    for (uint32_t i = 0; i < record->phase_count; i++)
        if (strcmp(record->phases[i].name, name) == 0 && record->phases[i].opened > 0)
            return &record->phases[i];
    return NULL;
}

static enum ca_status refuse_phase(struct judge *judge, struct ca_verdict *verdict) {
    const struct ca_record *record = verdict->subject->record;
    struct ca_listing opened = {.count = 0};
    for (uint32_t i = 0; i < record->phase_count; i++) {
        const struct ca_record_phase *phase = &record->phases[i];
        if (phase->opened == 0)
            continue;
        if (ca_is_near_name(verdict->phase, phase->name))
            return ca_verdict_invalidate(
                verdict, CA_INVALID_NEVER_OPENED,
                ca_text_of("phase '%s' was never opened", verdict->phase),
                ca_text_of("the program opened '%s': is that the one", phase->name), judge->err);
        if (!phase->is_process_phase)
            ca_listing_add(&opened, phase->name);
    }
    return ca_verdict_invalidate(
        verdict, CA_INVALID_NEVER_OPENED, ca_text_of("phase '%s' was never opened", verdict->phase),
        ca_text_of("the phases that the program opened: %s; "
                   "countalloc_phase_begin(\"%s\") opens this one",
                   ca_listing_text(&opened, "none of its own"), verdict->phase),
        judge->err);
}

/* A row for what found no place may hold anything, this phase's calls included. */
static bool has_overflowed(const struct ca_record *record) {
    for (uint32_t i = 0; i < record->thread_count; i++)
        if (record->threads[i].number == 0 && record->threads[i].counts.allocations > 0)
            return true;
    const struct ca_record_phase *other = find_phase(record, OVERFLOW_PHASE);
    return other != NULL && !other->is_process_phase;
}

static enum ca_status refuse_unit(struct judge *judge, struct ca_verdict *verdict,
                                  const struct ca_units *units, uint32_t units_count,
                                  bool is_total) {
    for (uint32_t i = 0; i < units_count; i++)
        if (strcmp(units[i].name, verdict->unit) == 0)
            return ca_verdict_invalidate(
                verdict, CA_INVALID_ZERO_UNITS, ca_text_of("it did 0 units of '%s'", verdict->unit),
                ca_text_of("give the program something to do"), judge->err);
    struct ca_listing present = {.count = 0};
    for (uint32_t i = 0; i < units_count; i++)
        ca_listing_add(&present, units[i].name);
    return ca_verdict_invalidate(
        verdict, CA_INVALID_NO_UNIT,
        ca_text_of("%s has no unit '%s' (it has %s)", is_total ? "the total" : "the phase",
                   verdict->unit, ca_listing_text(&present, "none")),
        ca_text_of(
            "countalloc_phase_units(\"%s\", n) in the program gives it, or --units %s=N of the run",
            verdict->unit, verdict->unit),
        judge->err);
}

static uint64_t units_of(const char *unit, const struct ca_units *units, uint32_t units_count) {
    for (uint32_t i = 0; unit != NULL && i < units_count; i++)
        if (strcmp(units[i].name, unit) == 0)
            return units[i].unit_count;
    return 0;
}

/* What the budget is held against. Only what limits are about is summed. */
static struct ca_counts counts_in_scope(const struct ca_record_phase *phase, enum ca_scope scope) {
    if (scope == CA_SCOPE_ALL)
        return phase->counts;
    struct ca_counts counts = {
        .has_peak = phase->counts.has_peak,
        .bytes_peak = phase->counts.bytes_peak,
        .bytes_peak_error = phase->counts.bytes_peak_error,
    };
    for (uint32_t i = 0; i < phase->share_count; i++) {
        if (phase->shares[i].is_adopted)
            continue;
        counts.allocations += phase->shares[i].counts.allocations;
        counts.bytes_requested += phase->shares[i].counts.bytes_requested;
        counts.live_blocks += phase->shares[i].counts.live_blocks;
    }
    return counts;
}

static ca_i128 measured_of(const struct ca_counts *counts, enum ca_limit_kind kind) {
    switch (kind) {
    case CA_LIMIT_ALLOCATIONS:
        return counts->allocations;
    case CA_LIMIT_BYTES:
        return counts->bytes_requested;
    case CA_LIMIT_BYTES_PEAK:
        return counts->bytes_peak;
    default:
        return counts->live_blocks;
    }
}

/* 128 bits cannot overflow here: see ratio.h. */
static enum ca_verdict_kind compare(const struct ca_comparison *comparison) {
    ca_i128 measured = comparison->measured;
    if (measured > 0 && (ca_u128)measured > comparison->limit + comparison->tolerance)
        return CA_VERDICT_OVER;
    measured += comparison->tolerance;
    return measured < 0 || (ca_u128)measured < comparison->limit ? CA_VERDICT_IMPROVED
                                                                 : CA_VERDICT_OK;
}

static int severity(enum ca_verdict_kind kind) {
    return kind == CA_VERDICT_OVER ? 2 : kind == CA_VERDICT_IMPROVED;
}

static void add_comparison(struct ca_verdict *verdict, const struct ca_effective *effective,
                           enum ca_limit_kind kind, const struct ca_counts *counts) {
    const struct ca_budget_section *fixed_from = effective->fixed_from[kind];
    const struct ca_budget_section *rate_from = effective->rate_from[kind];
    if (fixed_from == NULL && rate_from == NULL)
        return;
    struct ca_comparison *comparison = &verdict->comparisons[verdict->comparison_count++];
    *comparison = (struct ca_comparison){
        .kind = kind,
        .measured = measured_of(counts, kind),
        .fixed = fixed_from != NULL ? fixed_from->limits[kind].fixed : 0,
        .rate = rate_from != NULL ? rate_from->limits[kind].rate : (struct ca_ratio){0, 1},
        .tolerance = kind == CA_LIMIT_ALLOCATIONS ? effective->tolerance : 0,
        .unit_count = verdict->unit_count,
        .error = kind == CA_LIMIT_BYTES_PEAK ? counts->bytes_peak_error : 0,
        .fixed_from = fixed_from,
        .line = fixed_from != NULL ? fixed_from->limits[kind].fixed_at.line
                                   : rate_from->limits[kind].rate_at.line,
    };
    comparison->limit =
        ca_ratio_times(comparison->rate, comparison->unit_count) + comparison->fixed;
    comparison->verdict = compare(comparison);
    if (verdict->comparison_count == 1 || severity(comparison->verdict) > severity(verdict->kind)) {
        verdict->kind = comparison->verdict;
        verdict->line = comparison->line;
    }
}

static bool is_limited(const struct ca_effective *effective, enum ca_limit_kind kind) {
    return effective->fixed_from[kind] != NULL || effective->rate_from[kind] != NULL;
}

static enum ca_status compare_all(struct judge *judge, struct ca_verdict *verdict,
                                  const struct ca_effective *effective,
                                  const struct ca_counts *counts) {
    if (is_limited(effective, CA_LIMIT_BYTES_PEAK) && !counts->has_peak)
        return ca_verdict_invalidate(
            verdict, CA_INVALID_LIVE_OFF, ca_text_of("bytes_peak was not measured"),
            ca_text_of("run with --live on; where it is on, the record's notes say why"),
            judge->err);
    for (int kind = 0; kind < CA_LIMIT_COUNT; kind++)
        add_comparison(verdict, effective, (enum ca_limit_kind)kind, counts);
    if (verdict->comparison_count == 0)
        return ca_verdict_invalidate(verdict, CA_INVALID_NO_LIMIT,
                                     ca_text_of("the sections that match platform %s limit nothing",
                                                verdict->subject->record->platform_key),
                                     ca_text_of("give [%s] a limit", verdict->section->title),
                                     judge->err);
    return CA_OK;
}

static enum ca_status judge_phase(struct judge *judge, struct ca_verdict *verdict,
                                  const struct ca_effective *effective) {
    const struct ca_record *record = verdict->subject->record;
    const struct ca_record_phase *phase = find_phase(record, verdict->phase);
    if (phase == NULL)
        return refuse_phase(judge, verdict);
    if (phase->is_process_phase)
        verdict->scope = CA_SCOPE_ALL;
    else if (has_overflowed(record))
        return ca_verdict_invalidate(
            verdict, CA_INVALID_OVERFLOW,
            ca_text_of("the counters overflowed, so that calls of this phase may be counted "
                       "elsewhere"),
            ca_text_of("the record's notes say which; open fewer phases or threads, or budget "
                       "the total"),
            judge->err);
    if (verdict->scope == CA_SCOPE_OWNER && phase->share_count == 0 &&
        phase->counts.allocations > 0)
        return ca_verdict_invalidate(
            verdict, CA_INVALID_NO_THREADS,
            ca_text_of("the record has no figures by thread for this phase"),
            ca_text_of("record it again, or set 'scope = all'"), judge->err);
    verdict->unit_count = units_of(verdict->unit, phase->units, phase->units_count);
    if (verdict->unit != NULL && verdict->unit_count == 0)
        return refuse_unit(judge, verdict, phase->units, phase->units_count, false);
    struct ca_counts counts = counts_in_scope(phase, verdict->scope);
    verdict->measured_phase = phase;
    verdict->adopted_allocations =
        verdict->scope == CA_SCOPE_OWNER ? phase->counts.allocations - counts.allocations : 0;
    return compare_all(judge, verdict, effective, &counts);
}

static enum ca_status judge_total(struct judge *judge, struct ca_verdict *verdict,
                                  const struct ca_effective *effective) {
    const struct ca_record *record = verdict->subject->record;
    verdict->scope = CA_SCOPE_ALL;
    verdict->unit_count = units_of(verdict->unit, record->total_units, record->total_units_count);
    if (verdict->unit != NULL && verdict->unit_count == 0)
        return refuse_unit(judge, verdict, record->total_units, record->total_units_count, true);
    return compare_all(judge, verdict, effective, &record->total);
}

static enum ca_status refuse_platform(struct judge *judge, struct ca_verdict *verdict,
                                      const struct ca_budget_section *budget) {
    struct ca_listing platforms = {.count = 0};
    for (size_t i = 0; i < judge->file->section_count; i++)
        if (ca_budget_section_is_sibling(&judge->file->sections[i], budget))
            ca_listing_add(&platforms, judge->file->sections[i].platform);
    const char *key = verdict->subject->record->platform_key;
    return ca_verdict_invalidate(
        verdict, CA_INVALID_NO_PLATFORM,
        ca_text_of("its sections are for %s, the record is of %s", ca_listing_text(&platforms, ""),
                   key),
        ca_text_of("add [%s/%s], which is for every platform, or one for this", budget->program,
                   budget->phase),
        judge->err);
}

static enum ca_status judge_budget(struct judge *judge, const struct ca_budget_section *budget,
                                   const struct ca_subject *subject) {
    struct ca_verdict *verdict = add_verdict(judge);
    if (verdict == NULL)
        return ca_error_memory(judge->err);
    const char *key = subject->record->platform_key;
    enum ca_invalid_reason reason = ca_subject_reason(subject, judge->options);
    struct ca_matching *matching = &judge->matching;
    ca_matching_collect(matching, judge->file, budget, key);
    const struct ca_budget_section *section = matching->best != NULL ? matching->best : budget;
    verdict->subject = subject;
    verdict->section = section;
    verdict->phase = section->phase;
    verdict->line = section->line;
    if (reason != CA_INVALID_NONE)
        return ca_verdict_invalidate_for_record(verdict, reason, judge->err);
    if (matching->best == NULL)
        return refuse_platform(judge, verdict, budget);
    struct ca_effective effective;
    enum ca_status status = ca_matching_resolve(matching, judge->file, key, &effective, judge->err);
    if (status != CA_OK)
        return status;
    verdict->scope = effective.scope;
    verdict->unit = effective.per;
    verdict->why = effective.why;
    return strcmp(section->phase, TOTAL) == 0 ? judge_total(judge, verdict, &effective)
                                              : judge_phase(judge, verdict, &effective);
}

/* ---- budgets without records, records and phases without budgets ---- */

static enum ca_status add_stale(struct judge *judge, const struct ca_budget_section *budget) {
    struct ca_verdict *verdict = add_verdict(judge);
    if (verdict == NULL)
        return ca_error_memory(judge->err);
    verdict->kind = CA_VERDICT_STALE;
    verdict->section = budget;
    verdict->phase = budget->phase;
    verdict->line = budget->line;
    return CA_OK;
}

static bool is_first_of_budget(const struct ca_budget_file *file, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (ca_budget_section_is_sibling(&file->sections[i], &file->sections[index]))
            return false;
    return true;
}

static enum ca_status judge_budgets(struct judge *judge) {
    enum ca_status status = CA_OK;
    for (size_t i = 0; i < judge->file->section_count && status == CA_OK; i++) {
        const struct ca_budget_section *budget = &judge->file->sections[i];
        if (!is_first_of_budget(judge->file, i))
            continue;
        bool has_record = false;
        for (size_t k = 0; k < judge->subject_count && status == CA_OK; k++) {
            if (!ca_section_is_for(budget, judge->subjects[k].record))
                continue;
            has_record = true;
            status = judge_budget(judge, budget, &judge->subjects[k]);
        }
        if (!has_record && status == CA_OK)
            status = add_stale(judge, budget);
    }
    return status;
}

static bool has_budget(const struct judge *judge, const struct ca_record *record,
                       const char *phase) {
    for (size_t i = 0; i < judge->file->section_count; i++) {
        const struct ca_budget_section *section = &judge->file->sections[i];
        if (ca_section_is_for(section, record) &&
            (phase == NULL || strcmp(section->phase, phase) == 0))
            return true;
    }
    return false;
}

static enum ca_status judge_without_budget(struct judge *judge, const struct ca_subject *subject) {
    struct ca_verdict *verdict = add_verdict(judge);
    if (verdict == NULL)
        return ca_error_memory(judge->err);
    verdict->subject = subject;
    verdict->phase = TOTAL;
    enum ca_invalid_reason reason = ca_subject_reason(subject, judge->options);
    if (reason != CA_INVALID_NONE)
        return ca_verdict_invalidate_for_record(verdict, reason, judge->err);
    struct ca_listing programs = {.count = 0};
    for (size_t i = 0; i < judge->file->section_count; i++) {
        const char *program = judge->file->sections[i].program;
        if (i == 0 || strcmp(program, judge->file->sections[i - 1].program) != 0)
            ca_listing_add(&programs, program);
    }
    return ca_verdict_invalidate(
        verdict, CA_INVALID_NO_SECTION,
        ca_text_of("no section of %s is for program '%s'", judge->file->path,
                   subject->record->name),
        ca_text_of("add [%s/total], or name the program with --name as the file has it: %s",
                   subject->record->name, ca_listing_text(&programs, "it has no section")),
        judge->err);
}

static enum ca_status list_unbudgeted(struct judge *judge, const struct ca_subject *subject) {
    const struct ca_record *record = subject->record;
    for (uint32_t i = 0; i < record->phase_count; i++) {
        const struct ca_record_phase *phase = &record->phases[i];
        if (phase->is_process_phase || phase->opened == 0 || has_budget(judge, record, phase->name))
            continue;
        struct ca_verdict *verdict = add_verdict(judge);
        if (verdict == NULL)
            return ca_error_memory(judge->err);
        verdict->kind = CA_VERDICT_UNBUDGETED;
        verdict->subject = subject;
        verdict->phase = phase->name;
        verdict->measured_phase = phase;
    }
    return CA_OK;
}

static enum ca_status judge_the_rest(struct judge *judge) {
    enum ca_status status = CA_OK;
    for (size_t i = 0; i < judge->subject_count && status == CA_OK; i++)
        if (!has_budget(judge, judge->subjects[i].record, NULL))
            status = judge_without_budget(judge, &judge->subjects[i]);
    for (size_t i = 0; i < judge->subject_count && status == CA_OK; i++)
        if (has_budget(judge, judge->subjects[i].record, NULL) &&
            ca_subject_reason(&judge->subjects[i], judge->options) == CA_INVALID_NONE)
            status = list_unbudgeted(judge, &judge->subjects[i]);
    return status;
}

/* ---- all together ---- */

static const char *source_of(const struct ca_subject *subject) {
    return subject->source != NULL ? subject->source : "the run";
}

static enum ca_status refuse_doubles(const struct judge *judge) {
    size_t allowed = judge->options->is_pair_ok ? 1 : 0;
    for (size_t i = 0; i < judge->subject_count; i++) {
        const struct ca_record *record = judge->subjects[i].record;
        size_t same_count = 0;
        for (size_t k = 0; k < i; k++) {
            const struct ca_record *before = judge->subjects[k].record;
            if (strcmp(before->name, record->name) != 0 ||
                strcmp(before->platform_key, record->platform_key) != 0 || same_count++ < allowed)
                continue;
            return ca_error_set(
                judge->err, CA_ERROR_INPUT,
                "%s and %s are both records of '%s' on %s: name one of them with --name, or "
                "add them up with 'countalloc merge'",
                source_of(&judge->subjects[k]), source_of(&judge->subjects[i]), record->name,
                record->platform_key);
        }
    }
    return CA_OK;
}

bool ca_verdict_is_failure(const struct ca_judgement *judgement, const struct ca_verdict *verdict) {
    return verdict->kind == CA_VERDICT_OVER || verdict->kind == CA_VERDICT_INVALID ||
           (judgement->is_strict && verdict->kind != CA_VERDICT_OK);
}

void ca_judgement_sum_up(struct ca_judgement *judgement) {
    memset(judgement->counts, 0, sizeof judgement->counts);
    judgement->comparison_count = 0;
    for (size_t i = 0; i < judgement->verdict_count; i++) {
        judgement->counts[judgement->verdicts[i].kind]++;
        judgement->comparison_count += judgement->verdicts[i].comparison_count;
    }
    const size_t *counts = judgement->counts;
    bool is_strict = judgement->is_strict;
    if (counts[CA_VERDICT_INVALID] > 0 || judgement->comparison_count == 0)
        judgement->overall = CA_VERDICT_INVALID;
    else if (counts[CA_VERDICT_OVER] > 0)
        judgement->overall = CA_VERDICT_OVER;
    else if (counts[CA_VERDICT_IMPROVED] > 0)
        judgement->overall = CA_VERDICT_IMPROVED;
    else if (is_strict && counts[CA_VERDICT_STALE] > 0)
        judgement->overall = CA_VERDICT_STALE;
    else if (is_strict && counts[CA_VERDICT_UNBUDGETED] > 0)
        judgement->overall = CA_VERDICT_UNBUDGETED;
    else
        judgement->overall = CA_VERDICT_OK;
    bool is_green = judgement->overall == CA_VERDICT_OK ||
                    (judgement->overall == CA_VERDICT_IMPROVED && !is_strict);
    judgement->status = judgement->overall == CA_VERDICT_INVALID ? 3 : is_green ? 0 : 1;
}

enum ca_status ca_budget_judge(const struct ca_budget_file *file, const struct ca_subject *subjects,
                               size_t subject_count, const struct ca_judge_options *options,
                               struct ca_judgement *ret_judgement, struct ca_error *err) {
    struct ca_judgement judgement = {.is_strict = options->is_strict};
    struct judge judge = {.file = file,
                          .subjects = subjects,
                          .subject_count = subject_count,
                          .options = options,
                          .judgement = &judgement,
                          .err = err};
    enum ca_status status = ca_matching_init(&judge.matching, file, err);
    if (status == CA_OK)
        status = refuse_doubles(&judge);
    if (status == CA_OK)
        status = judge_budgets(&judge);
    if (status == CA_OK)
        status = judge_the_rest(&judge);
    ca_matching_release(&judge.matching);
    if (status != CA_OK) {
        ca_judgement_release(&judgement);
        return status;
    }
    ca_judgement_sum_up(&judgement);
    *ret_judgement = judgement;
    return CA_OK;
}

void ca_judgement_release(struct ca_judgement *judgement) {
    for (size_t i = 0; i < judgement->verdict_count; i++) {
        free(judgement->verdicts[i].cause);
        free(judgement->verdicts[i].next_step);
        free(judgement->verdicts[i].base_note);
    }
    free(judgement->verdicts);
    *judgement = (struct ca_judgement){0};
}
