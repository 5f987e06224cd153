/* SPDX-License-Identifier: MIT
 *
 * What planning an update and planning a fit have in common. Private to this folder's budget_*.c.
 */
#ifndef CA_BUDGET_PLAN_H
#define CA_BUDGET_PLAN_H

#include "budget/budget_update.h"

struct ca_planner {
    const struct ca_budget_file *file;
    const struct ca_judgement *judgement;
    enum ca_update_mode mode;
    struct ca_budget_plan *plan;
    struct ca_error *err;
};

/* Adds an edit unless the number is that already; in CA_UPDATE_LOWER a raise becomes a remark.
 * `before`: the number in force, which the section may have from elsewhere. `is_raise`: the budget
 * as a whole becomes larger. */
enum ca_status ca_planner_set(struct ca_planner *planner, const struct ca_budget_section *section,
                              enum ca_limit_kind kind, bool is_rate, struct ca_ratio before,
                              struct ca_ratio after, bool is_raise);

/* "FILE:LINE: [SECTION]: " and the rest. `line` 0: the section's. */
enum ca_status ca_planner_remark(struct ca_planner *planner,
                                 const struct ca_budget_section *section, uint32_t line,
                                 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Refuses raises without a reason, then makes the text. */
enum ca_status ca_planner_finish(struct ca_planner *planner);

#endif
