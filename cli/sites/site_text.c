/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "budget/check_escape.h"
#include "flame/xml_text.h"
#include "sites/site_grid.h"

struct widths {
    size_t columns[CA_SITE_COLUMNS];
};

static void measure(const struct ca_site_grid *table, struct widths *widths) {
    struct ca_site_cell cells[CA_SITE_COLUMNS];
    for (size_t line = 0; line < table->line_count; line++) {
        ca_site_grid_line(table, line, cells);
        for (uint32_t i = 0; i < table->column_count; i++) {
            size_t columns = ca_xml_columns(cells[i].text, strlen(cells[i].text));
            widths->columns[i] = columns > widths->columns[i] ? columns : widths->columns[i];
        }
    }
}

static void put_spaces(struct ca_out *out, size_t count) {
    for (size_t i = 0; i < count; i++)
        ca_out_text(out, " ");
}

/* Spaces are owed until something follows them, so that no line ends in blanks. */
static void put_line(const struct ca_site_grid *table, const struct widths *widths,
                     const struct ca_site_cell *cells, struct ca_out *out) {
    size_t owed = 0;
    for (uint32_t i = 0; i < table->column_count; i++) {
        size_t columns = ca_xml_columns(cells[i].text, strlen(cells[i].text));
        size_t padding = widths->columns[i] - columns;
        owed += (i > 0 ? 2 : 0) + (table->is_name[i] ? 0 : padding);
        if (columns > 0) {
            put_spaces(out, owed);
            ca_escape(out, CA_SYNTAX_TERMINAL, cells[i].text);
            owed = 0;
        }
        owed += table->is_name[i] ? padding : 0;
    }
    ca_out_text(out, "\n");
}

static void put_table(const struct ca_site_report *report, const struct ca_site_rows *rows,
                      struct ca_out *out) {
    struct ca_site_cell cells[CA_SITE_COLUMNS];
    struct ca_site_grid table;
    struct widths widths = {{0}};
    char heading[CA_SITE_NOTE_SIZE];
    ca_escape(out, CA_SYNTAX_TERMINAL, ca_site_report_heading(report, rows, heading));
    ca_out_text(out, "\n\n");
    ca_site_grid_init(&table, report, rows);
    measure(&table, &widths);
    for (size_t line = 0; line < table.line_count; line++) {
        ca_site_grid_line(&table, line, cells);
        put_line(&table, &widths, cells, out);
    }
    ca_out_text(out, "\n");
}

enum ca_status ca_site_report_write_text(const struct ca_site_report *report, struct ca_out *out,
                                         struct ca_error *err) {
    (void)err;
    ca_out_text(out, "countalloc: ");
    ca_escape(out, CA_SYNTAX_TERMINAL, report->record->name);
    ca_out_text(out, "\n");
    if (report->has_sites)
        put_table(report, &report->sites, out);
    if (report->has_samples)
        put_table(report, &report->samples, out);
    for (size_t i = 0; i < report->note_count; i++) {
        ca_out_text(out, "note: ");
        ca_escape(out, CA_SYNTAX_TERMINAL, report->notes[i]);
        ca_out_text(out, "\n");
    }
    return CA_OK;
}
