/* SPDX-License-Identifier: MIT
 *
 * line_ends_neon.c: 16 bytes at a time; every arm64 processor can. Bits are gathered as in
 * separators_neon.c.
 */
#include <arm_neon.h>

#include "line_ends_words.h"

static inline uint32_t gather(uint8x16_t first, uint8x16_t last) {
    static const uint8_t powers[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t each = vld1q_u8(powers);
    const uint8x16_t fours = vpaddq_u8(vandq_u8(first, each), vandq_u8(last, each));
    const uint8x16_t twos = vpaddq_u8(fours, fours);
    return vgetq_lane_u32(vreinterpretq_u32_u8(vpaddq_u8(twos, twos)), 0);
}

static inline uint8x16_t load(const char *bytes) {
    return vld1q_u8((const uint8_t *)bytes);
}

static inline uint32_t blank_bits(const char *bytes) {
    const uint8x16_t space = vdupq_n_u8(' ');
    return gather(vcleq_u8(load(bytes), space), vcleq_u8(load(bytes + 16), space));
}

static inline uint32_t newline_bits(const char *bytes) {
    const uint8x16_t newline = vdupq_n_u8('\n');
    return gather(vceqq_u8(load(bytes), newline), vceqq_u8(load(bytes + 16), newline));
}

const char *ca_line_ends_neon(struct ca_line_ends *ends, const char *line, const char *end,
                              struct ca_result *result) {
    const struct ca_line_ends_way way = {blank_bits, newline_bits, ca_is_middle_in_words,
                                         ca_read_tail_in_words};
    return ca_line_ends_walk(way, ends, line, end, result);
}
