/* SPDX-License-Identifier: MIT
 *
 * line_ends_words.h: what line_ends_x86.h does, in ordinary registers. Private to line_ends_neon.c
 * and line_ends_scalar.c.
 */
#ifndef COUNTALLOC_LINE_ENDS_WORDS_H
#define COUNTALLOC_LINE_ENDS_WORDS_H

#include "line_ends_walk.h"
#include "value_words.h"

static inline uint64_t ca_halves_differ(const char *left, const char *right) {
    uint64_t differs = 0;
    for (size_t at = 0; at < CA_MIDDLE_HALF_BYTES; at += 8)
        differs |= ca_load_word(left + at) ^ ca_load_word(right + at);
    return differs;
}

static inline bool ca_is_middle_in_words(const struct ca_middle *middle, const char *text,
                                         const char *end) {
    return (ca_halves_differ(text, middle->first) |
            ca_halves_differ(end - CA_MIDDLE_HALF_BYTES, middle->last)) == 0;
}

static inline bool ca_read_tail_in_words(const struct ca_line_tail *tail,
                                         struct ca_tail_numbers *ret_numbers) {
    struct ca_doubt doubt = {0};
    const uint64_t differs = ca_word_differs(tail->tokens_at, CA_TOKENS_KEY) |
                             ca_word_differs(tail->latency_at, " latency") |
                             ca_word_differs(tail->latency_at + 4, "ency_ms=") |
                             ca_word_differs(tail->status_at, CA_STATUS_KEY);
    ret_numbers->tokens =
        ca_digits_read(tail->tokens_at + CA_TOKENS_KEY_BYTES, tail->tokens_bytes, &doubt);
    ret_numbers->latency_ms =
        ca_digits_read(tail->latency_at + CA_LATENCY_KEY_BYTES, tail->latency_bytes, &doubt);
    return differs == 0 && !ca_doubt_is_raised(&doubt);
}

#endif
