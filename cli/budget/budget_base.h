/* SPDX-License-Identifier: MIT
 *
 * The budgets at the base of a change, for which it was agreed on them: a change that raises a
 * number cannot approve itself with it.
 *
 * Both files are judged. Where a limit is higher in the file than at the base, or is gone, or
 * counts other units or threads, the one at the base decides; where it is lower, the file's. A
 * budget that only the base has still counts. One that only the file has is judged by itself.
 */
#ifndef CA_BUDGET_BASE_H
#define CA_BUDGET_BASE_H

#include "budget/budget_judge.h"

#define CA_COMMIT_SIZE  72u /* a SHA-256 in hexadecimal has 64 digits */
#define CA_COMMIT_SHOWN 12  /* digits of it for people */

struct ca_budget_base {
    const char *ref;             /* kept, as the user named it */
    char commit[CA_COMMIT_SIZE]; /* the merge base with it; "" when there is none */
    bool has_file;               /* false: the budget file is new since then */
    struct ca_budget_file file;  /* when has_file */
};

/* Holds `judgement`, of the file as it is, to `base_judgement`, of the same subjects by
 * `base->file`: verdicts become the stricter of both, with base and base_note; those that only the
 * base has are added. Both judgements and `base` must outlive its use. CA_ERROR_SYSTEM: out of
 * memory. */
enum ca_status ca_judgement_hold_to_base(struct ca_judgement *judgement,
                                         struct ca_judgement *base_judgement,
                                         const struct ca_budget_base *base, struct ca_error *err);

/* Marks every budget as new, for a base without the file. */
void ca_judgement_without_base(struct ca_judgement *judgement);

/* "same", "raised", "new", "removed"; NULL for CA_BASE_NONE. */
const char *ca_base_relation_name(enum ca_base_relation relation);

void ca_budget_base_release(struct ca_budget_base *base);

#endif
