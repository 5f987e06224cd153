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
#include "diff/diff_report.h"

/* Each value is taken over, NULL included: then the whole is lost. */
struct json_page {
    bool is_lost;
};

static void put_value(struct json_page *page, json_t *object, const char *name, json_t *value) {
    page->is_lost |= json_object_set_new(object, name, value) != 0;
}

static void append(struct json_page *page, json_t *array, json_t *value) {
    page->is_lost |= json_array_append_new(array, value) != 0;
}

static json_t *json_of_text(const char *text) {
    if (text == NULL)
        return json_null();
    char *clean = ca_utf8_of(text);
    json_t *value = clean != NULL ? json_string(clean) : NULL;
    free(clean);
    return value;
}

static json_t *json_of_pair(int64_t before, int64_t after, bool is_known) {
    return is_known ? json_pack("[I, I]", (json_int_t)before, (json_int_t)after)
                    : json_pack("[n, n]");
}

static json_t *json_of_figure(const struct ca_figure_pair *figure) {
    return json_of_pair(figure->before, figure->after, figure->is_known);
}

static json_t *json_of_threads(struct json_page *page, const struct ca_phase_diff *phase) {
    json_t *threads = json_array();
    for (uint32_t i = 0; i < phase->thread_count; i++) {
        const struct ca_thread_pair *thread = &phase->threads[i];
        json_t *object = json_object();
        put_value(page, object, "number", json_integer(thread->number));
        put_value(page, object, "name", json_of_text(thread->name));
        put_value(page, object, "adopted", json_boolean(thread->is_adopted));
        put_value(page, object, "allocations", json_of_figure(&thread->allocations));
        put_value(page, object, "bytes_requested", json_of_figure(&thread->bytes_requested));
        append(page, threads, object);
    }
    return threads;
}

static json_t *json_of_row(struct json_page *page, const struct ca_phase_diff *phase) {
    json_t *row = json_object(), *counts = json_object(), *units = json_object();
    json_t *different = json_array();
    for (int column = 0; column < CA_COLUMN_COUNT; column++) {
        const char *key = ca_column_facts((enum ca_column)column)->key;
        put_value(page, counts, key, json_of_figure(&phase->figures[column]));
        if (phase->figures[column].is_different)
            append(page, different, json_string(key));
    }
    for (uint32_t i = 0; i < phase->unit_count; i++) {
        char *name = ca_utf8_of(phase->units[i].name);
        put_value(
            page, units, name != NULL ? name : "",
            json_of_pair((int64_t)phase->units[i].before, (int64_t)phase->units[i].after, true));
        page->is_lost |= name == NULL;
        free(name);
    }
    put_value(page, row, "name", json_of_text(phase->name));
    put_value(page, row, "change", json_string(ca_change_name(phase->change)));
    put_value(page, row, "opened", json_of_figure(&phase->opened));
    put_value(page, row, "counts", counts);
    put_value(page, row, "different", different);
    put_value(page, row, "units", units);
    put_value(page, row, "threads", json_of_threads(page, phase));
    return row;
}

static json_t *json_of_notes(struct json_page *page, const char (*texts)[CA_DIFF_NOTE_SIZE],
                             uint32_t note_count) {
    json_t *notes = json_array();
    for (uint32_t i = 0; i < note_count; i++)
        append(page, notes, json_of_text(texts[i]));
    return notes;
}

static json_t *json_of_site(struct json_page *page, const struct ca_changed_site *site) {
    json_t *object = json_object(), *callers = json_array();
    for (uint32_t i = 0; i < site->caller_count; i++)
        append(page, callers, json_of_text(site->callers[i]));
    put_value(page, object, "change", json_string(ca_site_change_name(site->change)));
    put_value(page, object, "phase", json_of_text(site->phase));
    put_value(page, object, "function", json_of_text(site->function));
    put_value(page, object, "file", json_of_text(site->file));
    put_value(page, object, "line", site->line > 0 ? json_integer(site->line) : json_null());
    put_value(page, object, "callers", callers);
    put_value(page, object, "guess", json_boolean(site->is_guess));
    put_value(page, object, "allocations", json_of_figure(&site->allocations));
    put_value(page, object, "bytes_requested", json_of_figure(&site->bytes_requested));
    return object;
}

