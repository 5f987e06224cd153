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

#include "budget/check_escape.h"
#include "budget/check_words.h"

/* Each takes its value over, NULL included: then the whole is lost. */
struct json_page {
    const struct ca_check_report *report;
    bool is_lost;
};

static void put_value(struct json_page *page, json_t *object, const char *name, json_t *value) {
    page->is_lost |= json_object_set_new(object, name, value) != 0;
}

static json_t *json_of_text(const char *text) {
    if (text == NULL)
        return json_null();
    char *clean = ca_utf8_of(text);
    json_t *value = clean != NULL ? json_string(clean) : NULL;
    free(clean);
    return value;
}

static void put_text(struct json_page *page, json_t *object, const char *name, const char *text) {
    put_value(page, object, name, json_of_text(text));
}

/* `text` is given; NULL: memory ran out. */
static void put_given(struct json_page *page, json_t *object, const char *name, char *text) {
    page->is_lost |= text == NULL;
    put_text(page, object, name, text);
    free(text);
}

static void put_unsigned(struct json_page *page, json_t *object, const char *name, ca_u128 number) {
    char digits[CA_NUMBER_TEXT_SIZE];
    put_value(page, object, name,
              number <= INT64_MAX ? json_integer((json_int_t)number)
                                  : json_string(ca_u128_text(number, digits)));
}

static void put_signed(struct json_page *page, json_t *object, const char *name, ca_i128 number) {
    char digits[CA_NUMBER_TEXT_SIZE];
    put_value(page, object, name,
              number <= INT64_MAX && number >= INT64_MIN
                  ? json_integer((json_int_t)number)
                  : json_string(ca_i128_text(number, digits)));
}

static json_t *json_of_comparison(struct json_page *page, const struct ca_comparison *comparison) {
    json_t *limit = json_object();
    char text[CA_NUMBER_TEXT_SIZE];
    bool is_above;
    ca_u128 distance = ca_words_distance(comparison, &is_above);
    put_text(page, limit, "verdict", ca_verdict_name(comparison->verdict));
    put_signed(page, limit, "measured", comparison->measured);
    put_unsigned(page, limit, "fixed", comparison->fixed);
    put_unsigned(page, limit, "tolerance", comparison->tolerance);
    put_unsigned(page, limit, "limit", comparison->limit);
    if (is_above || distance <= INT64_MAX)
        put_signed(page, limit, "difference", is_above ? (ca_i128)distance : -(ca_i128)distance);
    else
        put_text(page, limit, "difference", ca_words_difference(comparison, text));
    put_text(page, limit, "rate", ca_ratio_text(comparison->rate, text));
    put_unsigned(page, limit, "error", comparison->error);
    put_unsigned(page, limit, "line", comparison->line);
    return limit;
}

static void put_subject(struct json_page *page, json_t *budget, const struct ca_verdict *verdict) {
    bool has_subject = verdict->subject != NULL;
    put_value(page, budget, "record",
              has_subject ? json_integer((json_int_t)(verdict->subject - page->report->subjects))
                          : json_null());
    put_text(page, budget, "key", has_subject ? verdict->subject->record->platform_key : NULL);
}

static json_t *json_of_site(struct json_page *page, const struct ca_check_site *site) {
    json_t *object = json_object(), *callers = json_array();
    for (uint32_t i = 0; i < site->caller_count; i++)
        page->is_lost |= json_array_append_new(callers, json_of_text(site->callers[i])) != 0;
    put_text(page, object, "kind", ca_check_site_kind_name(site->kind));
    put_text(page, object, "function", site->function);
    put_text(page, object, "file", site->file);
    put_value(page, object, "line", site->line > 0 ? json_integer(site->line) : json_null());
    put_text(page, object, "phase", site->phase);
    put_value(page, object, "callers", callers);
    put_value(page, object, "old", json_integer(site->before));
    put_value(page, object, "new", json_integer(site->after));
    return object;
}

static json_t *json_of_others(struct json_page *page, size_t site_count, int64_t amount) {
    json_t *object = json_object();
    put_unsigned(page, object, "sites", site_count);
    put_signed(page, object, "amount", amount);
    return object;
}

static json_t *json_of_sites(struct json_page *page, const struct ca_check_sites *sites) {
    if (sites == NULL)
        return json_null();
    json_t *object = json_object(), *array = json_array(), *notes = json_array();
    for (uint32_t i = 0; i < sites->site_count; i++)
        page->is_lost |= json_array_append_new(array, json_of_site(page, &sites->sites[i])) != 0;
    for (uint32_t i = 0; i < sites->note_count; i++)
        page->is_lost |= json_array_append_new(notes, json_of_text(sites->notes[i])) != 0;
    put_text(page, object, "counted", ca_limit_name(sites->kind));
    put_text(page, object, "against", sites->against);
    put_value(page, object, "sites", array);
    put_value(page, object, "more", json_of_others(page, sites->more_count, sites->more_amount));
    put_value(page, object, "less", json_of_others(page, sites->less_count, sites->less_amount));
    put_value(page, object, "notes", notes);
    return object;
}

