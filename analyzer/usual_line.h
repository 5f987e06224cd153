/* SPDX-License-Identifier: MIT
 *
 * usual_line.h: the guess that a line looks like the lines that gateways write, and its proof.
 *
 *     ts=… level=… route=… model=… user=… tokens=… latency_ms=… status=…
 *
 * Eight fields in this order with single spaces between, whatever their values. A line that passes
 * has exactly these fields, so its values can be taken from the separators' positions; whatever
 * else a line may be, it does not pass, and a general parser has to look at it. The proof is exact:
 * nothing passes that the grammar in logstat.h would read differently.
 *
 * From v7 on. Reads up to 15 bytes behind the line.
 */
#ifndef COUNTALLOC_USUAL_LINE_H
#define COUNTALLOC_USUAL_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "log_line.h"
#include "siphash.h"

/* What stands at each of the eight separators of a usual line. */
enum ca_usual_separator {
    CA_AT_LEVEL,
    CA_AT_ROUTE,
    CA_AT_MODEL,
    CA_AT_USER,
    CA_AT_TOKENS,
    CA_AT_LATENCY,
    CA_AT_STATUS,
    CA_AT_LINE_END,
    CA_USUAL_SEPARATORS
};

/* Separator and key, as they stand before the value. */
#define CA_TS_KEY      "ts="
#define CA_LEVEL_KEY   " level="
#define CA_ROUTE_KEY   " route="
#define CA_MODEL_KEY   " model="
#define CA_USER_KEY    " user="
#define CA_TOKENS_KEY  " tokens="
#define CA_LATENCY_KEY " latency_ms="
#define CA_STATUS_KEY  " status="

enum {
    CA_ROUTE_KEY_BYTES = sizeof CA_ROUTE_KEY - 1,
    CA_MODEL_KEY_BYTES = sizeof CA_MODEL_KEY - 1,
    CA_USER_KEY_BYTES = sizeof CA_USER_KEY - 1,
    CA_TOKENS_KEY_BYTES = sizeof CA_TOKENS_KEY - 1,
    CA_LATENCY_KEY_BYTES = sizeof CA_LATENCY_KEY - 1,
    CA_STATUS_KEY_BYTES = sizeof CA_STATUS_KEY - 1,
};

/* Eight bytes, the first of them lowest, as ca_load_le64 gives them; one instruction with every
 * compiler. */
static inline uint64_t ca_load_word(const char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(word) : word;
}

/* The first 8 bytes of a text, or all of a shorter one, as ca_load_word gives them. A constant, if
 * the text is one. */
static inline __attribute__((always_inline)) uint64_t ca_word_of(const char *text) {
    const size_t byte_count = strlen(text);
    uint64_t word = 0;
    for (size_t at = 0; at < 8 && at < byte_count; at++)
        word |= (uint64_t)(unsigned char)text[at] << 8 * at;
    return word;
}

/* 0 if `bytes` begin with `text` of 1 to 8 bytes, which is two or three instructions and no branch;
 * up to 7 more bytes are read. */
static inline __attribute__((always_inline)) uint64_t ca_word_differs(const char *bytes,
                                                                      const char *text) {
    const unsigned unused_bits = 64 - 8 * (unsigned)strlen(text);
    return (ca_load_word(bytes) ^ ca_word_of(text)) << unused_bits;
}

/* Whether the line that begins at `line` is a usual one. `at`: CA_USUAL_SEPARATORS elements, the
 * first spaces and newlines from `line` on. */
static inline bool ca_line_is_usual(const char *line, const char *const *at) {
    const uint64_t differs =
        ca_word_differs(line, CA_TS_KEY) | ca_word_differs(at[CA_AT_LEVEL], CA_LEVEL_KEY) |
        ca_word_differs(at[CA_AT_ROUTE], CA_ROUTE_KEY) |
        ca_word_differs(at[CA_AT_MODEL], CA_MODEL_KEY) |
        ca_word_differs(at[CA_AT_USER], CA_USER_KEY) |
        ca_word_differs(at[CA_AT_TOKENS], CA_TOKENS_KEY) |
        ca_word_differs(at[CA_AT_LATENCY], " latency") |
        ca_word_differs(at[CA_AT_LATENCY] + 4, "ency_ms=") |
        ca_word_differs(at[CA_AT_STATUS], CA_STATUS_KEY) | (*at[CA_AT_LINE_END] != '\n');
    return differs == 0;
}

static inline struct ca_slice ca_usual_value(const char *const *at, enum ca_usual_separator which,
                                             size_t key_bytes) {
    const char *value = at[which] + key_bytes;
    return (struct ca_slice){value, (size_t)(at[which + 1] - value)};
}

/* The status of a usual line; a \r before the newline is not part of it. */
static inline struct ca_slice ca_usual_status(const char *const *at) {
    struct ca_slice status = ca_usual_value(at, CA_AT_STATUS, CA_STATUS_KEY_BYTES);
    if (status.byte_count > 0 && status.bytes[status.byte_count - 1] == '\r')
        status.byte_count--;
    return status;
}

/* The fields of a usual line. */
static inline struct ca_line ca_usual_fields(const char *const *at) {
    return (struct ca_line){
        .route = ca_usual_value(at, CA_AT_ROUTE, CA_ROUTE_KEY_BYTES),
        .model = ca_usual_value(at, CA_AT_MODEL, CA_MODEL_KEY_BYTES),
        .user = ca_usual_value(at, CA_AT_USER, CA_USER_KEY_BYTES),
        .tokens = ca_usual_value(at, CA_AT_TOKENS, CA_TOKENS_KEY_BYTES),
        .latency = ca_usual_value(at, CA_AT_LATENCY, CA_LATENCY_KEY_BYTES),
        .status = ca_usual_status(at),
    };
}

#endif
