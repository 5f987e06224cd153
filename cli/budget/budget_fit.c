/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "budget/budget_plan.h"

/* One limit of one budget at two sizes. */
struct pair {
    const struct ca_verdict *verdict; /* of the smaller */
    const struct ca_comparison *small;
    const struct ca_comparison *large;
};

struct fit {
    struct ca_ratio rate;
    ca_i128 fixed;
};

static const struct ca_verdict *find_partner(const struct ca_judgement *judgement, size_t index) {
    const struct ca_verdict *verdict = &judgement->verdicts[index];
    const struct ca_record *record = verdict->subject->record;
    for (size_t i = index + 1; i < judgement->verdict_count; i++) {
        const struct ca_verdict *other = &judgement->verdicts[i];
        if (other->section == verdict->section && other->comparison_count > 0 &&
            strcmp(other->subject->record->name, record->name) == 0 &&
            strcmp(other->subject->record->platform_key, record->platform_key) == 0)
            return other;
    }
    return NULL;
}

/* The line through both points: growing with the smallest rate and fixed number that allow both. */
static struct fit fit_line(const struct pair *pair) {
    ca_i128 growth = pair->large->measured - pair->small->measured;
    uint64_t unit_growth = pair->large->unit_count - pair->small->unit_count;
    struct fit fit = {.rate = {0, 1}};
    if (growth > 0 && growth <= (ca_i128)UINT64_MAX)
        fit.rate = ca_ratio_of((uint64_t)growth, unit_growth);
    const struct ca_comparison *points[] = {pair->small, pair->large};
    for (size_t i = 0; i < 2; i++) {
        ca_u128 growing = ca_ratio_times(fit.rate, points[i]->unit_count);
        /* From 2^64 on, the rest is negative whatever was measured. */
        ca_u128 most = (ca_u128)UINT64_MAX + 1;
        ca_i128 rest = points[i]->measured - (ca_i128)(growing < most ? growing : most);
        if (i == 0 || rest > fit.fixed)
            fit.fixed = rest;
    }
    return fit;
}

static ca_u128 limit_at(const struct fit *fit, uint64_t unit_count) {
    return ca_ratio_times(fit->rate, unit_count) + (ca_u128)fit->fixed;
}

static enum ca_status remark_amortised(struct ca_planner *planner, const struct pair *pair,
                                       struct ca_ratio rate) {
    char text[5][CA_NUMBER_TEXT_SIZE];
    return ca_planner_remark(planner, pair->verdict->section,
                             pair->verdict->section->limits[pair->small->kind].rate_at.line,
                             "%s: amortised growth: %s to %s over %s to %s %s is %s per %s, no "
                             "whole number: something grows in steps, and "
                             "the rate holds near these sizes only",
                             ca_limit_name(pair->small->kind),
                             ca_i128_text(pair->small->measured, text[0]),
                             ca_i128_text(pair->large->measured, text[1]),
                             ca_u128_text(pair->small->unit_count, text[2]),
                             ca_u128_text(pair->large->unit_count, text[3]), pair->verdict->unit,
                             ca_ratio_text(rate, text[4]), pair->verdict->unit);
}

static enum ca_status set_both(struct ca_planner *planner, const struct pair *pair,
                               const struct fit *fit) {
    const struct ca_budget_section *section = pair->verdict->section;
    const struct ca_comparison *now = pair->small;
    bool is_raise = limit_at(fit, pair->small->unit_count) > pair->small->limit ||
                    limit_at(fit, pair->large->unit_count) > pair->large->limit ||
                    ca_ratio_compare(fit->rate, now->rate) > 0;
    struct ca_ratio fixed = {(uint64_t)fit->fixed, 1};
    enum ca_status status =
        ca_planner_set(planner, section, now->kind, true, now->rate, fit->rate, is_raise);
    if (status == CA_OK)
        status = ca_planner_set(planner, section, now->kind, false,
                                (struct ca_ratio){now->fixed, 1}, fixed, is_raise);
    return status;
}

