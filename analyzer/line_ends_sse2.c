/* SPDX-License-Identifier: MIT
 *
 * line_ends_sse2.c: 16 bytes at a time; every x86-64 processor can.
 */
#include "line_ends_x86.h"

#define FOUR(byte)    byte, byte, byte, byte
#define SIXTEEN(byte) FOUR(byte), FOUR(byte), FOUR(byte), FOUR(byte)

const struct ca_line_ends_bytes ca_line_ends_bytes = {
    .newlines = {SIXTEEN('\n'), SIXTEEN('\n')},
    .spaces = {SIXTEEN(' '), SIXTEEN(' ')},
    .zero_digits = {SIXTEEN('0')},
    .nines = {SIXTEEN(9)},
};

static inline uint32_t blank_bits_of_16(const char *bytes) {
    const __m128i above = _mm_subs_epu8(ca_load_16(bytes), ca_load_16(ca_line_ends_bytes.spaces));
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(above, _mm_setzero_si128()));
}

static inline uint32_t blank_bits(const char *bytes) {
    return blank_bits_of_16(bytes) | blank_bits_of_16(bytes + 16) << 16;
}

static inline uint32_t newline_bits_of_16(const char *bytes) {
    return (uint32_t)_mm_movemask_epi8(
        _mm_cmpeq_epi8(ca_load_16(bytes), ca_load_16(ca_line_ends_bytes.newlines)));
}

static inline uint32_t newline_bits(const char *bytes) {
    return newline_bits_of_16(bytes) | newline_bits_of_16(bytes + 16) << 16;
}

static inline __m128i differ_16(const char *left, const char *right) {
    return _mm_xor_si128(ca_load_16(left), ca_load_16(right));
}

static inline bool is_middle(const struct ca_middle *middle, const char *text, const char *end) {
    const char *last = end - CA_MIDDLE_HALF_BYTES;
    return ca_is_zero_16(_mm_or_si128(
        _mm_or_si128(differ_16(text, middle->first), //
                     differ_16(text + 16, middle->first + 16)),
        _mm_or_si128(differ_16(last, middle->last), differ_16(last + 16, middle->last + 16))));
}

const char *ca_line_ends_sse2(struct ca_line_ends *ends, const char *line, const char *end,
                              struct ca_result *result) {
    const struct ca_line_ends_way way = {blank_bits, newline_bits, is_middle, ca_read_tail_x86};
    return ca_line_ends_walk(way, ends, line, end, result);
}
