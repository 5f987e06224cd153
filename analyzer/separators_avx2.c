/* SPDX-License-Identifier: MIT
 *
 * separators_avx2.c: 32 bytes at a time. Compiled with -mavx2 -mbmi -mpopcnt, so called only where
 * the processor says that it has them.
 */
#include <immintrin.h>

#include "separator_bits.h"
#include "separators.h"

static inline uint64_t bits_of_half(const char *half) {
    const __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)half);
    const __m256i is_space = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(' '));
    const __m256i is_newline = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\n'));
    return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(is_space, is_newline));
}

static inline uint64_t bits_of_chunk(const char *chunk) {
    return bits_of_half(chunk) | bits_of_half(chunk + 32) << 32;
}

size_t ca_separators_avx2(const char *bytes, size_t byte_count, const char **ret_positions) {
    return ca_find_separators(bits_of_chunk, bytes, byte_count, ret_positions);
}
