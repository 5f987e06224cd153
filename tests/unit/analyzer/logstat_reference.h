/* SPDX-License-Identifier: MIT
 *
 * logstat_reference.h: what logstat has to say about a log, found in the plainest way.
 *
 * Shares no code with the program: lists instead of tables, a search per key instead of a parser,
 * strtoull instead of arithmetic. For logs of at most REFERENCE_LINES_MAX lines.
 */
#ifndef COUNTALLOC_TESTS_LOGSTAT_REFERENCE_H
#define COUNTALLOC_TESTS_LOGSTAT_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#include "logstat.h"

enum {
    REFERENCE_GROUPS_MAX = 4096,
    REFERENCE_LINES_MAX = 4096,
};

/* Bytes, not terminated. */
struct text {
    char *bytes;
    size_t byte_count;
};

struct reference_group {
    char *name; /* "route model", `name_bytes` */
    size_t name_bytes;
    uint64_t token_sum;
    uint32_t *values_ms;
    size_t value_count;
};

/* `malformed_lines`: the numbers of all malformed lines, from 1. */
struct reference {
    struct reference_group groups[REFERENCE_GROUPS_MAX];
    size_t group_count;
    uint64_t line_count;
    uint64_t blocked_count;
    uint64_t error_count;
    uint64_t malformed_lines[REFERENCE_LINES_MAX];
    uint64_t malformed_count;
};

/* The bytes as a text; they are not written to. */
struct text text_of(const char *bytes, size_t byte_count);

/* Adds every line of the log to `reference`, which starts all zero. */
void reference_scan(struct reference *reference, struct text log,
                    const struct ca_blocklist *blocklist);

/* The text report with its checksum line, and frees the groups. The caller frees the bytes. */
struct text reference_report(struct reference *reference);

#endif
