/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * { "schema": "countalloc.diff/1", "countalloc": "VERSION", "different": true,
 *   "old": {"source": "a.json", "name": "..", "key": "..", "rules": 1, "countalloc": ".."}, "new": {..},
 *   "notes": ["what makes the comparison doubtful"],
 *   "total": ROW, "phases": [ROW],       those that differ, largest change first
 *   "unchanged_phases": 4,
 *   "by_site": BY_SITE }                 with --by site only; "different" then says whether a site is
 * ROW = { "name": "parse", "change": "changed|new|gone|same", "opened": [1, 1],
 *   "counts": {"allocations": [3, 1003], ..},      all columns, [null, null] where one was not measured
 *   "different": ["allocations", ..],
 *   "units": {"line": [1000, 1000]},
 *   "threads": [{"number": 2, "name": "worker"|null, "adopted": false, "allocations": [0, 1000],
 *                "bytes_requested": [0, 24000]}] }
 * BY_SITE = { "notes": [".."], "counts": {"new": 1, "grown": 0, "shrunk": 0, "gone": 0, "same": 5},
 *   "sites": [SITE],                     those that differ: new, grown, shrunk, gone, largest change first
 *   "same": {"allocations": [7, 7], "bytes_requested": [70, 70]}, "sum": {..} }     of all sites
 * SITE = { "change": "new|grown|shrunk|gone", "phase": "..", "function": "..", "file": ".."|null,
 *   "line": 42|null, "callers": [".."],  at most three
 *   "guess": false,                      paired by order only
 *   "allocations": [0, 1000], "bytes_requested": [0, 24000] }
 * Pairs are [old, new]; quotients and differences are the reader's to make.
 */
/* clang-format on */
#include <jansson.h>
#include <stdlib.h>

#include "budget/check_escape.h"
#include "budget/json_page.h"
#include "diff/diff_report.h"

static json_t *json_of_pair(int64_t before, int64_t after, bool is_known) {
    return is_known ? json_pack("[I, I]", (json_int_t)before, (json_int_t)after)
                    : json_pack("[n, n]");
}

static json_t *json_of_figure(const struct ca_figure_pair *figure) {
    return json_of_pair(figure->before, figure->after, figure->is_known);
}

static json_t *json_of_threads(struct ca_page *page, const struct ca_phase_diff *phase) {
    json_t *threads = json_array();
    for (uint32_t i = 0; i < phase->thread_count; i++) {
        const struct ca_thread_pair *thread = &phase->threads[i];
        json_t *object = json_object();
        ca_page_put(page, object, "number", json_integer(thread->number));
        ca_page_put_text(page, object, "name", thread->name);
        ca_page_put(page, object, "adopted", json_boolean(thread->is_adopted));
        ca_page_put(page, object, "allocations", json_of_figure(&thread->allocations));
        ca_page_put(page, object, "bytes_requested", json_of_figure(&thread->bytes_requested));
        ca_page_append(page, threads, object);
    }
    return threads;
}

static json_t *json_of_row(struct ca_page *page, const struct ca_phase_diff *phase) {
    json_t *row = json_object(), *counts = json_object(), *units = json_object();
    json_t *different = json_array();
    for (int column = 0; column < CA_COLUMN_COUNT; column++) {
        const char *key = ca_column_facts((enum ca_column)column)->key;
        ca_page_put(page, counts, key, json_of_figure(&phase->figures[column]));
        if (phase->figures[column].is_different)
            ca_page_append(page, different, json_string(key));
    }
    for (uint32_t i = 0; i < phase->unit_count; i++) {
        char *name = ca_utf8_of(phase->units[i].name);
        ca_page_put(
            page, units, name != NULL ? name : "",
            json_of_pair((int64_t)phase->units[i].before, (int64_t)phase->units[i].after, true));
        page->is_lost |= name == NULL;
        free(name);
    }
    ca_page_put_text(page, row, "name", phase->name);
    ca_page_put(page, row, "change", json_string(ca_change_name(phase->change)));
    ca_page_put(page, row, "opened", json_of_figure(&phase->opened));
    ca_page_put(page, row, "counts", counts);
    ca_page_put(page, row, "different", different);
    ca_page_put(page, row, "units", units);
    ca_page_put(page, row, "threads", json_of_threads(page, phase));
    return row;
}

