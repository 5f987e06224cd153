/* SPDX-License-Identifier: MIT
 *
 * end_lines.h: single lines for line_ends.h, put together from the values of their eight fields, and
 * what the reference says about them.
 */
#ifndef COUNTALLOC_TESTS_END_LINES_H
#define COUNTALLOC_TESTS_END_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "logstat_reference.h"

enum {
    END_LINE_BYTES = 1024
};

/* Without the keys. `end` is what ends the line. */
struct end_line {
    const char *ts;
    const char *level;
    const char *route;
    const char *model;
    const char *user;
    const char *tokens;
    const char *latency;
    const char *status;
    const char *end;
};

/* A line as `logstat gen` writes them: user u02786, 517 tokens, 148 ms, status 200. */
struct end_line usual_end_line(void);

/* Writes it and returns its size with the end. */
size_t put_end_line(char *bytes, const struct end_line *line);

/* `byte_count` times the letter; good for a few calls. */
const char *letters(char letter, size_t byte_count);

/* Changes, adds or removes one byte and returns the new size. */
size_t mutate_line(char *bytes, size_t byte_count, uint64_t *state);

/* A log in which the groups are known after the first lines, so that v10 takes most of the others
 * from their ends; every sixth line after that is mutated. Writes at most KNOWN_LOG_BYTES. */
enum {
    KNOWN_LOG_BYTES = 256 * 1024
};
struct text known_log(char *bytes, uint64_t *state);

#endif
