/* SPDX-License-Identifier: MIT
 *
 * line_ends_x86.h: the end of a usual line in registers of 16 bytes. Private to line_ends_avx2.c
 * and line_ends_sse2.c, which differ in the instructions that they are compiled for.
 */
#ifndef COUNTALLOC_LINE_ENDS_X86_H
#define COUNTALLOC_LINE_ENDS_X86_H

#include <immintrin.h>

#include "line_ends_walk.h"

/* Operands, in line_ends_sse2.c. A compiler that knew their values would make them anew for each
 * line, by three instructions each. */
struct ca_line_ends_bytes {
    char newlines[32];
    char spaces[32];
    char zero_digits[16];
    char nines[16];
};
extern const struct ca_line_ends_bytes ca_line_ends_bytes;

static inline __m128i ca_load_16(const char *bytes) {
    return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

/* Two times eight bytes. */
static inline __m128i ca_load_pair(const void *low, const void *high) {
    const __m128i first = _mm_loadl_epi64(low);
    return _mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(first), high));
}

static inline bool ca_is_zero_16(__m128i bytes) {
#ifdef __SSE4_1__
    return _mm_testz_si128(bytes, bytes);
#else
    return _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())) == 0xffff;
#endif
}

/* Each pair of digits to a number of 16 bits. */
static inline __m128i ca_join_digits(__m128i digits) {
#ifdef __SSSE3__
    return _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010a));
#else
    return _mm_srli_epi16(_mm_mullo_epi16(digits, _mm_set1_epi16(10 * 0x100 + 1)), 8);
#endif
}

/* Two numbers of up to 8 digits, each in a half, to 32 bits each. As ca_digits_read, in lanes. */
static inline uint64_t ca_join_numbers(__m128i digits) {
    const __m128i twos = ca_join_digits(digits);
    const __m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(1 << 16 | 100));
    const __m128i packed = _mm_packs_epi32(fours, fours);
    return (uint64_t)_mm_cvtsi128_si64(_mm_madd_epi16(packed, _mm_set1_epi32(1 << 16 | 10000)));
}

/* From byte n on, eight bytes that keep the last n of eight. Of none, they keep the first, which
 * then is the separator before the key and no digit. */
static const unsigned char ca_kept_bytes[16] = {0xff, 0,    0,    0,    0,    0,    0,    0,
                                                0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

static inline bool ca_read_tail_x86(const struct ca_line_tail *tail,
                                    struct ca_tail_numbers *ret_numbers) {
    const __m128i latency_key =
        _mm_setr_epi8(' ', 'l', 'a', 't', 'e', 'n', 'c', 'y', '_', 'm', 's', '=', 0, 0, 0, 0);
    const __m128i latency_mask = _mm_setr_epi32(-1, -1, -1, 0);
    const __m128i other_keys = _mm_setr_epi8(' ', 't', 'o', 'k', 'e', 'n', 's', '=', ' ', 's', 't',
                                             'a', 't', 'u', 's', '=');
    const __m128i latency_differs =
        _mm_and_si128(_mm_xor_si128(ca_load_16(tail->latency_at), latency_key), latency_mask);
    const __m128i others_differ =
        _mm_xor_si128(ca_load_pair(tail->tokens_at, tail->status_at), other_keys);
    const __m128i last_bytes = ca_load_pair(tail->latency_at - 8, tail->status_at - 8);
    const __m128i kept =
        ca_load_pair(ca_kept_bytes + tail->tokens_bytes, ca_kept_bytes + tail->latency_bytes);
    const __m128i digits =
        _mm_and_si128(_mm_xor_si128(last_bytes, ca_load_16(ca_line_ends_bytes.zero_digits)), kept);
    const __m128i above_nine = _mm_subs_epu8(digits, ca_load_16(ca_line_ends_bytes.nines));
    const uint64_t numbers = ca_join_numbers(digits);
    ret_numbers->tokens = (uint32_t)numbers;
    ret_numbers->latency_ms = (uint32_t)(numbers >> 32);
    return ca_is_zero_16(_mm_or_si128(above_nine, _mm_or_si128(latency_differs, others_differ)));
}

#endif
