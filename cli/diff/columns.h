/* SPDX-License-Identifier: MIT
 *
 * The figures that two runs are compared by, as a table: what `diff` and `run --repeat` look at.
 *
 * How realloc moved blocks is not among them: it depends on where blocks happened to lie. */
#ifndef CA_COLUMNS_H
#define CA_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "interpose/report/record.h"

enum ca_column {
    CA_COLUMN_ALLOCATIONS = 0,
    CA_COLUMN_BYTES_REQUESTED,
    CA_COLUMN_FREES,
    CA_COLUMN_LIVE_BLOCKS,
    CA_COLUMN_MALLOC,
    CA_COLUMN_CALLOC,
    CA_COLUMN_REALLOC,
    CA_COLUMN_ALIGNED,
    CA_COLUMN_FREE_NULL,
    CA_COLUMN_FAILED,
    CA_COLUMN_BYTES_LIVE,
    CA_COLUMN_BYTES_PEAK,
    CA_COLUMN_COUNT
};

struct ca_column_facts {
    const char *key;  /* in JSON, as in the record */
    const char *name; /* for people: "bytes requested" */
    bool is_per_unit; /* a quotient by units means something */
};

const struct ca_column_facts *ca_column_facts(enum ca_column column);

/* False when it was not measured. */
bool ca_column_get(const struct ca_counts *counts, enum ca_column column, int64_t *ret_number);

/* How much too low the figure may be, as it was measured; 0 for all but the peak. */
uint64_t ca_column_error(const struct ca_counts *counts, enum ca_column column);

#endif
