/* SPDX-License-Identifier: MIT
 *
 * Holding records against budgets.
 *
 * A limit is  fixed + rate * units  and is compared with a count, which is whole: the limit counts
 * as its whole part, so that 1/3 per line over 1000 lines allows 333 allocations, is met exactly by
 * 333, and broken by 334. `tolerance` is a number of allocations and widens the limit on
 * allocations only, to both sides: up to it above is ok, up to it below is not yet improved.
 *
 * Nothing that was not measured is ever within its budget: an invalid verdict names cause and next
 * step.
 */
#ifndef CA_BUDGET_JUDGE_H
#define CA_BUDGET_JUDGE_H

#include "budget/budget_file.h"
#include "interpose/report/record.h"

/* A record to hold against the budgets. */
struct ca_subject {
    const struct ca_record *record; /* kept */
    const char *source;             /* kept: the record's file; NULL: it was measured just now */
    bool is_timed_out; /* --timeout ended the program; a record that was read says so itself */
};

struct ca_judge_options {
    bool is_strict;     /* improved, stale and unbudgeted fail, too */
    bool is_partial_ok; /* judges what was counted of a program that was counted in part */
    bool is_pair_ok;    /* for --fit: two records of one name and platform are no mistake */
    const int *
        allowed_status; /* allowed_count exit statuses, beside 0, that do not invalidate a record */
    size_t allowed_count;
};

enum ca_verdict_kind {
    CA_VERDICT_OK = 0,
    CA_VERDICT_OVER,
    CA_VERDICT_IMPROVED,
    CA_VERDICT_INVALID,
    CA_VERDICT_STALE,
    CA_VERDICT_UNBUDGETED,
    CA_VERDICT_COUNT
};

enum ca_invalid_reason {
    CA_INVALID_NONE = 0,
    /* about the record */
    CA_INVALID_NOT_MEASURED, /* "not measured" */
    CA_INVALID_RULES,        /* "other counting rules" */
    CA_INVALID_TIMED_OUT,    /* "timed out" */
    CA_INVALID_SIGNAL,       /* "killed by signal" */
    CA_INVALID_INCOMPLETE,   /* "incomplete" */
    CA_INVALID_EXIT_STATUS,  /* "program failed" */
    CA_INVALID_PARTIAL,      /* "counted in part" */
    CA_INVALID_NO_SECTION,   /* "no section matched" */
    /* about one budget */
    CA_INVALID_NO_PLATFORM,  /* "no section matched the platform" */
    CA_INVALID_NEVER_OPENED, /* "phase never opened" */
    CA_INVALID_OVERFLOW,     /* "counters overflowed" */
    CA_INVALID_NO_THREADS,   /* "no figures by thread" */
    CA_INVALID_NO_UNIT,      /* "unit missing" */
    CA_INVALID_ZERO_UNITS,   /* "0 units" */
    CA_INVALID_NO_LIMIT,     /* "no limit for this platform" */
    CA_INVALID_LIVE_OFF      /* "live bytes not measured" */
};

/* One limit of a budget, held against one record. */
struct ca_comparison {
    enum ca_limit_kind kind;
    enum ca_verdict_kind verdict; /* OK, OVER or IMPROVED */
    ca_i128 measured;
    uint64_t fixed;
    struct ca_ratio rate;
    uint64_t tolerance;
    uint64_t unit_count; /* 0 without `per` */
    ca_u128 limit;       /* whole part of fixed + rate * unit_count, without the tolerance */
    uint64_t error;      /* of bytes_peak: `measured` may be this much too low */
    const struct ca_budget_section *fixed_from; /* whose `fixed` it is; NULL: none has one */
    uint32_t line;                              /* of the number that decided: fixed, else rate */
};

/* How a budget stands to the one at the base of a change (budget_base.h). */
enum ca_base_relation {
    CA_BASE_NONE = 0, /* nobody asked */
    CA_BASE_SAME,     /* no limit is higher than there */
    CA_BASE_RAISED,   /* one is, or counts something else: what is there counts */
    CA_BASE_NEW,      /* there is no such budget there: judged by itself */
    CA_BASE_REMOVED   /* only there is one, and it counts */
};

/* One budget against one record; or a budget without a record (stale), a record without a budget
 * (invalid), a phase without a budget (unbudgeted). */
struct ca_verdict {
    enum ca_verdict_kind kind;               /* the worst of the comparisons: over, improved, ok */
    const struct ca_budget_section *section; /* the one that matched best; NULL: no budget */
    const struct ca_subject *subject;        /* NULL: stale */
    const char *phase;
    uint32_t line; /* of the budget file: that of the worst comparison, else of the section; 0: no
                      budget */
    enum ca_scope scope;
    const char *unit; /* NULL without `per` */
    uint64_t unit_count;
    const char *why;                              /* of the budget; NULL without */
    const struct ca_record_phase *measured_phase; /* NULL: the total, or not measured */
    uint64_t
        adopted_allocations; /* of threads that adopted the phase; not counted with scope owner */
    struct ca_comparison comparisons[CA_LIMIT_COUNT];
    size_t comparison_count;
    enum ca_invalid_reason reason;
    bool is_about_record; /* invalid: every verdict of the same record says the same */
    char *cause; /* invalid: a sentence without a full stop; NULL otherwise, as `next_step` */
    char *next_step;
    enum ca_base_relation base;
    char *base_note; /* a sentence without a full stop; NULL when there is nothing to say */
};

struct ca_judgement {
    struct ca_verdict
        *verdicts; /* verdict_count: budgets in the order of the file, each with its records
                      in their order; then records without a budget, then phases */
    size_t verdict_count;
    size_t counts[CA_VERDICT_COUNT]; /* how many verdicts of each kind */
    size_t comparison_count;
    bool is_strict;
    enum ca_verdict_kind overall; /* invalid also when nothing was compared; stale and unbudgeted
                                     only when they fail */
    int status; /* 0 within, 1 over, 3 not measured, which comes before 1: what measured less than
                   was asked is neither green nor just over */
};

/* CA_ERROR_INPUT (status 2): two records of one name and platform key; two sections that match a
 * platform equally well. `file` and `subjects` are kept. */
enum ca_status ca_budget_judge(const struct ca_budget_file *file, const struct ca_subject *subjects,
                               size_t subject_count, const struct ca_judge_options *options,
                               struct ca_judgement *ret_judgement, struct ca_error *err);

void ca_judgement_release(struct ca_judgement *judgement);

/* Counts the verdicts and draws the conclusion: counts, comparison_count, overall, status. */
void ca_judgement_sum_up(struct ca_judgement *judgement);

/* "ok", "over" ... */
const char *ca_verdict_name(enum ca_verdict_kind kind);

/* As in the comments above. */
const char *ca_invalid_reason_name(enum ca_invalid_reason reason);

/* Whether this verdict makes the check fail. */
bool ca_verdict_is_failure(const struct ca_judgement *judgement, const struct ca_verdict *verdict);

/* Whether `platform`, components with '-' between them, is part of `key`, in order, gaps allowed.
 * "" is. */
bool ca_platform_is_match(const char *platform, const char *key);

#endif
