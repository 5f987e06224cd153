/* SPDX-License-Identifier: MIT
 *
 * print_report.h: turns a result into the bytes of the report. Shared by all versions, because it
 * is not under study.
 *
 *   text   per group `ROUTE MODEL requests=N tokens=N p50_ms=N p99_ms=N`, then `blocked=N errors=N`
 * (and ` malformed=N` if there are any), then `checksum=HEX`: FNV-1a, 64 bits, of everything before
 * that line json   one object, schema "logstat.report/1"; bytes of a name that are not UTF-8 become
 * U+FFFD csv    one table; a row is a "group" or, the last one, the "total", and leaves the other
 * kind's columns empty
 *
 * Groups are in the order of the bytes of "ROUTE MODEL" everywhere, and the checksum is always that
 * of the text.
 */
#ifndef COUNTALLOC_PRINT_REPORT_H
#define COUNTALLOC_PRINT_REPORT_H

#include "logstat.h"
#include "owned_string.h"

struct ca_report_writer;

struct ca_report_format {
    const char *name;
    void (*write)(struct ca_report_writer *writer, const struct ca_result *result,
                  uint64_t checksum);
};

/* The format of that name, or NULL. */
const struct ca_report_format *ca_report_format_find(const char *name);

/* Sorts the result's groups and renders it. `ret_report` is returned: release it with
 * ca_string_release. CA_NO_MEMORY on failure. */
enum ca_status ca_report_render(struct ca_result *result, const struct ca_report_format *format,
                                struct ca_string *ret_report, struct ca_error *err);

/* FNV-1a, 64 bits. Source: Fowler, Noll and Vo, www.isthe.com/chongo/tech/comp/fnv. */
uint64_t ca_fnv1a64(struct ca_slice bytes);

#endif