static json_t *json_of_verdict(struct json_page *page, const struct ca_verdict *verdict) {
    json_t *budget = json_object(), *limits = json_object();
    bool is_compared = verdict->comparison_count > 0;
    put_text(page, budget, "program", ca_words_program(verdict));
    put_text(page, budget, "phase", verdict->phase);
    put_text(page, budget, "verdict", ca_verdict_name(verdict->kind));
    put_value(page, budget, "fails",
              json_boolean(ca_verdict_is_failure(page->report->judgement, verdict)));
    put_text(page, budget, "section", verdict->section != NULL ? verdict->section->title : NULL);
    put_text(page, budget, "file", verdict->line > 0 ? page->report->file->path : NULL);
    put_value(page, budget, "line", verdict->line > 0 ? json_integer(verdict->line) : json_null());
    put_subject(page, budget, verdict);
    put_text(page, budget, "scope",
             !is_compared                       ? NULL
             : verdict->scope == CA_SCOPE_OWNER ? "owner"
                                                : "all");
    put_text(page, budget, "unit", verdict->unit);
    if (verdict->unit != NULL && is_compared)
        put_unsigned(page, budget, "units", verdict->unit_count);
    else
        put_value(page, budget, "units", json_null());
    put_text(page, budget, "why", verdict->why);
    put_unsigned(page, budget, "adopted_allocations", verdict->adopted_allocations);
    for (size_t i = 0; i < verdict->comparison_count; i++)
        put_value(page, limits, ca_limit_name(verdict->comparisons[i].kind),
                  json_of_comparison(page, &verdict->comparisons[i]));
    put_value(page, budget, "limits", limits);
    put_text(page, budget, "reason",
             verdict->kind == CA_VERDICT_INVALID ? ca_invalid_reason_name(verdict->reason) : NULL);
    put_text(page, budget, "cause", verdict->cause);
    put_text(page, budget, "next_step", verdict->next_step);
    put_text(page, budget, "base", ca_base_relation_name(verdict->base));
    put_text(page, budget, "base_note", verdict->base_note);
    put_value(page, budget, "sites", json_of_sites(page, ca_words_sites(page->report, verdict)));
    put_given(page, budget, "message", ca_words_sentence(verdict));
    return budget;
}

static json_t *json_of_subject(struct json_page *page, const struct ca_subject *subject) {
    const struct ca_record *record = subject->record;
    json_t *object = json_object();
    put_text(page, object, "source", subject->source);
    put_text(page, object, "name", record->name);
    put_text(page, object, "exe", record->executable);
    put_text(page, object, "key", record->platform_key);
    put_value(page, object, "exit_status",
              record->has_exit_status ? json_integer(record->exit_status) : json_null());
    put_value(page, object, "signal",
              record->signal != 0 ? json_integer(record->signal) : json_null());
    return object;
}

static void put_lists(struct json_page *page, json_t *root) {
    const struct ca_check_report *report = page->report;
    json_t *records = json_array(), *budgets = json_array();
    for (size_t i = 0; i < report->subject_count; i++)
        page->is_lost |=
            json_array_append_new(records, json_of_subject(page, &report->subjects[i])) != 0;
    for (size_t i = 0; i < report->judgement->verdict_count; i++)
        page->is_lost |= json_array_append_new(
                             budgets, json_of_verdict(page, &report->judgement->verdicts[i])) != 0;
    put_value(page, root, "records", records);
    put_value(page, root, "budgets", budgets);
}

static json_t *json_of_base(struct json_page *page, const struct ca_budget_base *base) {
    if (base == NULL)
        return json_null();
    json_t *object = json_object();
    put_text(page, object, "ref", base->ref);
    put_text(page, object, "commit", base->commit);
    put_value(page, object, "has_file", json_boolean(base->has_file));
    return object;
}

static json_t *json_of_report(struct json_page *page) {
    const struct ca_judgement *judgement = page->report->judgement;
    const char *option = ca_words_accept_option(judgement);
    json_t *root = json_object(), *counts = json_object();
    put_text(page, root, "schema", CA_CHECK_SCHEMA);
    put_text(page, root, "countalloc", page->report->version);
    put_text(page, root, "verdict", ca_verdict_name(judgement->overall));
    put_value(page, root, "status", json_integer(judgement->status));
    put_value(page, root, "strict", json_boolean(judgement->is_strict));
    put_unsigned(page, root, "comparisons", judgement->comparison_count);
    put_text(page, root, "file", page->report->file->path);
    put_value(page, root, "base", json_of_base(page, page->report->base));
    for (int kind = 0; kind < CA_VERDICT_COUNT; kind++)
        put_unsigned(page, counts, ca_verdict_name((enum ca_verdict_kind)kind),
                     judgement->counts[kind]);
    put_value(page, root, "counts", counts);
    put_given(page, root, "reproduce", ca_words_command_text(page->report, NULL));
    if (ca_words_is_where_wanted(page->report))
        put_given(page, root, "where", ca_words_where(page->report));
    else
        put_value(page, root, "where", json_null());
    if (option != NULL)
        put_given(page, root, "accept", ca_words_command_text(page->report, option));
    else
        put_value(page, root, "accept", json_null());
    put_lists(page, root);
    return root;
}

static int write_bytes(const char *bytes, size_t byte_count, void *out) {
    ca_out_bytes(out, bytes, byte_count);
    return 0;
}

enum ca_status ca_check_write_json(const struct ca_check_report *report, struct ca_out *out,
                                   struct ca_error *err) {
    struct json_page page = {.report = report};
    json_t *root = json_of_report(&page);
    bool is_written =
        !page.is_lost && json_dump_callback(root, write_bytes, out, JSON_INDENT(2)) == 0;
    json_decref(root);
    ca_out_text(out, "\n");
    return is_written ? CA_OK : ca_error_memory(err);
}
