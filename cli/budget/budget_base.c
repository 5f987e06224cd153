/* SPDX-License-Identifier: MIT */
#include "budget/budget_base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct holder {
    struct ca_judgement *judgement;
    struct ca_judgement *base_judgement;
    const struct ca_budget_base *base;
    bool *is_used; /* of base_judgement's verdicts: it has a partner */
    struct ca_error *err;
};

const char *ca_base_relation_name(enum ca_base_relation relation) {
    static const char *const names[] = {NULL, "same", "raised", "new", "removed"};
    return names[relation];
}

void ca_budget_base_release(struct ca_budget_base *base) {
    if (base->has_file)
        ca_budget_file_release(&base->file);
    *base = (struct ca_budget_base){.ref = NULL};
}

static ca_u128 allowed_by(const struct ca_comparison *comparison) {
    return comparison->limit + comparison->tolerance;
}

static struct ca_comparison *comparison_of(struct ca_verdict *verdict, enum ca_limit_kind kind) {
    for (size_t i = 0; i < verdict->comparison_count; i++)
        if (verdict->comparisons[i].kind == kind)
            return &verdict->comparisons[i];
    return NULL;
}

static bool is_same_unit(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The same budget against the same record, or the budget of a phase that has none any more. */
static bool is_partner(const struct ca_verdict *verdict, const struct ca_verdict *of_base) {
    if (of_base->section == NULL || verdict->subject == NULL ||
        verdict->subject != of_base->subject || strcmp(verdict->phase, of_base->phase) != 0)
        return false;
    return verdict->section != NULL
               ? ca_budget_section_is_sibling(verdict->section, of_base->section)
               : verdict->kind == CA_VERDICT_UNBUDGETED;
}

static struct ca_verdict *find_partner(struct holder *holder, const struct ca_verdict *verdict) {
    for (size_t i = 0; i < holder->base_judgement->verdict_count; i++)
        if (!holder->is_used[i] && is_partner(verdict, &holder->base_judgement->verdicts[i])) {
            holder->is_used[i] = true;
            return &holder->base_judgement->verdicts[i];
        }
    return NULL;
}

/* The worst comparison decides, as in budget_judge.c. */
static void settle(struct ca_verdict *verdict) {
    static const int severity[CA_VERDICT_COUNT] = {
        [CA_VERDICT_OVER] = 2, [CA_VERDICT_IMPROVED] = 1};
    for (size_t i = 0; i < verdict->comparison_count; i++) {
        const struct ca_comparison *comparison = &verdict->comparisons[i];
        if (i > 0 && severity[comparison->verdict] <= severity[verdict->kind])
            continue;
        verdict->kind = comparison->verdict;
        verdict->line = comparison->line;
    }
}

__attribute__((format(printf, 3, 4))) static enum ca_status
note(struct holder *holder, struct ca_verdict *verdict, const char *format, ...) {
    __builtin_va_list arguments;
    free(verdict->base_note);
    __builtin_va_start(arguments, format);
    int length = vasprintf(&verdict->base_note, format, arguments);
    __builtin_va_end(arguments);
    if (length < 0)
        verdict->base_note = NULL;
    return length >= 0 ? CA_OK : ca_error_memory(holder->err);
}

/* Everything that was said of the base's verdict moves here; its place in the file stays. */
static void take_over(struct ca_verdict *verdict, struct ca_verdict *of_base) {
    uint32_t line = verdict->line;
    free(verdict->cause);
    free(verdict->next_step);
    free(verdict->base_note);
    *verdict = *of_base;
    verdict->line = line;
    for (size_t i = 0; i < verdict->comparison_count; i++)
        verdict->comparisons[i].line = line;
    of_base->cause = of_base->next_step = NULL;
}

/* A budget that cannot be compared limit by limit: the base's decides unless the file's fails where
 * it does not. */
static enum ca_status hold_whole(struct holder *holder, struct ca_verdict *verdict,
                                 struct ca_verdict *of_base, const char *what) {
    bool is_kept = (verdict->kind == CA_VERDICT_OVER && of_base->kind != CA_VERDICT_OVER &&
                    of_base->kind != CA_VERDICT_INVALID) ||
                   verdict->kind == CA_VERDICT_INVALID;
    if (!is_kept)
        take_over(verdict, of_base);
    verdict->base = is_kept ? CA_BASE_SAME : CA_BASE_RAISED;
    return is_kept ? CA_OK
                   : note(holder, verdict, "%s differs from the base %.*s: what is there counts",
                          what, CA_COMMIT_SHOWN, holder->base->commit);
}

static enum ca_status note_raise(struct holder *holder, struct ca_verdict *verdict,
                                 const struct ca_comparison *here,
                                 const struct ca_comparison *there) {
    char text[2][CA_NUMBER_TEXT_SIZE];
    const char *name = ca_limit_name(there->kind);
    verdict->base = CA_BASE_RAISED;
    if (verdict->base_note != NULL)
        return CA_OK;
    if (here == NULL)
        return note(holder, verdict,
                    "the limit on %s is gone, at the base %.*s it is %s: that still counts", name,
                    CA_COMMIT_SHOWN, holder->base->commit,
                    ca_u128_text(allowed_by(there), text[0]));
    return note(holder, verdict,
                "raised: the limit on %s is %s, at the base %.*s it is %s: that still counts", name,
                ca_u128_text(allowed_by(here), text[0]), CA_COMMIT_SHOWN, holder->base->commit,
                ca_u128_text(allowed_by(there), text[1]));
}

/* Limit by limit, the lower one. */
static enum ca_status hold(struct holder *holder, struct ca_verdict *verdict,
                           struct ca_verdict *of_base) {
    if (of_base->kind == CA_VERDICT_INVALID || verdict->kind == CA_VERDICT_INVALID)
        return hold_whole(holder, verdict, of_base, "what it wants");
    if (!is_same_unit(verdict->unit, of_base->unit))
        return hold_whole(holder, verdict, of_base, "its unit");
    if (verdict->scope != of_base->scope)
        return hold_whole(holder, verdict, of_base, "its scope");
    enum ca_status status = CA_OK;
    verdict->base = CA_BASE_SAME;
    for (size_t i = 0; i < of_base->comparison_count && status == CA_OK; i++) {
        const struct ca_comparison *there = &of_base->comparisons[i];
        struct ca_comparison *here = comparison_of(verdict, there->kind);
        if (here != NULL && allowed_by(here) <= allowed_by(there))
            continue;
        status = note_raise(holder, verdict, here, there);
        uint32_t line = here != NULL ? here->line : verdict->section->line;
        if (here == NULL)
            here = &verdict->comparisons[verdict->comparison_count++];
        *here = *there;
        here->line = line;
    }
    settle(verdict);
    return status;
}

/* A phase whose budget is gone. */
static enum ca_status hold_removed(struct holder *holder, struct ca_verdict *verdict,
                                   struct ca_verdict *of_base) {
    take_over(verdict, of_base);
    verdict->line = 0;
    verdict->base = CA_BASE_REMOVED;
    return note(holder, verdict, "removed: only the base %.*s has this budget, and it still counts",
                CA_COMMIT_SHOWN, holder->base->commit);
}

static enum ca_status hold_one(struct holder *holder, struct ca_verdict *verdict) {
    struct ca_verdict *of_base = find_partner(holder, verdict);
    if (of_base != NULL)
        return verdict->section != NULL ? hold(holder, verdict, of_base)
                                        : hold_removed(holder, verdict, of_base);
    if (verdict->section == NULL || verdict->subject == NULL)
        return CA_OK;
    verdict->base = CA_BASE_NEW;
    return note(holder, verdict, "new since the base %.*s: judged by itself", CA_COMMIT_SHOWN,
                holder->base->commit);
}

static enum ca_status add_removed(struct holder *holder) {
    struct ca_judgement *judgement = holder->judgement;
    size_t most = judgement->verdict_count + holder->base_judgement->verdict_count;
    struct ca_verdict *grown = realloc(judgement->verdicts, (most + 1) * sizeof *grown);
    if (grown == NULL)
        return ca_error_memory(holder->err);
    judgement->verdicts = grown;
    enum ca_status status = CA_OK;
    for (size_t i = 0; i < holder->base_judgement->verdict_count && status == CA_OK; i++) {
        struct ca_verdict *of_base = &holder->base_judgement->verdicts[i];
        if (holder->is_used[i] || of_base->section == NULL || of_base->subject == NULL)
            continue;
        struct ca_verdict *verdict = &grown[judgement->verdict_count++];
        *verdict = (struct ca_verdict){.kind = CA_VERDICT_OK};
        status = hold_removed(holder, verdict, of_base);
    }
    return status;
}

enum ca_status ca_judgement_hold_to_base(struct ca_judgement *judgement,
                                         struct ca_judgement *base_judgement,
                                         const struct ca_budget_base *base, struct ca_error *err) {
    struct holder holder = {
        .judgement = judgement,
        .base_judgement = base_judgement,
        .base = base,
        .is_used = calloc(base_judgement->verdict_count + 1, sizeof *holder.is_used),
        .err = err,
    };
    if (holder.is_used == NULL)
        return ca_error_memory(err);
    enum ca_status status = CA_OK;
    for (size_t i = 0; i < judgement->verdict_count && status == CA_OK; i++)
        status = hold_one(&holder, &judgement->verdicts[i]);
    if (status == CA_OK)
        status = add_removed(&holder);
    free(holder.is_used);
    ca_judgement_sum_up(judgement);
    return status;
}

void ca_judgement_without_base(struct ca_judgement *judgement) {
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (judgement->verdicts[i].section != NULL)
            judgement->verdicts[i].base = CA_BASE_NEW;
}
