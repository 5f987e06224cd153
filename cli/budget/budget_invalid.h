/* SPDX-License-Identifier: MIT
 *
 * What cannot be judged, and why: the reasons that lie in a record as a whole, and the sentences of
 * all of them. Private to budget_judge.c. */
#ifndef CA_BUDGET_INVALID_H
#define CA_BUDGET_INVALID_H

#include "budget/budget_judge.h"

/* Makes `verdict` invalid. `cause` and `next_step` are given; NULL: memory ran out, which is
 * CA_ERROR_SYSTEM. */
enum ca_status ca_verdict_invalidate(struct ca_verdict *verdict, enum ca_invalid_reason reason,
                                     char *cause, char *next_step, struct ca_error *err);

/* CA_INVALID_NONE when nothing is wrong with the record as a whole. */
enum ca_invalid_reason ca_subject_reason(const struct ca_subject *subject,
                                         const struct ca_judge_options *options);

/* Makes `verdict`, which has its subject, invalid for one of those reasons. */
enum ca_status ca_verdict_invalidate_for_record(struct ca_verdict *verdict,
                                                enum ca_invalid_reason reason,
                                                struct ca_error *err);

/* ---- sentences ---- */

/* Returned: free(); NULL: out of memory. */
char *ca_text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "a, b, c and 2 more" in pieces, all zero at first; a name that was listed already is left out by
 * the caller. */
struct ca_listing {
    char text[1024];
    size_t length;
    uint32_t count;
};

#define CA_LISTED_MAX 8u /* names in a message */

void ca_listing_add(struct ca_listing *listing, const char *name);

/* `nothing` without names. */
const char *ca_listing_text(struct ca_listing *listing, const char *nothing);

#endif
