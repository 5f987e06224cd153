/* SPDX-License-Identifier: MIT
 *
 * Lines of the text report: cells with spaces between them, and labelled lines of items. Inside the
 * report only. */
#ifndef CA_TEXT_ITEMS_H
#define CA_TEXT_ITEMS_H

#include "record.h"
#include "text_cell.h"

#define LINE_COLUMNS  100u
#define LABEL_COLUMNS 10u

void ca_line_cell(struct ca_out *out, const struct ca_cell *cell);
void ca_line_spaces(struct ca_out *out, unsigned count);

/* A labelled line of items; breaks between two of them when it gets too long, and is none without
 * an item. */
struct ca_items {
    struct ca_out *out; /* kept */
    const char *label;  /* kept */
    unsigned columns;   /* of the line so far; 0: there is none */
};

struct ca_items ca_items_begin(struct ca_out *out, const char *label);
void ca_items_add(struct ca_items *items, const struct ca_cell *cell);
void ca_items_end(struct ca_items *items);

#endif
