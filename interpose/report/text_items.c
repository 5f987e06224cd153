/* SPDX-License-Identifier: MIT */
#include "text_items.h"

void ca_line_cell(struct ca_out *out, const struct ca_cell *cell) {
    ca_out_bytes(out, cell->bytes, cell->byte_count);
}

void ca_line_spaces(struct ca_out *out, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        ca_out_text(out, " ");
}

struct ca_items ca_items_begin(struct ca_out *out, const char *label) {
    return (struct ca_items){out, label, 0};
}

static void put_label(struct ca_items *items) {
    struct ca_cell cell;
    ca_cell_init(&cell, LABEL_COLUMNS);
    ca_cell_text(&cell, items->label);
    ca_line_cell(items->out, &cell);
    ca_line_spaces(items->out, LABEL_COLUMNS - cell.columns);
    items->columns = LABEL_COLUMNS;
}

void ca_items_add(struct ca_items *items, const struct ca_cell *cell) {
    if (items->columns == 0) {
        put_label(items);
    } else if (items->columns + 2 + cell->columns > LINE_COLUMNS) {
        ca_out_text(items->out, "\n");
        ca_line_spaces(items->out, LABEL_COLUMNS);
        items->columns = LABEL_COLUMNS;
    } else {
        ca_line_spaces(items->out, 2);
        items->columns += 2;
    }
    ca_line_cell(items->out, cell);
    items->columns += cell->columns;
}

void ca_items_end(struct ca_items *items) {
    if (items->columns > 0)
        ca_out_text(items->out, "\n");
}
