/* SPDX-License-Identifier: MIT */
#include "sites/site_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "flame/flame_number.h"
#include "sites/site_notes.h"

__extension__ typedef unsigned __int128 ca_wide;

/* ---- what is there ---- */

static enum ca_status say_not_measured(const struct ca_record *record, const char *shown,
                                       struct ca_error *err) {
    if (record->level == CA_LEVEL_NONE)
        return ca_error_set(err, CA_ERROR_INPUT, "'%s': nothing was measured%s%s", shown,
                            record->note_count > 0 ? ": " : "",
                            record->note_count > 0 ? record->notes[0] : "");
    return ca_error_set(err, CA_ERROR_INPUT,
                        "'%s' has no call sites, because they were not measured. Measure again "
                        "with an option: 'countalloc run --sites' counts by the place that "
                        "allocates, '--stacks' by place and callers (for programs built with frame "
                        "pointers), '--sample' estimates both for any program",
                        shown);
}

static enum ca_status check_measured(const struct ca_site_report *report, const char *shown,
                                     struct ca_error *err) {
    const struct ca_record *record = report->record;
    if (record->stack_depth == 0 && record->sample_bytes == 0)
        return say_not_measured(record, shown, err);
    if (report->options.view == CA_SITES_ALL || record->stack_depth > 1 || record->sample_bytes > 0)
        return CA_OK;
    return ca_error_set(err, CA_ERROR_INPUT,
                        "'--%s' needs stacks, and '%s' has the callers of the allocator only: "
                        "measure with 'countalloc run --stacks' (for programs built with frame "
                        "pointers) or '--sample' (an estimate, for any program)",
                        report->options.view == CA_SITES_UNDER ? "under" : "above", shown);
}

/* Sites with a single frame cannot be asked for a part. */
static bool has_exact_part(const struct ca_site_report *report) {
    return report->options.view == CA_SITES_ALL ? report->record->stack_depth > 0
                                                : report->record->stack_depth > 1;
}

static enum ca_status make_rows(struct ca_site_report *report, struct ca_error *err) {
    const struct ca_record *record = report->record;
    struct ca_site_query query = {.view = report->options.view,
                                  .function = report->options.function};
    enum ca_status status = CA_OK;
    report->has_sites = has_exact_part(report);
    report->has_samples = record->sample_bytes > 0;
    if (report->has_sites)
        status = ca_site_rows_init(&report->sites, record, &query, err);
    query.is_sampled = true;
    if (status == CA_OK && report->has_samples)
        status = ca_site_rows_init(&report->samples, record, &query, err);
    if (status == CA_OK && query.view != CA_SITES_ALL && !report->sites.is_found &&
        !report->samples.is_found)
        return ca_function_absent(record, query.function, err);
    return status;
}

static void choose_unit(struct ca_site_report *report) {
    const struct ca_record *record = report->record;
    if (record->total_units_count > 0)
        report->unit = record->total_units[0].name;
    for (uint32_t i = 0; report->unit == NULL && i < record->phase_count; i++)
        if (record->phases[i].units_count > 0)
            report->unit = record->phases[i].units[0].name;
}

enum ca_status ca_site_report_init(struct ca_site_report *report, const struct ca_record *record,
                                   const struct ca_site_report_options *options, const char *shown,
                                   struct ca_error *err) {
    *report = (struct ca_site_report){.record = record, .options = *options};
    enum ca_status status = check_measured(report, shown, err);
    if (status == CA_OK)
        status = make_rows(report, err);
    if (status != CA_OK)
        return status;
    choose_unit(report);
    ca_site_report_note(report);
    return CA_OK;
}

void ca_site_report_release(struct ca_site_report *report) {
    ca_site_rows_release(&report->sites);
    ca_site_rows_release(&report->samples);
}

/* ---- figures ---- */

static uint64_t units_in(const struct ca_units *units, uint32_t units_count, const char *unit) {
    for (uint32_t i = 0; i < units_count; i++)
        if (strcmp(units[i].name, unit) == 0)
            return units[i].unit_count;
    return 0;
}

uint64_t ca_site_report_units(const struct ca_site_report *report, uint32_t phase) {
    const struct ca_record *record = report->record;
    if (report->unit == NULL)
        return 0;
    uint64_t in_phase =
        phase < record->phase_count
            ? units_in(record->phases[phase].units, record->phases[phase].units_count, report->unit)
            : 0;
    return in_phase > 0 ? in_phase
                        : units_in(record->total_units, record->total_units_count, report->unit);
}

uint64_t ca_site_report_whole(const struct ca_site_report *report,
                              const struct ca_site_rows *rows) {
    return rows == &report->samples || report->options.view != CA_SITES_ALL
               ? rows->allocations
               : report->record->total.allocations;
}

int64_t ca_site_report_difference(const struct ca_site_report *report,
                                  const struct ca_site_rows *rows) {
    return (int64_t)(rows->allocations - ca_site_report_whole(report, rows));
}

