/* SPDX-License-Identifier: MIT
 *
 * check --base REF: the budget file at the merge base, as git has it. */
#ifndef CA_GIT_BUDGETS_H
#define CA_GIT_BUDGETS_H

#include "budget/budget_base.h"

/* Finds the commit where HEAD and `ref` (kept) parted, in the repository that holds the budget file
 * at `path`, and reads that file as it was there; `has_file` is false when it was not there yet. To
 * be released after success only. CA_ERROR_USAGE, CA_ERROR_INPUT, CA_ERROR_SYSTEM, with the cause
 * and the next step: no git, no repository, no such commit, no common commit (a shallow clone), a
 * mistake in the file that was there. */
enum ca_status ca_git_budgets_read(struct ca_budget_base *ret_base, const char *path,
                                   const char *ref, struct ca_error *err);

#endif
