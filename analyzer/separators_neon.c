/* SPDX-License-Identifier: MIT
 *
 * separators_neon.c: 16 bytes at a time; every arm64 processor can.
 *
 * NEON has no instruction that gathers a bit per byte. Each byte of a comparison is reduced to its
 * own power of two, and three rounds of pairwise additions join eight bytes into one.
 */
#include <arm_neon.h>

#include "separator_bits.h"
#include "separators.h"

static inline uint8x16_t powers_of_quarter(const char *quarter) {
    static const uint8_t powers[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bytes = vld1q_u8((const uint8_t *)quarter);
    const uint8x16_t is_space = vceqq_u8(bytes, vdupq_n_u8(' '));
    const uint8x16_t is_newline = vceqq_u8(bytes, vdupq_n_u8('\n'));
    return vandq_u8(vorrq_u8(is_space, is_newline), vld1q_u8(powers));
}

static inline uint64_t bits_of_chunk(const char *chunk) {
    const uint8x16_t first = vpaddq_u8(powers_of_quarter(chunk), powers_of_quarter(chunk + 16));
    const uint8x16_t last = vpaddq_u8(powers_of_quarter(chunk + 32), powers_of_quarter(chunk + 48));
    const uint8x16_t joined = vpaddq_u8(first, last);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(joined, joined)), 0);
}

size_t ca_separators_neon(const char *bytes, size_t byte_count, const char **ret_positions) {
    return ca_find_separators(bits_of_chunk, bytes, byte_count, ret_positions);
}
