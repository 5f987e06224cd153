/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "budget/check_escape.h"
#include "diff/diff_report.h"

#define ROWS_MAX 300u /* as much of a job summary as anybody reads */

struct md_page {
    struct ca_out *out;
    size_t row_count;
};

static void put(struct md_page *page, const char *text) {
    ca_escape(page->out, CA_SYNTAX_MARKDOWN, text);
}

static void put_row(struct md_page *page, const char *phase, const char *figure,
                    const struct ca_figure_pair *pair, const struct ca_unit_pair *units,
                    uint32_t unit_count) {
    char text[CA_DIFF_TEXT_SIZE];
    if (page->row_count++ >= ROWS_MAX)
        return;
    ca_out_text(page->out, "| ");
    put(page, phase);
    ca_out_text(page->out, " | ");
    put(page, figure);
    snprintf(text, sizeof text, " | %lld | %lld | ", (long long)pair->before,
             (long long)pair->after);
    ca_out_text(page->out, text);
    put(page, ca_diff_change(pair, text));
    ca_out_text(page->out, " | ");
    for (uint32_t i = 0; i < unit_count; i++) {
        ca_out_text(page->out, i > 0 ? ", " : "");
        put(page, ca_diff_quotients(pair, &units[i], text));
    }
    ca_out_text(page->out, " |\n");
}

static void put_phase(struct md_page *page, const struct ca_phase_diff *phase) {
    char name[CA_DIFF_TEXT_SIZE];
    snprintf(name, sizeof name, "%.200s%s", phase->name,
             phase->change == CA_CHANGE_NEW    ? " (new)"
             : phase->change == CA_CHANGE_GONE ? " (gone)"
                                               : "");
    for (int column = 0; column < CA_COLUMN_COUNT; column++) {
        const struct ca_column_facts *facts = ca_column_facts((enum ca_column)column);
        if (phase->figures[column].is_different)
            put_row(page, name, facts->name, &phase->figures[column], phase->units,
                    facts->is_per_unit ? phase->unit_count : 0);
    }
    if (phase->opened.is_different)
        put_row(page, name, "opened", &phase->opened, NULL, 0);
    for (uint32_t i = 0; i < phase->unit_count; i++) {
        const struct ca_unit_pair *unit = &phase->units[i];
        const struct ca_figure_pair figure = {true, true, (int64_t)unit->before,
                                              (int64_t)unit->after};
        char units[64];
        snprintf(units, sizeof units, "units %.31s", unit->name);
        if (unit->before != unit->after)
            put_row(page, name, units, &figure, NULL, 0);
    }
    for (uint32_t i = 0; i < phase->thread_count; i++) {
        char thread[CA_DIFF_TEXT_SIZE + 32], text[CA_DIFF_TEXT_SIZE];
        snprintf(thread, sizeof thread, "allocations of %s",
                 ca_diff_thread(&phase->threads[i], text));
        put_row(page, name, thread, &phase->threads[i].allocations, NULL, 0);
    }
}

/* ---- by site ---- */

/* "new: copy_line parse.c:42 (called by parse_all, main)" */
static void put_site(struct md_page *page, const struct ca_site_diff *diff,
                     const struct ca_changed_site *site) {
    char place[CA_DIFF_TEXT_SIZE], callers[CA_DIFF_TEXT_SIZE], text[3 * CA_DIFF_TEXT_SIZE];
    struct ca_unit_pair units[2 * CA_UNIT_CAPACITY];
    uint32_t unit_count = ca_site_units(diff, site->phase, units);
    ca_diff_site_place(site, place);
    ca_diff_site_callers(site, callers);
    snprintf(text, sizeof text, "%s: %s%s%s%s%s", ca_site_change_name(site->change), place,
             *callers != '\0' ? " (called by " : "", callers, *callers != '\0' ? ")" : "",
             site->is_guess ? " (paired by order: a guess)" : "");
    if (site->allocations.is_different)
        put_row(page, text, "allocations", &site->allocations, units, unit_count);
    if (site->bytes_requested.is_different)
        put_row(page, text, "bytes requested", &site->bytes_requested, units, unit_count);
}

static void put_sites(struct md_page *page, const struct ca_diff_report *report) {
    const struct ca_site_diff *diff = report->sites;
    struct ca_figure_pair others, bytes_of_others;
    struct ca_unit_pair units[2 * CA_UNIT_CAPACITY];
    uint32_t unit_count = ca_site_units(diff, NULL, units);
    char text[CA_DIFF_TEXT_SIZE];
    size_t shown = ca_diff_sites_shown(report, &others, &bytes_of_others);
    ca_out_text(page->out, "| site | figure | old | new | change | per unit |\n"
                           "|---|---|---:|---:|---:|---|\n");
    for (size_t i = 0; i < shown; i++)
        put_site(page, diff, &diff->sites[i]);
    if (shown < diff->site_count) {
        snprintf(text, sizeof text, "%zu more that differ", diff->site_count - shown);
        put_row(page, text, "allocations", &others, NULL, 0);
        put_row(page, text, "bytes requested", &bytes_of_others, NULL, 0);
    }
    if (diff->counts[CA_SITE_SAME] > 0) {
        snprintf(text, sizeof text, "%zu the same", diff->counts[CA_SITE_SAME]);
        put_row(page, text, "allocations", &diff->same_allocations, NULL, 0);
        put_row(page, text, "bytes requested", &diff->same_bytes, NULL, 0);
    }
    put_row(page, "all sites", "allocations", &diff->allocations, units, unit_count);
    put_row(page, "all sites", "bytes requested", &diff->bytes_requested, units, unit_count);
}

/* ---- the page ---- */

static void put_notes(struct md_page *page, const char (*notes)[CA_DIFF_NOTE_SIZE],
                      uint32_t note_count) {
    for (uint32_t i = 0; i < note_count; i++) {
        put(page, notes[i]);
        ca_out_text(page->out, "\n\n");
    }
}

static void put_phases(struct md_page *page, const struct ca_record_diff *diff) {
    ca_out_text(page->out, "| phase | figure | old | new | change | per unit |\n"
                           "|---|---|---:|---:|---:|---|\n");
    for (size_t i = 0; i < diff->phase_count; i++)
        put_phase(page, &diff->phases[i]);
    put_phase(page, &diff->total);
}

enum ca_status ca_diff_write_md(const struct ca_diff_report *report, struct ca_out *out,
                                struct ca_error *err) {
    (void)err;
    const struct ca_record_diff *diff = report->diff;
    const struct ca_site_diff *sites = report->sites;
    struct md_page page = {.out = out};
    char text[CA_DIFF_TEXT_SIZE];
    ca_out_text(out, "### countalloc diff\n\n");
    put(&page, sites != NULL ? ca_diff_site_summary(sites, text) : ca_diff_summary(diff, text));
    ca_out_text(out, "\n\nold: ");
    put(&page, report->before_source);
    ca_out_text(out, ", new: ");
    put(&page, report->after_source);
    ca_out_text(out, "\n\n");
    put_notes(&page, diff->notes, diff->note_count);
    if (sites != NULL)
        put_notes(&page, sites->notes, sites->note_count);
    if (sites != NULL && sites->is_different)
        put_sites(&page, report);
    else if (sites == NULL && diff->is_different)
        put_phases(&page, diff);
    if (page.row_count > ROWS_MAX) {
        snprintf(text, sizeof text, "\nand %zu more.\n", page.row_count - ROWS_MAX);
        ca_out_text(out, text);
    }
    return CA_OK;
}
