/* SPDX-License-Identifier: MIT
 *
 * The call sites of a record as the rows of a table: stacks that a reader would see as the same
 * (innermost function and first callers with their lines, phase) are one row. Either the sites,
 * which are exact, or the samples, which are an estimate.
 *
 * Rows can be those of a part of the stacks only: what lies below a function (what it and its
 * callees allocate), or what lies above it (who calls it). Of a function that calls itself, the
 * outermost call counts, so that nothing is counted twice.
 */
#ifndef CA_SITE_ROWS_H
#define CA_SITE_ROWS_H

#include "base/error.h"
#include "interpose/report/record.h"

#define CA_ROW_CALLERS 3u

/* Names of rows that are no functions. */
#define CA_ROW_NO_SITE   "[no site]"
#define CA_ROW_NO_CALLER "[no caller known]"

enum ca_site_view {
    CA_SITES_ALL,
    CA_SITES_UNDER,
    CA_SITES_ABOVE
};

struct ca_site_query {
    enum ca_site_view view;
    const char *function; /* NULL for CA_SITES_ALL */
    bool is_sampled;      /* the record's samples instead of its sites */
};

struct ca_site_caller {
    const char *function;
    const char *file; /* NULL: unknown */
    uint32_t line;    /* of the call; 0: unknown */
};

struct ca_site_row {
    uint32_t phase;       /* index into the record's phases */
    const char *function; /* a name as ca_record_function_name has it, or one of the above */
    const char *file;     /* NULL: unknown */
    uint32_t line;        /* 0: unknown */
    /* caller_count, the direct caller first; a function that calls itself occurs once, those of a
     * language's own library (std::, core::, alloc::) only when there are no others. */
    struct ca_site_caller callers[CA_ROW_CALLERS];
    uint32_t caller_count;
    bool has_symbol;
    uint64_t samples; /* 0 in rows of sites */
    uint64_t allocations;
    uint64_t bytes_requested;
};

struct ca_site_rows {
    struct ca_site_row *rows; /* row_count elements, most allocations first */
    size_t row_count;
    bool has_phases;  /* rows of more than one phase */
    bool has_callers; /* a row has a caller */
    bool is_found;    /* the function of the query occurs */
    uint64_t samples; /* sums of the rows */
    uint64_t allocations;
    uint64_t bytes_requested;
    size_t row_capacity;
    char **names; /* name_count strings that the record has not */
    size_t name_count;
    size_t name_capacity;
};

/* Rows of a record, which must outlive them. No rows when the query's function does not occur.
 * CA_ERROR_SYSTEM: no memory; release all the same. */
enum ca_status ca_site_rows_init(struct ca_site_rows *rows, const struct ca_record *record,
                                 const struct ca_site_query *query, struct ca_error *err);

void ca_site_rows_release(struct ca_site_rows *rows);

/* Whether somebody who typed `wanted` means the function called `name`: the name itself, or without
 * its parameters in parentheses. */
bool ca_is_function_meant(const char *wanted, const char *name);

/* CA_ERROR_USAGE that says that the function occurs nowhere in the record, with the names that it
 * is near to. */
enum ca_status ca_function_absent(const struct ca_record *record, const char *function,
                                  struct ca_error *err);

#endif
