/* SPDX-License-Identifier: MIT */
#include "budget/check_escape.h"
#include "sites/site_grid.h"

static void put_line(const struct ca_site_grid *table, const struct ca_site_cell *cells,
                     struct ca_out *out) {
    ca_out_text(out, "|");
    for (uint32_t i = 0; i < table->column_count; i++) {
        ca_out_text(out, " ");
        ca_escape(out, CA_SYNTAX_MARKDOWN, cells[i].text);
        ca_out_text(out, cells[i].text[0] != '\0' ? " |" : "|");
    }
    ca_out_text(out, "\n");
}

static void put_table(const struct ca_site_report *report, const struct ca_site_rows *rows,
                      struct ca_out *out) {
    struct ca_site_cell cells[CA_SITE_COLUMNS];
    struct ca_site_grid table;
    char heading[CA_SITE_NOTE_SIZE];
    ca_escape(out, CA_SYNTAX_MARKDOWN, ca_site_report_heading(report, rows, heading));
    ca_out_text(out, "\n\n");
    ca_site_grid_init(&table, report, rows);
    for (size_t line = 0; line < table.line_count; line++) {
        ca_site_grid_line(&table, line, cells);
        put_line(&table, cells, out);
        if (line > 0)
            continue;
        ca_out_text(out, "|");
        for (uint32_t i = 0; i < table.column_count; i++)
            ca_out_text(out, table.is_name[i] ? "---|" : "---:|");
        ca_out_text(out, "\n");
    }
    ca_out_text(out, "\n");
}

enum ca_status ca_site_report_write_md(const struct ca_site_report *report, struct ca_out *out,
                                       struct ca_error *err) {
    (void)err;
    ca_out_text(out, "### ");
    ca_escape(out, CA_SYNTAX_MARKDOWN, report->record->name);
    ca_out_text(out, ": allocations by call site\n\n");
    if (report->has_sites)
        put_table(report, &report->sites, out);
    if (report->has_samples)
        put_table(report, &report->samples, out);
    for (size_t i = 0; i < report->note_count; i++) {
        ca_out_text(out, "- ");
        ca_escape(out, CA_SYNTAX_MARKDOWN, report->notes[i]);
        ca_out_text(out, "\n");
    }
    return CA_OK;
}
