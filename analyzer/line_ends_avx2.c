/* SPDX-License-Identifier: MIT
 *
 * line_ends_avx2.c: 32 bytes at a time. Compiled with what has_avx2 in separators_paths_x86_64.c
 * asks for, so called only where the processor says that it has them.
 */
#include "line_ends_x86.h"

static inline __m256i load(const char *bytes) {
    return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

static inline uint32_t blank_bits(const char *bytes) {
    const __m256i half = load(bytes);
    const __m256i is_blank =
        _mm256_cmpeq_epi8(_mm256_min_epu8(half, load(ca_line_ends_bytes.spaces)), half);
    return (uint32_t)_mm256_movemask_epi8(is_blank);
}

static inline uint32_t newline_bits(const char *bytes) {
    return (uint32_t)_mm256_movemask_epi8(
        _mm256_cmpeq_epi8(load(bytes), load(ca_line_ends_bytes.newlines)));
}

static inline bool is_middle(const struct ca_middle *middle, const char *text, const char *end) {
    const __m256i first = _mm256_xor_si256(load(text), load(middle->first));
    const __m256i last = _mm256_xor_si256(load(end - CA_MIDDLE_HALF_BYTES), load(middle->last));
    const __m256i differs = _mm256_or_si256(first, last);
    return _mm256_testz_si256(differs, differs);
}

const char *ca_line_ends_avx2(struct ca_line_ends *ends, const char *line, const char *end,
                              struct ca_result *result) {
    const struct ca_line_ends_way way = {blank_bits, newline_bits, is_middle, ca_read_tail_x86};
    return ca_line_ends_walk(way, ends, line, end, result);
}
