/* SPDX-License-Identifier: MIT
 *
 * The table of rows, as cells of text: what the text and the Markdown format have in common. */
#ifndef CA_SITE_GRID_H
#define CA_SITE_GRID_H

#include "sites/site_report.h"

#define CA_SITE_COLUMNS   8u
#define CA_SITE_CELL_SIZE 1024u

struct ca_site_cell {
    char text[CA_SITE_CELL_SIZE]; /* any bytes of the record */
};

struct ca_site_grid {
    const struct ca_site_report *report;
    const struct ca_site_rows *rows;
    bool is_name[CA_SITE_COLUMNS]; /* column_count columns: text on the left, else numbers */
    uint32_t column_count;
    size_t line_count; /* the title, the rows that are shown, what the others have together, a
                          difference, the total */
};

void ca_site_grid_init(struct ca_site_grid *table, const struct ca_site_report *report,
                       const struct ca_site_rows *rows);

/* Fills the cells of a line, column_count of them. */
void ca_site_grid_line(const struct ca_site_grid *table, size_t line,
                       struct ca_site_cell *ret_cells);

#endif
