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
                    const struct ca_figure_pair *pair, const struct ca_phase_diff *units) {
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
    for (uint32_t i = 0; units != NULL && i < units->unit_count; i++) {
        ca_out_text(page->out, i > 0 ? ", " : "");
        put(page, ca_diff_quotients(pair, &units->units[i], text));
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
            put_row(page, name, facts->name, &phase->figures[column],
                    facts->is_per_unit ? phase : NULL);
    }
    if (phase->opened.is_different)
        put_row(page, name, "opened", &phase->opened, NULL);
    for (uint32_t i = 0; i < phase->unit_count; i++) {
        const struct ca_unit_pair *unit = &phase->units[i];
        const struct ca_figure_pair figure = {true, true, (int64_t)unit->before,
                                              (int64_t)unit->after};
        char units[64];
        snprintf(units, sizeof units, "units %.31s", unit->name);
        if (unit->before != unit->after)
            put_row(page, name, units, &figure, NULL);
    }
    for (uint32_t i = 0; i < phase->thread_count; i++) {
        char thread[CA_DIFF_TEXT_SIZE + 32], text[CA_DIFF_TEXT_SIZE];
        snprintf(thread, sizeof thread, "allocations of %s",
                 ca_diff_thread(&phase->threads[i], text));
        put_row(page, name, thread, &phase->threads[i].allocations, NULL);
    }
}

enum ca_status ca_diff_write_md(const struct ca_diff_report *report, struct ca_out *out,
                                struct ca_error *err) {
    (void)err;
    const struct ca_record_diff *diff = report->diff;
    struct md_page page = {.out = out};
    char text[CA_DIFF_TEXT_SIZE];
    ca_out_text(out, "### countalloc diff\n\n");
    put(&page, ca_diff_summary(diff, text));
    ca_out_text(out, "\n\nold: ");
    put(&page, report->before_source);
    ca_out_text(out, ", new: ");
    put(&page, report->after_source);
    ca_out_text(out, "\n\n");
    for (uint32_t i = 0; i < diff->note_count; i++) {
        put(&page, diff->notes[i]);
        ca_out_text(out, "\n\n");
    }
    if (!diff->is_different)
        return CA_OK;
    ca_out_text(out, "| phase | figure | old | new | change | per unit |\n"
                     "|---|---|---:|---:|---:|---|\n");
    for (size_t i = 0; i < diff->phase_count; i++)
        put_phase(&page, &diff->phases[i]);
    put_phase(&page, &diff->total);
    if (page.row_count > ROWS_MAX) {
        snprintf(text, sizeof text, "\nand %zu more.\n", page.row_count - ROWS_MAX);
        ca_out_text(out, text);
    }
    return CA_OK;
}
