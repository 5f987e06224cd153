/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * { "schema": "countalloc.check/1", "countalloc": "VERSION",
 *   "verdict": "ok|over|improved|invalid|stale|unbudgeted",  of all; stale and unbudgeted only where they fail
 *   "status": 0|1|3, "strict": false, "comparisons": 8, "file": "alloc-budgets.ini",
 *   "base": {"ref": "main", "commit": "..", "has_file": true}|null,     of --base
 *   "counts": {"ok": 7, "over": 1, "improved": 0, "invalid": 0, "stale": 0, "unbudgeted": 0},
 *   "reproduce": "countalloc check ...", "where": "countalloc check --sites ..."|null,   over, and no sites measured
 *   "accept": "countalloc check --update=all ..."|null,
 *   "records": [{"source": "run.json"|null, "name": "..", "exe": "..", "key": "..", "exit_status": 0|null,
 *                "signal": null}],
 *   "budgets": [{
 *     "program": "..", "phase": "..", "verdict": "..", "fails": true,
 *     "section": "p/x@musl"|null, "file": ".."|null, "line": 7|null,    a phase without a budget has none of them
 *     "record": 0|null,                                                 index into records; null: stale
 *     "key": ".."|null, "scope": "owner|all"|null, "unit": "line"|null, "units": 1000|null, "why": ".."|null,
 *     "adopted_allocations": 0,                                         not counted with scope owner
 *     "limits": {"allocations": {"verdict": "over", "measured": 1003, "fixed": 3, "rate": "1/4", "tolerance": 0,
 *                                "limit": 3, "difference": 1000, "error": 0, "line": 8}},
 *                                                    those that were compared; `limit` without the tolerance
 *     "reason": ".."|null, "cause": ".."|null, "next_step": ".."|null,  of an invalid one
 *     "base": "same|raised|new|removed"|null, "base_note": ".."|null,   of --base
 *     "sites": {"counted": "allocations|bytes", "against": "old.json"|null,      of one that is over, when known; else null
 *       "sites": [{"kind": "new|grown|largest", "function": "..", "file": ".."|null, "line": 42|null, "phase": ".."|null,
 *                  "callers": [".."], "old": 0, "new": 1000}],                   at most ten; phase: where it is not the budget's
 *       "more": {"sites": 2, "amount": 7}, "less": {"sites": 0, "amount": 0}, "notes": [".."]}|null,
 *     "message": "one line"}]}
 *
 * Integers stay integers; one beyond 2^63-1 is a string of digits, for readers that have 64 bits
 * with a sign. A rate is always a string.
 */
/* clang-format on */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "budget/check_words.h"
#include "budget/json_page.h"

/* `text` is given; NULL: memory ran out. */
static void put_given(struct ca_page *page, json_t *object, const char *name, char *text) {
    page->is_lost |= text == NULL;
    ca_page_put_text(page, object, name, text);
    free(text);
}

static void put_unsigned(struct ca_page *page, json_t *object, const char *name, ca_u128 number) {
    char digits[CA_NUMBER_TEXT_SIZE];
    ca_page_put(page, object, name,
                number <= INT64_MAX ? json_integer((json_int_t)number)
                                    : json_string(ca_u128_text(number, digits)));
}

static void put_signed(struct ca_page *page, json_t *object, const char *name, ca_i128 number) {
    char digits[CA_NUMBER_TEXT_SIZE];
    ca_page_put(page, object, name,
                number <= INT64_MAX && number >= INT64_MIN
                    ? json_integer((json_int_t)number)
                    : json_string(ca_i128_text(number, digits)));
}

static json_t *json_of_comparison(struct ca_page *page, const struct ca_comparison *comparison) {
    json_t *limit = json_object();
    char text[CA_NUMBER_TEXT_SIZE];
    bool is_above;
    ca_u128 distance = ca_words_distance(comparison, &is_above);
    ca_page_put_text(page, limit, "verdict", ca_verdict_name(comparison->verdict));
    put_signed(page, limit, "measured", comparison->measured);
    put_unsigned(page, limit, "fixed", comparison->fixed);
    put_unsigned(page, limit, "tolerance", comparison->tolerance);
    put_unsigned(page, limit, "limit", comparison->limit);
    if (is_above || distance <= INT64_MAX)
        put_signed(page, limit, "difference", is_above ? (ca_i128)distance : -(ca_i128)distance);
    else
        ca_page_put_text(page, limit, "difference", ca_words_difference(comparison, text));
    ca_page_put_text(page, limit, "rate", ca_ratio_text(comparison->rate, text));
    put_unsigned(page, limit, "error", comparison->error);
    put_unsigned(page, limit, "line", comparison->line);
    return limit;
}

