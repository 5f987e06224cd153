/* SPDX-License-Identifier: MIT
 *
 * separators_sse2.c: 16 bytes at a time; every x86-64 processor can.
 */
#include <emmintrin.h>

#include "separator_bits.h"
#include "separators.h"

static inline uint64_t bits_of_quarter(const char *quarter) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)quarter);
    const __m128i is_space = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '));
    const __m128i is_newline = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(is_space, is_newline));
}

static inline uint64_t bits_of_chunk(const char *chunk) {
    return bits_of_quarter(chunk) | bits_of_quarter(chunk + 16) << 16 |
           bits_of_quarter(chunk + 32) << 32 | bits_of_quarter(chunk + 48) << 48;
}

size_t ca_separators_sse2(const char *bytes, size_t byte_count, const char **ret_positions) {
    return ca_find_separators(bits_of_chunk, bytes, byte_count, ret_positions);
}
