/* SPDX-License-Identifier: MIT
 *
 * line_ends_walk.h: the walk from line to line that all paths share. Private to the line_ends_*.c
 * files: each brings four functions, which are inlined, and includes this.
 */
#ifndef COUNTALLOC_LINE_ENDS_WALK_H
#define COUNTALLOC_LINE_ENDS_WALK_H

#include <string.h>

#include "line_ends.h"

/* Both or neither: only bzhi takes the 127 that lzcnt leads to. */
#if defined(__LZCNT__) && defined(__BMI2__)
#include <immintrin.h>
#define CA_HAS_BIT_INSTRUCTIONS
#endif

/* A bit for each of 32 bytes. */
typedef uint32_t ca_half_bits_function(const char *bytes);

/* What a path knows to do. */
struct ca_line_ends_way {
    ca_half_bits_function *blank_bits; /* the bytes up to ' ' */
    ca_half_bits_function *newline_bits;
    bool (*is_middle)(const struct ca_middle *middle, const char *text, const char *end);
    /* False when one of the three keys is not there or a number is no such. */
    bool (*read_tail)(const struct ca_line_tail *tail, struct ca_tail_numbers *ret_numbers);
};

/* The number of the highest bit; when there is none, 0 or 127, neither of which leads to a line
 * that passes. */
static inline size_t ca_highest_bit(uint64_t bits) {
#ifdef CA_HAS_BIT_INSTRUCTIONS
    return (size_t)_lzcnt_u64(bits) ^ 63;
#else
    return (size_t)__builtin_clzll(bits | 1) ^ 63;
#endif
}

/* The bits below that number. */
static inline uint64_t ca_bits_below(uint64_t bits, size_t number) {
#ifdef CA_HAS_BIT_INSTRUCTIONS
    return _bzhi_u64(bits, (unsigned)number);
#else
    return bits & ~(UINT64_MAX << number);
#endif
}

/* Four bytes, the first of them lowest. */
static inline uint32_t ca_load_four(const char *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(word) : word;
}

static inline bool ca_has_blank(const char *bytes, size_t byte_count) {
    for (size_t at = 0; at < byte_count; at++)
        if ((unsigned char)bytes[at] <= ' ')
            return true;
    return false;
}

/* What becomes of a line whose two ends have been read. */
enum ca_line_fate {
    CA_LINE_KEPT,
    CA_LINE_BLOCKED,
    CA_LINE_ERROR,
    CA_LINE_LEFT, /* to others */
};

static inline __attribute__((always_inline)) enum ca_line_fate
ca_fate_of_line(const struct ca_blocked_words *blocked, struct ca_slice user, const char *newline) {
    const char *status = newline - 3;
    const char *user_end = user.bytes + user.byte_count;
    const bool is_200 = ca_load_four(status) == ca_load_four("200\n");
    if (!is_200 && ca_has_blank(status, 3))
        return CA_LINE_LEFT;
    if (ca_blocked_words_may_have(blocked, user_end)) {
        if (!ca_blocked_words_know(blocked, user))
            return CA_LINE_LEFT;
        if (ca_blocked_words_have(blocked, user))
            return CA_LINE_BLOCKED;
    }
    return is_200 ? CA_LINE_KEPT : CA_LINE_ERROR;
}

/* False, and nothing is counted, when the value has no counter or the counter is full. */
static inline bool ca_count_kept(const struct ca_middle *middle, struct ca_tail_numbers numbers) {
    if (numbers.latency_ms >= CA_TALLY_COUNTED_MS)
        return false;
    uint32_t *counter = &middle->counts[numbers.latency_ms];
    if (++*counter == 0) {
        *counter = UINT32_MAX;
        return false;
    }
    *middle->token_sum += numbers.tokens;
    return true;
}

static inline __attribute__((always_inline)) const char *
ca_line_ends_walk(const struct ca_line_ends_way way, struct ca_line_ends *ends, const char *line,
                  const char *end, struct ca_result *result) {
    const size_t newline_from_bytes = ends->newline_from_bytes;
    if ((size_t)(end - line) < newline_from_bytes + CA_ENDS_BITS_BYTES)
        return line;
    const char *last_bits = end - CA_ENDS_BITS_BYTES;
    const char *last_line = last_bits - newline_from_bytes;
    uint32_t next_bits = way.newline_bits(line + newline_from_bytes);
    while (line <= last_line) {
        const char *newline = line + newline_from_bytes;
        uint32_t newline_bits = next_bits;
        while (newline_bits == 0) {
            newline += CA_ENDS_BITS_BYTES;
            if (newline > last_bits)
                return line;
            newline_bits = way.newline_bits(newline);
        }
        newline += __builtin_ctz(newline_bits);
        /* Looked for now, so that the processor has it when this line is still being read. */
        const char *next_line = newline + 1;
        next_bits =
            way.newline_bits((next_line <= last_line ? next_line : last_line) + newline_from_bytes);

        const char *tail_text = newline - CA_ENDS_TAIL_BYTES;
        const uint64_t tail_bits = way.blank_bits(tail_text) |
                                   (uint64_t)way.blank_bits(tail_text + CA_ENDS_BITS_BYTES) << 32;
        const size_t latency_at = ca_highest_bit(tail_bits);
        const uint64_t bits_before_latency = ca_bits_below(tail_bits, latency_at);
        const size_t tokens_at = ca_highest_bit(bits_before_latency);
        const size_t user_at = ca_highest_bit(ca_bits_below(bits_before_latency, tokens_at));
        const struct ca_line_tail tail = {
            .tokens_at = tail_text + tokens_at,
            .latency_at = tail_text + latency_at,
            .status_at = newline - CA_STATUS_BYTES,
            .tokens_bytes = latency_at - tokens_at - CA_TOKENS_KEY_BYTES,
            .latency_bytes = 64 - latency_at,
        };
        struct ca_tail_numbers numbers;
        if (((tail.tokens_bytes | tail.latency_bytes) & ~(size_t)CA_NUMBER_BYTES_MAX) != 0 ||
            !way.read_tail(&tail, &numbers))
            return line;

        const char *middle_text = line;
        uint32_t head_bits = way.blank_bits(line);
        if (head_bits == 0) {
            middle_text += CA_ENDS_BITS_BYTES;
            head_bits = way.blank_bits(middle_text);
            if (head_bits == 0)
                return line;
        }
        middle_text += __builtin_ctz(head_bits);

        const char *user = tail_text + user_at + CA_USER_KEY_BYTES;
        const struct ca_middle *middle = ca_middle_candidate(&ends->middles, middle_text, user);
        if (middle->byte_count != (size_t)(user - middle_text) ||
            ca_load_four(line) << 8 != ca_load_four("ts=") << 8 ||
            !way.is_middle(middle, middle_text, user))
            return line;

        const enum ca_line_fate fate = ca_fate_of_line(
            &ends->blocked, (struct ca_slice){user, (size_t)(tail.tokens_at - user)}, newline);
        if (fate == CA_LINE_KEPT) {
            if (!ca_count_kept(middle, numbers))
                return line;
        } else if (fate == CA_LINE_BLOCKED) {
            result->blocked_count++;
        } else if (fate == CA_LINE_ERROR) {
            result->error_count++;
        } else {
            return line;
        }
        result->line_count++;
        line = next_line;
    }
    return line;
}

#endif
