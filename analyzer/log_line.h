/* SPDX-License-Identifier: MIT
 *
 * log_line.h: the parts of the grammar in logstat.h that every version shares: where a line ends
 * and what a number is.
 *
 * Splitting a line into fields is not here, because that is what the versions differ in. Inline,
 * because it runs once or more per line.
 */
#ifndef COUNTALLOC_LOG_LINE_H
#define COUNTALLOC_LOG_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "slice.h"

/* Walks the lines of a text. Set `at` to its first byte and `end` behind its last. */
struct ca_cursor {
    const char *at;
    const char *end;
};

/* The fields of a line that the report needs, borrowed from the line. */
struct ca_line {
    struct ca_slice route;
    struct ca_slice model;
    struct ca_slice user;
    struct ca_slice tokens;
    struct ca_slice latency;
    struct ca_slice status;
};

/* The two numbers of a kept line. */
struct ca_line_numbers {
    uint64_t tokens;
    uint32_t latency_ms;
};

/* Steps to the next line, without its line end; false behind the last. The line starts inside the
 * text, never at its end. */
static inline bool ca_cursor_next(struct ca_cursor *cursor, struct ca_slice *ret_line) {
    if (cursor->at == cursor->end)
        return false;
    const size_t rest_bytes = (size_t)(cursor->end - cursor->at);
    const char *newline = memchr(cursor->at, '\n', rest_bytes);
    ret_line->bytes = cursor->at;
    if (newline == NULL) {
        ret_line->byte_count = rest_bytes;
        cursor->at = cursor->end;
        return true;
    }
    size_t byte_count = (size_t)(newline - cursor->at);
    if (byte_count > 0 && newline[-1] == '\r')
        byte_count--;
    ret_line->byte_count = byte_count;
    cursor->at = newline + 1;
    return true;
}

/* A line without fields: every value is empty. */
static inline struct ca_line ca_line_empty(void) {
    const struct ca_slice none = {"", 0};
    return (struct ca_line){none, none, none, none, none, none};
}

/* Sets the field that `key` names; other keys are ignored. */
static inline void ca_line_set(struct ca_line *line, struct ca_slice key, struct ca_slice value) {
    if (ca_slice_is(key, "route"))
        line->route = value;
    else if (ca_slice_is(key, "model"))
        line->model = value;
    else if (ca_slice_is(key, "user"))
        line->user = value;
    else if (ca_slice_is(key, "tokens"))
        line->tokens = value;
    else if (ca_slice_is(key, "latency_ms"))
        line->latency = value;
    else if (ca_slice_is(key, "status"))
        line->status = value;
}

/* Reads an unsigned decimal of at most `max`: one '+' at most, then digits and nothing else,
 * leading zeros included. False (and `ret_value` untouched) for anything else. */
static inline bool ca_parse_unsigned(struct ca_slice text, uint64_t max, uint64_t *ret_value) {
    size_t at = text.byte_count > 0 && text.bytes[0] == '+' ? 1 : 0;
    uint64_t value = 0;
    if (at == text.byte_count)
        return false;
    for (; at < text.byte_count; at++) {
        const unsigned digit = (unsigned)(unsigned char)text.bytes[at] - '0';
        if (digit > 9 || __builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return false;
    }
    if (value > max)
        return false;
    *ret_value = value;
    return true;
}

/* Reads both numbers of a line; false when it is malformed. */
static inline bool ca_line_parse_numbers(struct ca_slice tokens, struct ca_slice latency,
                                         struct ca_line_numbers *ret_numbers) {
    uint64_t latency_ms;
    if (!ca_parse_unsigned(tokens, UINT64_MAX, &ret_numbers->tokens) ||
        !ca_parse_unsigned(latency, UINT32_MAX, &latency_ms))
        return false;
    ret_numbers->latency_ms = (uint32_t)latency_ms;
    return true;
}

#endif
