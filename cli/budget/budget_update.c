/* SPDX-License-Identifier: MIT */
#include "budget/budget_update.h"

#include <stdlib.h>
#include <string.h>

#include "budget/budget_plan.h"

/* What all records together want of one number. */
struct wish {
    ca_i128 fixed;   /* the largest that a record needs */
    uint64_t before; /* in force */
    bool is_over;
    bool is_improved;
    bool is_unknown; /* a record of this budget was not measured */
};

static const struct ca_comparison *comparison_of(const struct ca_verdict *verdict,
                                                 enum ca_limit_kind kind) {
    for (size_t i = 0; i < verdict->comparison_count; i++)
        if (verdict->comparisons[i].kind == kind)
            return &verdict->comparisons[i];
    return NULL;
}

static ca_i128 needed_by(const struct ca_comparison *comparison) {
    ca_u128 growing = ca_ratio_times(comparison->rate, comparison->unit_count);
    /* Beyond 64 bits the difference is negative whatever was measured. */
    if (growing > UINT64_MAX)
        return -1;
    ca_i128 needed = comparison->measured - (ca_i128)growing;
    return needed < 0 && growing == 0 ? 0 : needed;
}

/* Whether a change of the section's number would change this verdict. */
static bool is_concerned(const struct ca_verdict *verdict, const struct ca_comparison *comparison,
                         const struct ca_budget_section *section) {
    return verdict->section == section || comparison->fixed_from == section;
}

static bool collect(const struct ca_judgement *judgement, const struct ca_budget_section *section,
                    enum ca_limit_kind kind, struct wish *ret_wish) {
    struct wish wish = {.before = 0};
    bool is_any = false;
    for (size_t i = 0; i < judgement->verdict_count; i++) {
        const struct ca_verdict *verdict = &judgement->verdicts[i];
        wish.is_unknown |= verdict->kind == CA_VERDICT_INVALID && verdict->section != NULL &&
                           ca_budget_section_is_sibling(verdict->section, section);
        const struct ca_comparison *comparison = comparison_of(verdict, kind);
        if (comparison == NULL || !is_concerned(verdict, comparison, section))
            continue;
        ca_i128 needed = needed_by(comparison);
        if (!is_any || needed > wish.fixed)
            wish.fixed = needed;
        is_any = true;
        if (verdict->section != section)
            continue;
        wish.before = comparison->fixed;
        wish.is_over |= comparison->verdict == CA_VERDICT_OVER;
        wish.is_improved |= comparison->verdict == CA_VERDICT_IMPROVED;
    }
    *ret_wish = wish;
    return is_any && (wish.is_over || wish.is_improved);
}

static enum ca_status plan_number(struct ca_planner *planner,
                                  const struct ca_budget_section *section,
                                  enum ca_limit_kind kind) {
    struct wish wish;
    if (!collect(planner->judgement, section, kind, &wish))
        return CA_OK;
    const char *key = ca_limit_key(kind, false);
    uint32_t line = section->limits[kind].fixed_at.line;
    if (wish.is_unknown)
        return ca_planner_remark(planner, section, line,
                                 "%s stays: one of the records of this budget was not measured",
                                 key);
    if (wish.fixed < 0)
        return ca_planner_remark(
            planner, section, line,
            "%s stays: the rate alone allows more than was measured; --fit with records of two "
            "sizes finds a lower rate",
            key);
    struct ca_ratio before = {wish.before, 1}, after = {(uint64_t)wish.fixed, 1};
    bool is_raise = after.numerator > before.numerator;
    return ca_planner_set(planner, section, kind, false, before, after, is_raise);
}

enum ca_status ca_budget_plan_update(const struct ca_budget_file *file,
                                     const struct ca_judgement *judgement, enum ca_update_mode mode,
                                     struct ca_budget_plan *ret_plan, struct ca_error *err) {
    struct ca_budget_plan plan = {0};
    struct ca_planner planner = {file, judgement, mode, &plan, err};
    enum ca_status status = CA_OK;
    for (size_t i = 0; i < file->section_count && status == CA_OK; i++)
        for (int kind = 0; kind < CA_LIMIT_COUNT && status == CA_OK; kind++)
            status = plan_number(&planner, &file->sections[i], (enum ca_limit_kind)kind);
    if (status == CA_OK)
        status = ca_planner_finish(&planner);
    if (status == CA_OK)
        *ret_plan = plan;
    else
        ca_budget_plan_release(&plan);
    return status;
}
