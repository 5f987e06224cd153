/* SPDX-License-Identifier: MIT
 *
 * Text tables of a record's threads and processes. */
#ifndef CA_ROW_TABLE_H
#define CA_ROW_TABLE_H

#include "interpose/report/record.h"

enum ca_row_kind {
    CA_ROWS_THREADS,
    CA_ROWS_PROCESSES
};

/* One row for each, numbers aligned, a total below. */
void ca_row_table_write(const struct ca_record *record, enum ca_row_kind kind, struct ca_out *out);

#endif
