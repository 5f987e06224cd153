/* SPDX-License-Identifier: MIT
 *
 * Rewriting numbers of a budget file in place. A plan is made first, in memory, and says everything
 * it would change; writing it is a step of its own. Only the digits of the numbers change, or a
 * line is added behind a section's last key; every other byte stays.
 *
 * A budget's `fixed` becomes measured - rate * units: the largest such number of all records that
 * are judged by it, so that one file serves a matrix of platforms. It goes into the section that
 * matched best, and a new line is added there when only a less narrow section has that key. A
 * budget for which one of its records was not measured stays as it is, and so does one that is ok:
 * within the tolerance nothing is chased.
 */
#ifndef CA_BUDGET_UPDATE_H
#define CA_BUDGET_UPDATE_H

#include "budget/budget_judge.h"

enum ca_update_mode {
    CA_UPDATE_LOWER = 0, /* --update */
    CA_UPDATE_ALL,       /* --update=all: raises, too, where the section has `why` */
    CA_UPDATE_SHOW       /* as ALL, without asking for reasons: to be shown, not written */
};

struct ca_budget_edit {
    const struct ca_budget_section *section;
    enum ca_limit_kind kind;
    bool is_rate;
    bool is_raise;          /* this number rises */
    bool is_inserted;       /* a new line */
    uint32_t line;          /* of the number; of the section when it is new */
    struct ca_ratio before; /* whole numbers have denominator 1 */
    struct ca_ratio after;
};

struct ca_budget_plan {
    char *text; /* the file as it would be; byte_count bytes and a NUL */
    size_t byte_count;
    struct ca_budget_edit *edits; /* edit_count, as they lie in the file; 0: nothing would change */
    size_t edit_count;
    char **remarks; /* remark_count sentences for people, "FILE:LINE: ...": what was left as it is
                       and why */
    size_t remark_count;
};

/* Plans --update. `judgement` is the file's. CA_ERROR_INPUT, naming each place, when a number would
 * rise in a section without `why`: then nothing may be written. The plan keeps `file`. */
enum ca_status ca_budget_plan_update(const struct ca_budget_file *file,
                                     const struct ca_judgement *judgement, enum ca_update_mode mode,
                                     struct ca_budget_plan *ret_plan, struct ca_error *err);

/* Plans --fit: `judgement` (made with is_pair_ok) holds two records of each program, of different
 * size:
 *
 *     rate = (measured2 - measured1) / (units2 - units1),  fixed = what is left at both
 *
 * A rate that is no integer is written as N/D and remarked on: something grows in steps. Of limits
 * with a unit only. Whether it is a raise is told by the limits at the two sizes and by the rate.
 * CA_ERROR_USAGE when a program has not two records or both have the same size; CA_ERROR_INPUT as
 * above. */
enum ca_status ca_budget_plan_fit(const struct ca_budget_file *file,
                                  const struct ca_judgement *judgement, enum ca_update_mode mode,
                                  struct ca_budget_plan *ret_plan, struct ca_error *err);

void ca_budget_plan_release(struct ca_budget_plan *plan);

/* Whether this environment is one where nothing may be written: CI is set and not empty. */
bool ca_budget_is_read_only(void);

/* Replaces the file by the plan's text in one step: it keeps its mode, a symbolic link stays one.
 * Fails, and leaves it as it is, when it is no longer what was read, or cannot be replaced.
 * CA_ERROR_SYSTEM; CA_ERROR_USAGE for standard input. */
enum ca_status ca_budget_plan_write(const struct ca_budget_file *file,
                                    const struct ca_budget_plan *plan, struct ca_error *err);

#endif