static json_t *json_of_notes(struct ca_page *page, const char (*texts)[CA_DIFF_NOTE_SIZE],
                             uint32_t note_count) {
    json_t *notes = json_array();
    for (uint32_t i = 0; i < note_count; i++)
        ca_page_append(page, notes, ca_page_text(texts[i]));
    return notes;
}

static json_t *json_of_site(struct ca_page *page, const struct ca_changed_site *site) {
    json_t *object = json_object(), *callers = json_array();
    for (uint32_t i = 0; i < site->caller_count; i++)
        ca_page_append(page, callers, ca_page_text(site->callers[i]));
    ca_page_put(page, object, "change", json_string(ca_site_change_name(site->change)));
    ca_page_put_text(page, object, "phase", site->phase);
    ca_page_put_text(page, object, "function", site->function);
    ca_page_put_text(page, object, "file", site->file);
    ca_page_put(page, object, "line", ca_page_known(site->line));
    ca_page_put(page, object, "callers", callers);
    ca_page_put(page, object, "guess", json_boolean(site->is_guess));
    ca_page_put(page, object, "allocations", json_of_figure(&site->allocations));
    ca_page_put(page, object, "bytes_requested", json_of_figure(&site->bytes_requested));
    return object;
}

static json_t *json_of_sum(struct ca_page *page, const struct ca_figure_pair *allocations,
                           const struct ca_figure_pair *bytes) {
    json_t *object = json_object();
    ca_page_put(page, object, "allocations",
                json_of_pair(allocations->before, allocations->after, true));
    ca_page_put(page, object, "bytes_requested", json_of_pair(bytes->before, bytes->after, true));
    return object;
}

static json_t *json_of_sites(struct ca_page *page, const struct ca_site_diff *diff) {
    json_t *object = json_object(), *counts = json_object(), *sites = json_array();
    for (int change = 0; change < CA_SITE_CHANGES; change++)
        ca_page_put(page, counts, ca_site_change_name((enum ca_site_change)change),
                    json_integer((json_int_t)diff->counts[change]));
    for (size_t i = 0; i < diff->site_count; i++)
        ca_page_append(page, sites, json_of_site(page, &diff->sites[i]));
    ca_page_put(page, object, "notes", json_of_notes(page, diff->notes, diff->note_count));
    ca_page_put(page, object, "counts", counts);
    ca_page_put(page, object, "sites", sites);
    ca_page_put(page, object, "same",
                json_of_sum(page, &diff->same_allocations, &diff->same_bytes));
    ca_page_put(page, object, "sum", json_of_sum(page, &diff->allocations, &diff->bytes_requested));
    return object;
}

static json_t *json_of_record(struct ca_page *page, const struct ca_record *record,
                              const char *source) {
    json_t *object = json_object();
    ca_page_put_text(page, object, "source", source);
    ca_page_put_text(page, object, "name", record->name);
    ca_page_put_text(page, object, "key", record->platform_key);
    ca_page_put(page, object, "rules", json_integer(record->rules));
    ca_page_put_text(page, object, "countalloc", record->version);
    return object;
}

static json_t *json_of_report(struct ca_page *page, const struct ca_diff_report *report) {
    const struct ca_record_diff *diff = report->diff;
    json_t *root = json_object(), *phases = json_array();
    for (size_t i = 0; i < diff->phase_count; i++)
        ca_page_append(page, phases, json_of_row(page, &diff->phases[i]));
    ca_page_put(page, root, "schema", json_string(CA_DIFF_SCHEMA));
    ca_page_put_text(page, root, "countalloc", report->version);
    ca_page_put(
        page, root, "different",
        json_boolean(report->sites != NULL ? report->sites->is_different : diff->is_different));
    ca_page_put(page, root, "old", json_of_record(page, diff->before, report->before_source));
    ca_page_put(page, root, "new", json_of_record(page, diff->after, report->after_source));
    ca_page_put(page, root, "notes", json_of_notes(page, diff->notes, diff->note_count));
    ca_page_put(page, root, "total", json_of_row(page, &diff->total));
    ca_page_put(page, root, "phases", phases);
    ca_page_put(page, root, "unchanged_phases", json_integer((json_int_t)diff->same_count));
    if (report->sites != NULL)
        ca_page_put(page, root, "by_site", json_of_sites(page, report->sites));
    return root;
}

enum ca_status ca_diff_write_json(const struct ca_diff_report *report, struct ca_out *out,
                                  struct ca_error *err) {
    struct ca_page page = {.is_lost = false};
    json_t *root = json_of_report(&page, report);
    return ca_page_write(&page, root, out, err);
}