static void put_subject(struct ca_page *page, const struct ca_check_report *report, json_t *budget,
                        const struct ca_verdict *verdict) {
    bool has_subject = verdict->subject != NULL;
    ca_page_put(page, budget, "record",
                has_subject ? json_integer((json_int_t)(verdict->subject - report->subjects))
                            : json_null());
    ca_page_put_text(page, budget, "key",
                     has_subject ? verdict->subject->record->platform_key : NULL);
}

static json_t *json_of_site(struct ca_page *page, const struct ca_check_site *site) {
    json_t *object = json_object(), *callers = json_array();
    for (uint32_t i = 0; i < site->caller_count; i++)
        ca_page_append(page, callers, ca_page_text(site->callers[i]));
    ca_page_put_text(page, object, "kind", ca_check_site_kind_name(site->kind));
    ca_page_put_text(page, object, "function", site->function);
    ca_page_put_text(page, object, "file", site->file);
    ca_page_put(page, object, "line", ca_page_known(site->line));
    ca_page_put_text(page, object, "phase", site->phase);
    ca_page_put(page, object, "callers", callers);
    ca_page_put(page, object, "old", json_integer(site->before));
    ca_page_put(page, object, "new", json_integer(site->after));
    return object;
}

static json_t *json_of_others(struct ca_page *page, size_t site_count, int64_t amount) {
    json_t *object = json_object();
    put_unsigned(page, object, "sites", site_count);
    put_signed(page, object, "amount", amount);
    return object;
}

static json_t *json_of_sites(struct ca_page *page, const struct ca_check_sites *sites) {
    if (sites == NULL)
        return json_null();
    json_t *object = json_object(), *array = json_array(), *notes = json_array();
    for (uint32_t i = 0; i < sites->site_count; i++)
        ca_page_append(page, array, json_of_site(page, &sites->sites[i]));
    for (uint32_t i = 0; i < sites->note_count; i++)
        ca_page_append(page, notes, ca_page_text(sites->notes[i]));
    ca_page_put_text(page, object, "counted", ca_limit_name(sites->kind));
    ca_page_put_text(page, object, "against", sites->against);
    ca_page_put(page, object, "sites", array);
    ca_page_put(page, object, "more", json_of_others(page, sites->more_count, sites->more_amount));
    ca_page_put(page, object, "less", json_of_others(page, sites->less_count, sites->less_amount));
    ca_page_put(page, object, "notes", notes);
    return object;
}

static json_t *json_of_verdict(struct ca_page *page, const struct ca_check_report *report,
                               const struct ca_verdict *verdict) {
    json_t *budget = json_object(), *limits = json_object();
    bool is_compared = verdict->comparison_count > 0;
    ca_page_put_text(page, budget, "program", ca_words_program(verdict));
    ca_page_put_text(page, budget, "phase", verdict->phase);
    ca_page_put_text(page, budget, "verdict", ca_verdict_name(verdict->kind));
    ca_page_put(page, budget, "fails",
                json_boolean(ca_verdict_is_failure(report->judgement, verdict)));
    ca_page_put_text(page, budget, "section",
                     verdict->section != NULL ? verdict->section->title : NULL);
    ca_page_put_text(page, budget, "file", verdict->line > 0 ? report->file->path : NULL);
    ca_page_put(page, budget, "line", ca_page_known(verdict->line));
    put_subject(page, report, budget, verdict);
    ca_page_put_text(page, budget, "scope",
                     !is_compared                       ? NULL
                     : verdict->scope == CA_SCOPE_OWNER ? "owner"
                                                        : "all");
    ca_page_put_text(page, budget, "unit", verdict->unit);
    if (verdict->unit != NULL && is_compared)
        put_unsigned(page, budget, "units", verdict->unit_count);
    else
        ca_page_put(page, budget, "units", json_null());
    ca_page_put_text(page, budget, "why", verdict->why);
    put_unsigned(page, budget, "adopted_allocations", verdict->adopted_allocations);
    for (size_t i = 0; i < verdict->comparison_count; i++)
        ca_page_put(page, limits, ca_limit_name(verdict->comparisons[i].kind),
                    json_of_comparison(page, &verdict->comparisons[i]));
    ca_page_put(page, budget, "limits", limits);
    ca_page_put_text(page, budget, "reason",
                     verdict->kind == CA_VERDICT_INVALID ? ca_invalid_reason_name(verdict->reason)
                                                         : NULL);
    ca_page_put_text(page, budget, "cause", verdict->cause);
    ca_page_put_text(page, budget, "next_step", verdict->next_step);
    ca_page_put_text(page, budget, "base", ca_base_relation_name(verdict->base));
    ca_page_put_text(page, budget, "base_note", verdict->base_note);
    ca_page_put(page, budget, "sites", json_of_sites(page, ca_words_sites(report, verdict)));
    put_given(page, budget, "message", ca_words_sentence(verdict));
    return budget;
}