size_t ca_site_report_shown(const struct ca_site_report *report, const struct ca_site_rows *rows) {
    /* A rest of one takes no less room than the row itself. */
    return rows->row_count <= report->options.top_count ||
                   rows->row_count == report->options.top_count + 1
               ? rows->row_count
               : report->options.top_count;
}

const char *ca_site_share(uint64_t part, uint64_t whole, char *text) {
    ca_wide permille_twice = (ca_wide)part * 2000;
    uint64_t permille = whole > 0 ? (uint64_t)((permille_twice + whole) / ((ca_wide)whole * 2)) : 0;
    const char *shown = NULL;
    if (whole == 0)
        shown = "";
    else if (part == whole)
        shown = "100%";
    else if (permille_twice < whole)
        shown = part > 0 ? "<0.1%" : "0%";
    else if (permille_twice + whole >= (ca_wide)whole * 2000 && part < whole)
        shown = ">99.9%";
    if (shown != NULL)
        snprintf(text, CA_SITE_NUMBER_SIZE, "%s", shown);
    else
        snprintf(text, CA_SITE_NUMBER_SIZE, "%" PRIu64 ".%" PRIu64 "%%", permille / 10,
                 permille % 10);
    return text;
}

const char *ca_site_error(uint64_t sample_count, char *text) {
    double percent = sample_count > 0 ? 100 / sqrt((double)sample_count) : 100;
    snprintf(text, CA_SITE_NUMBER_SIZE, percent < 1 ? "%.1f%%" : "%.0f%%", percent);
    return text;
}

/* ---- sentences ---- */

static const char *heading_of_all(const struct ca_site_report *report, char *text) {
    char allocations[CA_FLAME_NUMBER_SIZE], bytes[CA_FLAME_NUMBER_SIZE];
    const struct ca_counts *total = &report->record->total;
    snprintf(text, CA_SITE_NOTE_SIZE,
             "%s%s allocation%s and %s byte%s requested, by the place that allocated%s",
             report->record->level == CA_LEVEL_PARTIAL ? "at least " : "",
             ca_flame_number(total->allocations, allocations), total->allocations == 1 ? "" : "s",
             ca_flame_number(total->bytes_requested, bytes), total->bytes_requested == 1 ? "" : "s",
             report->record->stack_depth > 1 ? " and its callers" : "");
    return text;
}

static const char *heading_of_part(const struct ca_site_report *report,
                                   const struct ca_site_rows *rows, char *text) {
    char part[CA_FLAME_NUMBER_SIZE], all[CA_FLAME_NUMBER_SIZE], share[CA_SITE_NUMBER_SIZE];
    bool is_under = report->options.view == CA_SITES_UNDER;
    uint64_t total = report->record->total.allocations;
    bool is_estimate = rows == &report->samples;
    snprintf(text, CA_SITE_NOTE_SIZE, "%s%s of %s allocations (%s) are made by %.300s or below%s",
             is_estimate ? "about " : "", ca_flame_number(rows->allocations, part),
             ca_flame_number(total, all), ca_site_share(rows->allocations, total, share),
             report->options.function,
             is_under ? ", by the place that allocated" : ", by its callers");
    return text;
}

static void add_estimate(const struct ca_site_report *report, const struct ca_site_rows *rows,
                         char *text) {
    char samples[CA_FLAME_NUMBER_SIZE], bytes[CA_FLAME_NUMBER_SIZE];
    size_t length = strlen(text);
    snprintf(text + length, CA_SITE_NOTE_SIZE - length,
             "%sestimate from %s sample%s of whole stacks, one in %s bytes; the error of a figure "
             "from n samples is 1/sqrt(n)",
             length > 0 ? ": " : "", ca_flame_number(rows->samples, samples),
             rows->samples == 1 ? "" : "s", ca_flame_number(report->record->sample_bytes, bytes));
}

const char *ca_site_report_heading(const struct ca_site_report *report,
                                   const struct ca_site_rows *rows, char *text) {
    text[0] = '\0';
    if (report->options.view != CA_SITES_ALL)
        heading_of_part(report, rows, text);
    else if (rows == &report->sites)
        heading_of_all(report, text);
    if (rows == &report->samples)
        add_estimate(report, rows, text);
    return text;
}

/* ---- formats ---- */

enum ca_status ca_site_format_find(const char *name, const struct ca_site_format **ret_format,
                                   struct ca_error *err) {
    static const struct ca_site_format formats[] = {
        {"text", ca_site_report_write_text},
        {"md", ca_site_report_write_md},
        {"json", ca_site_report_write_json},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, name) == 0) {
            *ret_format = &formats[i];
            return CA_OK;
        }
    return ca_error_set(err, CA_ERROR_USAGE,
                        "the formats of '--by site' are text, md and json, not '%s'", name);
}
