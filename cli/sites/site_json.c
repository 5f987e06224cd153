/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * { "schema": "countalloc.sites/1", "program": "..", "view": "all|under|above", "function": ".."|null,
 *   "stack_depth": 32, "unit": "line"|null, "units": 1000|null,     units of the total
 *   "total": {"allocations": 23, "bytes_requested": 73818},         of the record
 *   "sites": TABLE|null, "samples": TABLE|null,                     null: not measured
 *   "notes": [".."] }
 * TABLE = { "allocations": 23, "bytes_requested": 73818, "samples": 5,      sums of the rows; `samples` in estimates only
 *   "rows": [{"phase": "..", "function": "..", "file": ".."|null, "line": 7|null, "callers": [{"function": "..", "file": ".."|null, "line": 9|null}],
 *             "allocations": 12, "bytes_requested": 240, "samples": 4, "units": 1000|null}] }
 *
 * Rows are all there, most allocations first. "function" may be "[no site]", "[no caller known]",
 * "[anonymous]" or "module+0xoffset".
 */
/* clang-format on */
#include <jansson.h>
#include <stdlib.h>

#include "budget/check_escape.h"
#include "sites/site_report.h"

struct page {
    const struct ca_site_report *report;
    bool is_lost;
};

/* Takes `value` over, NULL included: then the whole is lost. */
static void put(struct page *page, json_t *object, const char *name, json_t *value) {
    page->is_lost |= json_object_set_new(object, name, value) != 0;
}

static void append(struct page *page, json_t *array, json_t *value) {
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

/* null for 0. */
static json_t *json_of_known(uint64_t number) {
    return number > 0 ? json_integer((json_int_t)number) : json_null();
}

static void put_counts(struct page *page, json_t *object, uint64_t allocations, uint64_t bytes) {
    put(page, object, "allocations", json_integer((json_int_t)allocations));
    put(page, object, "bytes_requested", json_integer((json_int_t)bytes));
}

static void put_place(struct page *page, json_t *object, const char *function, const char *file,
                      uint32_t line) {
    put(page, object, "function", json_of_text(function));
    put(page, object, "file", json_of_text(file));
    put(page, object, "line", json_of_known(line));
}

static json_t *json_of_row(struct page *page, const struct ca_site_row *row) {
    json_t *object = json_object(), *callers = json_array();
    put(page, object, "phase", json_of_text(page->report->record->phases[row->phase].name));
    put_place(page, object, row->function, row->file, row->line);
    for (uint32_t i = 0; i < row->caller_count; i++) {
        json_t *caller = json_object();
        put_place(page, caller, row->callers[i].function, row->callers[i].file,
                  row->callers[i].line);
        append(page, callers, caller);
    }
    put(page, object, "callers", callers);
    put_counts(page, object, row->allocations, row->bytes_requested);
    if (row->samples > 0)
        put(page, object, "samples", json_integer((json_int_t)row->samples));
    put(page, object, "units", json_of_known(ca_site_report_units(page->report, row->phase)));
    return object;
}

static json_t *json_of_table(struct page *page, bool is_measured, const struct ca_site_rows *rows) {
    if (!is_measured)
        return json_null();
    json_t *object = json_object(), *list = json_array();
    put_counts(page, object, rows->allocations, rows->bytes_requested);
    if (rows == &page->report->samples)
        put(page, object, "samples", json_integer((json_int_t)rows->samples));
    for (size_t i = 0; i < rows->row_count; i++)
        append(page, list, json_of_row(page, &rows->rows[i]));
    put(page, object, "rows", list);
    return object;
}

static json_t *json_of_report(struct page *page) {
    static const char *const views[] = {
        [CA_SITES_ALL] = "all", [CA_SITES_UNDER] = "under", [CA_SITES_ABOVE] = "above"};
    const struct ca_site_report *report = page->report;
    json_t *root = json_object(), *total = json_object(), *notes = json_array();
    put(page, root, "schema", json_string("countalloc.sites/1"));
    put(page, root, "program", json_of_text(report->record->name));
    put(page, root, "view", json_string(views[report->options.view]));
    put(page, root, "function", json_of_text(report->options.function));
    put(page, root, "stack_depth", json_integer(report->record->stack_depth));
    put(page, root, "unit", json_of_text(report->unit));
    put(page, root, "units", json_of_known(ca_site_report_units(report, UINT32_MAX)));
    put_counts(page, total, report->record->total.allocations,
               report->record->total.bytes_requested);
    put(page, root, "total", total);
    put(page, root, "sites", json_of_table(page, report->has_sites, &report->sites));
    put(page, root, "samples", json_of_table(page, report->has_samples, &report->samples));
    for (size_t i = 0; i < report->note_count; i++)
        append(page, notes, json_of_text(report->notes[i]));
    put(page, root, "notes", notes);
    return root;
}

static int write_bytes(const char *bytes, size_t byte_count, void *out) {
    ca_out_bytes(out, bytes, byte_count);
    return 0;
}

enum ca_status ca_site_report_write_json(const struct ca_site_report *report, struct ca_out *out,
                                         struct ca_error *err) {
    struct page page = {.report = report};
    json_t *root = json_of_report(&page);
    bool is_written =
        !page.is_lost && json_dump_callback(root, write_bytes, out, JSON_INDENT(2)) == 0;
    json_decref(root);
    ca_out_text(out, "\n");
    return is_written ? CA_OK : ca_error_memory(err);
}