static json_t *json_of_subject(struct ca_page *page, const struct ca_subject *subject) {
    const struct ca_record *record = subject->record;
    json_t *object = json_object();
    ca_page_put_text(page, object, "source", subject->source);
    ca_page_put_text(page, object, "name", record->name);
    ca_page_put_text(page, object, "exe", record->executable);
    ca_page_put_text(page, object, "key", record->platform_key);
    ca_page_put(page, object, "exit_status",
                record->has_exit_status ? json_integer(record->exit_status) : json_null());
    ca_page_put(page, object, "signal",
                record->signal != 0 ? json_integer(record->signal) : json_null());
    return object;
}

static void put_lists(struct ca_page *page, const struct ca_check_report *report, json_t *root) {
    json_t *records = json_array(), *budgets = json_array();
    for (size_t i = 0; i < report->subject_count; i++)
        ca_page_append(page, records, json_of_subject(page, &report->subjects[i]));
    for (size_t i = 0; i < report->judgement->verdict_count; i++)
        ca_page_append(page, budgets,
                       json_of_verdict(page, report, &report->judgement->verdicts[i]));
    ca_page_put(page, root, "records", records);
    ca_page_put(page, root, "budgets", budgets);
}

static json_t *json_of_base(struct ca_page *page, const struct ca_budget_base *base) {
    if (base == NULL)
        return json_null();
    json_t *object = json_object();
    ca_page_put_text(page, object, "ref", base->ref);
    ca_page_put_text(page, object, "commit", base->commit);
    ca_page_put(page, object, "has_file", json_boolean(base->has_file));
    return object;
}

static json_t *json_of_report(struct ca_page *page, const struct ca_check_report *report) {
    const struct ca_judgement *judgement = report->judgement;
    const char *option = ca_words_accept_option(judgement);
    json_t *root = json_object(), *counts = json_object();
    ca_page_put_text(page, root, "schema", CA_CHECK_SCHEMA);
    ca_page_put_text(page, root, "countalloc", report->version);
    ca_page_put_text(page, root, "verdict", ca_verdict_name(judgement->overall));
    ca_page_put(page, root, "status", json_integer(judgement->status));
    ca_page_put(page, root, "strict", json_boolean(judgement->is_strict));
    put_unsigned(page, root, "comparisons", judgement->comparison_count);
    ca_page_put_text(page, root, "file", report->file->path);
    ca_page_put(page, root, "base", json_of_base(page, report->base));
    for (int kind = 0; kind < CA_VERDICT_COUNT; kind++)
        put_unsigned(page, counts, ca_verdict_name((enum ca_verdict_kind)kind),
                     judgement->counts[kind]);
    ca_page_put(page, root, "counts", counts);
    put_given(page, root, "reproduce", ca_words_command_text(report, NULL));
    if (ca_words_is_where_wanted(report))
        put_given(page, root, "where", ca_words_where(report));
    else
        ca_page_put(page, root, "where", json_null());
    if (option != NULL)
        put_given(page, root, "accept", ca_words_command_text(report, option));
    else
        ca_page_put(page, root, "accept", json_null());
    put_lists(page, report, root);
    return root;
}

enum ca_status ca_check_write_json(const struct ca_check_report *report, struct ca_out *out,
                                   struct ca_error *err) {
    struct ca_page page = {.is_lost = false};
    json_t *root = json_of_report(&page, report);
    return ca_page_write(&page, root, out, err);
}