static enum ca_status fit_pair(struct ca_planner *planner, const struct pair *pair) {
    struct fit fit = fit_line(pair);
    if (fit.fixed < 0)
        return ca_planner_remark(
            planner, pair->verdict->section, 0,
            "%s: growth beyond proportion: no fixed number and rate fit both records",
            ca_limit_name(pair->small->kind));
    enum ca_status status = CA_OK;
    if (fit.rate.denominator != 1)
        status = remark_amortised(planner, pair, fit.rate);
    return status == CA_OK ? set_both(planner, pair, &fit) : status;
}

static enum ca_status fit_budget(struct ca_planner *planner, const struct ca_verdict *first,
                                 const struct ca_verdict *second) {
    if (first->unit == NULL)
        return ca_planner_remark(planner, first->section, 0,
                                 "not fitted: it has no unit; 'per = UNIT' gives it one");
    if (first->unit_count == second->unit_count)
        return ca_error_set(
            planner->err, CA_ERROR_USAGE,
            "%s:%u: [%s]: --fit wants records of two sizes, and both have %llu of unit '%s'",
            planner->file->path, first->section->line, first->section->title,
            (unsigned long long)first->unit_count, first->unit);
    bool is_in_order = first->unit_count < second->unit_count;
    enum ca_status status = CA_OK;
    for (size_t i = 0; i < first->comparison_count && status == CA_OK; i++) {
        struct pair pair = {
            .verdict = is_in_order ? first : second,
            .small = is_in_order ? &first->comparisons[i] : &second->comparisons[i],
            .large = is_in_order ? &second->comparisons[i] : &first->comparisons[i],
        };
        status = fit_pair(planner, &pair);
    }
    return status;
}

/* The verdict before this one that its section was fitted by; NULL: none. */
static const struct ca_verdict *find_fitted(const struct ca_judgement *judgement, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (judgement->verdicts[i].section == judgement->verdicts[index].section &&
            judgement->verdicts[i].comparison_count > 0)
            return &judgement->verdicts[i];
    return NULL;
}

static bool is_unmeasured(const struct ca_judgement *judgement,
                          const struct ca_budget_section *section) {
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (judgement->verdicts[i].kind == CA_VERDICT_INVALID &&
            judgement->verdicts[i].section == section)
            return true;
    return false;
}

static enum ca_status fit_from(struct ca_planner *planner, size_t index) {
    const struct ca_judgement *judgement = planner->judgement;
    const struct ca_verdict *first = &judgement->verdicts[index];
    const struct ca_verdict *fitted = find_fitted(judgement, index);
    if (fitted != NULL &&
        strcmp(fitted->subject->record->platform_key, first->subject->record->platform_key) == 0)
        return CA_OK;
    if (fitted != NULL)
        return ca_planner_remark(
            planner, first->section, 0,
            "fitted for one platform only: give each platform a section of its own");
    const struct ca_verdict *second = find_partner(judgement, index);
    if (second == NULL && is_unmeasured(judgement, first->section))
        return ca_planner_remark(planner, first->section, 0,
                                 "not fitted: one of the records of this budget was not measured");
    if (second == NULL)
        return ca_error_set(
            planner->err, CA_ERROR_USAGE,
            "%s:%u: [%s]: --fit wants two records of '%s', of different size, and has one",
            planner->file->path, first->section->line, first->section->title,
            first->subject->record->name);
    return fit_budget(planner, first, second);
}

enum ca_status ca_budget_plan_fit(const struct ca_budget_file *file,
                                  const struct ca_judgement *judgement, enum ca_update_mode mode,
                                  struct ca_budget_plan *ret_plan, struct ca_error *err) {
    struct ca_budget_plan plan = {0};
    struct ca_planner planner = {file, judgement, mode, &plan, err};
    enum ca_status status = CA_OK;
    for (size_t i = 0; i < judgement->verdict_count && status == CA_OK; i++)
        if (judgement->verdicts[i].section != NULL && judgement->verdicts[i].comparison_count > 0)
            status = fit_from(&planner, i);
    if (status == CA_OK)
        status = ca_planner_finish(&planner);
    if (status == CA_OK)
        *ret_plan = plan;
    else
        ca_budget_plan_release(&plan);
    return status;
}
