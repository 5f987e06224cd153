/* SPDX-License-Identifier: MIT
 *
 * Phrases that the formats have in common. All texts are plain, to be escaped by the format.
 * Private to check_*.c. Functions that return text return NULL when memory ran out; free() it. */
#ifndef CA_CHECK_WORDS_H
#define CA_CHECK_WORDS_H

#include "budget/check_report.h"

/* "logstat-v4/parse"; with several platforms in the report "logstat-v4/parse on KEY". */
char *ca_words_title(const struct ca_check_report *report, const struct ca_verdict *verdict);

/* The program's name as the budget has it, else as the record. */
const char *ca_words_program(const struct ca_verdict *verdict);

/* The phase; with several platforms in the report "parse on KEY". */
char *ca_words_phase(const struct ca_check_report *report, const struct ca_verdict *verdict);

/* One line: "over budget: 1003 allocations, limit 3 (0/line + 3 for 1000 lines): +1000". */
char *ca_words_sentence(const struct ca_verdict *verdict);

/* "over budget on thread 1 (owner)" */
char *ca_words_headline(const struct ca_verdict *verdict);

/* "3 allocations", "1 byte". `size`: of `ret_text`, 64 is enough. */
const char *ca_words_amount(enum ca_limit_kind kind, ca_i128 amount, char *ret_text);

/* "0/line + 3 for 1000 lines", "" for a plain number, "(1/4)/line + 3 + tolerance 2 for 1000
 * lines". `ret_text`: CA_WORDS_SIZE bytes. */
#define CA_WORDS_SIZE 320u
const char *ca_words_formula(const struct ca_verdict *verdict,
                             const struct ca_comparison *comparison, char *ret_text);

/* How far the measured number is from what is allowed, which includes the tolerance when it is
 * over; above it or not. */
ca_u128 ca_words_distance(const struct ca_comparison *comparison, bool *ret_is_above);

/* The same as text: "+1000"; "-1"; "0". CA_NUMBER_TEXT_SIZE bytes. */
const char *ca_words_difference(const struct ca_comparison *comparison, char *ret_text);

/* The worst comparison; NULL without any. */
const struct ca_comparison *ca_words_worst(const struct ca_verdict *verdict);

/* "1 over, 0 improved, 7 ok" and the kinds that there are. CA_WORDS_SIZE bytes. */
const char *ca_words_counts(const struct ca_judgement *judgement, char *ret_text);

/* "PASS", "FAIL", "NOT MEASURED". */
const char *ca_words_outcome(const struct ca_judgement *judgement);

/* How many records there are that differ in their platform, as 1 or more; 0 without records. */
size_t ca_words_platform_count(const struct ca_check_report *report);

/* A command to copy, on one line. `extra`: an option to add ("--update=all"), or NULL. --update of
 * the given words is left out, and where `extra` is one also --base. */
void ca_words_command(const struct ca_check_report *report, const char *extra, struct ca_out *out);
char *ca_words_command_text(const struct ca_check_report *report, const char *extra);

/* Where the allocations of a verdict that is over come from; NULL: that is not known. */
const struct ca_check_sites *ca_words_sites(const struct ca_check_report *report,
                                            const struct ca_verdict *verdict);

/* "copy_line parse.c:42  +1000 allocations, called by parse_all"; the file and line of it only with
 * `has_place`. */
char *ca_words_site(const struct ca_check_sites *sites, const struct ca_check_site *site,
                    bool has_place);

/* "+1000 allocations"; `ret_text`: 96 bytes. */
const char *ca_words_change(enum ca_limit_kind kind, int64_t amount, char *ret_text);

/* "3 more: +7 allocations; 1 with less: -2 allocations"; "" when there are none. CA_WORDS_SIZE
 * bytes. */
const char *ca_words_other_sites(const struct ca_check_sites *sites, char *ret_text);

/* Whether something is over and nobody measured where. */
bool ca_words_is_where_wanted(const struct ca_check_report *report);

/* How to find out: a command to copy, or what to do with records. */
char *ca_words_where(const struct ca_check_report *report);

/* The option that would make the check pass by changing the budgets; NULL: none would. */
const char *ca_words_accept_option(const struct ca_judgement *judgement);

/* "judged by the budgets at 1a2b3c4d5e6f, the merge base with main; 1 raised"; NULL without a base,
 * and when memory ran out. */
char *ca_words_base(const struct ca_check_report *report);

/* Whether something is over by a number that the file no longer has: it can be accepted only by
 * merging. */
bool ca_words_is_held_by_base(const struct ca_judgement *judgement);

/* Whether a budget that is over has no `why`: accepting wants one. */
bool ca_words_is_why_wanted(const struct ca_judgement *judgement);

#endif
