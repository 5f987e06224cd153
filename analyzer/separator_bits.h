/* SPDX-License-Identifier: MIT
 *
 * separator_bits.h: from a bit per byte to positions. Private to the separators_*.c files: each of
 * them brings a function that makes the bits of 64 bytes, and includes this.
 */
#ifndef COUNTALLOC_SEPARATOR_BITS_H
#define COUNTALLOC_SEPARATOR_BITS_H

#include <stddef.h>
#include <stdint.h>
#ifdef __BMI__
#include <immintrin.h>
#endif

enum {
    CA_CHUNK_BYTES = 64,
    CA_POSITIONS_AT_ONCE = 6, /* 64 bytes of a usual log hold 3 to 6 separators */
};

/* Not __builtin_popcountll, which is a call where the instruction is not a given. */
static inline unsigned ca_count_bits(uint64_t bits) {
#ifdef __POPCNT__
    return (unsigned)__builtin_popcountll(bits);
#else
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (unsigned)(bits * 0x0101010101010101 >> 56);
#endif
}

/* The number of the lowest bit, and anything when there is none. */
static inline uint64_t ca_lowest_bit(uint64_t bits) {
#ifdef __BMI__
    return _tzcnt_u64(bits);
#else
    /* Without the or, a compiler might branch. */
    return (uint64_t)__builtin_ctzll(bits | UINT64_C(1) << 63);
#endif
}

/* Appends chunk + i for every bit i and returns how many. The first six are written without asking
 * whether they are there: a loop that ended at the last bit would be mispredicted at most chunks.
 * Source: Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019, section 3.1.4. */
static inline size_t ca_put_positions(const char *chunk, uint64_t bits,
                                      const char **ret_positions) {
    const size_t bit_count = ca_count_bits(bits);
    for (unsigned at = 0; at < CA_POSITIONS_AT_ONCE; at++) {
        ret_positions[at] = chunk + ca_lowest_bit(bits);
        bits &= bits - 1;
    }
    for (size_t at = CA_POSITIONS_AT_ONCE; at < bit_count; at++) {
        ret_positions[at] = chunk + ca_lowest_bit(bits);
        bits &= bits - 1;
    }
    return bit_count;
}

/* The bits of a last chunk of `byte_count` bytes, 1 to 64; those behind it are noise. */
static inline uint64_t ca_cut_bits(uint64_t bits, size_t byte_count) {
    return bits & UINT64_MAX >> (CA_CHUNK_BYTES - byte_count);
}

typedef uint64_t ca_chunk_bits_function(const char *chunk);

/* The walk over a text that all paths share; `chunk_bits` is inlined. */
static inline __attribute__((always_inline)) size_t
ca_find_separators(ca_chunk_bits_function *chunk_bits, const char *bytes, size_t byte_count,
                   const char **ret_positions) {
    size_t found_count = 0;
    for (; byte_count > CA_CHUNK_BYTES; bytes += CA_CHUNK_BYTES, byte_count -= CA_CHUNK_BYTES)
        found_count += ca_put_positions(bytes, chunk_bits(bytes), ret_positions + found_count);
    if (byte_count > 0)
        found_count += ca_put_positions(bytes, ca_cut_bits(chunk_bits(bytes), byte_count),
                                        ret_positions + found_count);
    return found_count;
}

#endif
