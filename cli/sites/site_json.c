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

#include "budget/json_page.h"
#include "sites/site_report.h"

static void put_counts(struct ca_page *page, json_t *object, uint64_t allocations, uint64_t bytes) {
    ca_page_put(page, object, "allocations", json_integer((json_int_t)allocations));
    ca_page_put(page, object, "bytes_requested", json_integer((json_int_t)bytes));
}

static void put_place(struct ca_page *page, json_t *object, const char *function, const char *file,
                      uint32_t line) {
    ca_page_put_text(page, object, "function", function);
    ca_page_put_text(page, object, "file", file);
    ca_page_put(page, object, "line", ca_page_known(line));
}

static json_t *json_of_row(struct ca_page *page, const struct ca_site_report *report,
                           const struct ca_site_row *row) {
    json_t *object = json_object(), *callers = json_array();
    ca_page_put_text(page, object, "phase", report->record->phases[row->phase].name);
    put_place(page, object, row->function, row->file, row->line);
    for (uint32_t i = 0; i < row->caller_count; i++) {
        json_t *caller = json_object();
        put_place(page, caller, row->callers[i].function, row->callers[i].file,
                  row->callers[i].line);
        ca_page_append(page, callers, caller);
    }
    ca_page_put(page, object, "callers", callers);
    put_counts(page, object, row->allocations, row->bytes_requested);
    if (row->samples > 0)
        ca_page_put(page, object, "samples", json_integer((json_int_t)row->samples));
    ca_page_put(page, object, "units", ca_page_known(ca_site_report_units(report, row->phase)));
    return object;
}

static json_t *json_of_table(struct ca_page *page, const struct ca_site_report *report,
                             bool is_measured, const struct ca_site_rows *rows) {
    if (!is_measured)
        return json_null();
    json_t *object = json_object(), *list = json_array();
    put_counts(page, object, rows->allocations, rows->bytes_requested);
    if (rows == &report->samples)
        ca_page_put(page, object, "samples", json_integer((json_int_t)rows->samples));
    for (size_t i = 0; i < rows->row_count; i++)
        ca_page_append(page, list, json_of_row(page, report, &rows->rows[i]));
    ca_page_put(page, object, "rows", list);
    return object;
}

static json_t *json_of_report(struct ca_page *page, const struct ca_site_report *report) {
    static const char *const views[] = {
        [CA_SITES_ALL] = "all", [CA_SITES_UNDER] = "under", [CA_SITES_ABOVE] = "above"};
    json_t *root = json_object(), *total = json_object(), *notes = json_array();
    ca_page_put(page, root, "schema", json_string("countalloc.sites/1"));
    ca_page_put_text(page, root, "program", report->record->name);
    ca_page_put(page, root, "view", json_string(views[report->options.view]));
    ca_page_put_text(page, root, "function", report->options.function);
    ca_page_put(page, root, "stack_depth", json_integer(report->record->stack_depth));
    ca_page_put_text(page, root, "unit", report->unit);
    ca_page_put(page, root, "units", ca_page_known(ca_site_report_units(report, UINT32_MAX)));
    put_counts(page, total, report->record->total.allocations,
               report->record->total.bytes_requested);
    ca_page_put(page, root, "total", total);
    ca_page_put(page, root, "sites",
                json_of_table(page, report, report->has_sites, &report->sites));
    ca_page_put(page, root, "samples",
                json_of_table(page, report, report->has_samples, &report->samples));
    for (size_t i = 0; i < report->note_count; i++)
        ca_page_append(page, notes, ca_page_text(report->notes[i]));
    ca_page_put(page, root, "notes", notes);
    return root;
}

enum ca_status ca_site_report_write_json(const struct ca_site_report *report, struct ca_out *out,
                                         struct ca_error *err) {
    struct ca_page page = {.is_lost = false};
    json_t *root = json_of_report(&page, report);
    return ca_page_write(&page, root, out, err);
}