static json_t *json_of_sum(struct json_page *page, const struct ca_figure_pair *allocations,
                           const struct ca_figure_pair *bytes) {
    json_t *object = json_object();
    put_value(page, object, "allocations",
              json_of_pair(allocations->before, allocations->after, true));
    put_value(page, object, "bytes_requested", json_of_pair(bytes->before, bytes->after, true));
    return object;
}

static json_t *json_of_sites(struct json_page *page, const struct ca_site_diff *diff) {
    json_t *object = json_object(), *counts = json_object(), *sites = json_array();
    for (int change = 0; change < CA_SITE_CHANGES; change++)
        put_value(page, counts, ca_site_change_name((enum ca_site_change)change),
                  json_integer((json_int_t)diff->counts[change]));
    for (size_t i = 0; i < diff->site_count; i++)
        append(page, sites, json_of_site(page, &diff->sites[i]));
    put_value(page, object, "notes", json_of_notes(page, diff->notes, diff->note_count));
    put_value(page, object, "counts", counts);
    put_value(page, object, "sites", sites);
    put_value(page, object, "same", json_of_sum(page, &diff->same_allocations, &diff->same_bytes));
    put_value(page, object, "sum", json_of_sum(page, &diff->allocations, &diff->bytes_requested));
    return object;
}

static json_t *json_of_record(struct json_page *page, const struct ca_record *record,
                              const char *source) {
    json_t *object = json_object();
    put_value(page, object, "source", json_of_text(source));
    put_value(page, object, "name", json_of_text(record->name));
    put_value(page, object, "key", json_of_text(record->platform_key));
    put_value(page, object, "rules", json_integer(record->rules));
    put_value(page, object, "countalloc", json_of_text(record->version));
    return object;
}

static json_t *json_of_report(struct json_page *page, const struct ca_diff_report *report) {
    const struct ca_record_diff *diff = report->diff;
    json_t *root = json_object(), *phases = json_array();
    for (size_t i = 0; i < diff->phase_count; i++)
        append(page, phases, json_of_row(page, &diff->phases[i]));
    put_value(page, root, "schema", json_string(CA_DIFF_SCHEMA));
    put_value(page, root, "countalloc", json_of_text(report->version));
    put_value(
        page, root, "different",
        json_boolean(report->sites != NULL ? report->sites->is_different : diff->is_different));
    put_value(page, root, "old", json_of_record(page, diff->before, report->before_source));
    put_value(page, root, "new", json_of_record(page, diff->after, report->after_source));
    put_value(page, root, "notes", json_of_notes(page, diff->notes, diff->note_count));
    put_value(page, root, "total", json_of_row(page, &diff->total));
    put_value(page, root, "phases", phases);
    put_value(page, root, "unchanged_phases", json_integer((json_int_t)diff->same_count));
    if (report->sites != NULL)
        put_value(page, root, "by_site", json_of_sites(page, report->sites));
    return root;
}

static int write_bytes(const char *bytes, size_t byte_count, void *out) {
    ca_out_bytes(out, bytes, byte_count);
    return 0;
}

enum ca_status ca_diff_write_json(const struct ca_diff_report *report, struct ca_out *out,
                                  struct ca_error *err) {
    struct json_page page = {.is_lost = false};
    json_t *root = json_of_report(&page, report);
    bool is_written =
        !page.is_lost && json_dump_callback(root, write_bytes, out, JSON_INDENT(2)) == 0;
    json_decref(root);
    ca_out_text(out, "\n");
    return is_written ? CA_OK : ca_error_memory(err);
}
