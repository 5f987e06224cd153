/* SPDX-License-Identifier: MIT
 *
 * Which sections of a budget are for a record, and what they say together. Private to this folder's
 * budget_*.c. */
#ifndef CA_BUDGET_MATCH_H
#define CA_BUDGET_MATCH_H

#include "budget/budget_file.h"
#include "interpose/report/record.h"

/* The sections of one budget that match a platform. */
struct ca_matching {
    const struct ca_budget_section *
        *sections; /* room for all of the file; section_count are used */
    size_t section_count;
    const struct ca_budget_section *best; /* with the most components; NULL: none matches */
};

/* Makes room. CA_ERROR_SYSTEM. */
enum ca_status ca_matching_init(struct ca_matching *matching, const struct ca_budget_file *file,
                                struct ca_error *err);
void ca_matching_release(struct ca_matching *matching);

/* Collects the siblings of `budget` that match platform `key`. */
void ca_matching_collect(struct ca_matching *matching, const struct ca_budget_file *file,
                         const struct ca_budget_section *budget, const char *key);

/* The budget as it is for one platform: key by key from the best section that has it. */
struct ca_effective {
    const struct ca_budget_section *fixed_from[CA_LIMIT_COUNT];
    const struct ca_budget_section *rate_from[CA_LIMIT_COUNT];
    const char *per;
    const char *why;
    enum ca_scope scope;
    uint64_t tolerance;
};

/* CA_ERROR_INPUT when two sections match equally well: as the best, or as those that decide a key.
 */
enum ca_status ca_matching_resolve(const struct ca_matching *matching,
                                   const struct ca_budget_file *file, const char *key,
                                   struct ca_effective *ret_effective, struct ca_error *err);

/* Whether the section's program is the record's. */
bool ca_section_is_for(const struct ca_budget_section *section, const struct ca_record *record);

#endif
