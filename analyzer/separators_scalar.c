/* SPDX-License-Identifier: MIT
 *
 * separators_scalar.c: 8 bytes at a time in an ordinary register, for every other processor.
 */
#include "separator_bits.h"
#include "separators.h"
#include "siphash.h"

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* 0x80 in every byte that is zero, and nothing elsewhere. No carry leaves a byte, so that unlike
 * the shorter well-known expression it is exact. */
static inline uint64_t mark_zero_bytes(uint64_t word) {
    const uint64_t low_bits = EACH_BYTE(0x7f);
    return ~(((word & low_bits) + low_bits) | word | low_bits);
}

/* Gathers the marks of eight bytes into eight bits: the multiplication moves bit 8 i to bit 56 + i.
 */
static inline uint64_t gather_marks(uint64_t marks) {
    return (marks >> 7) * 0x0102040810204080 >> 56;
}

static inline uint64_t bits_of_chunk(const char *chunk) {
    uint64_t bits = 0;
    for (unsigned at = 0; at < CA_CHUNK_BYTES; at += 8) {
        const uint64_t word = ca_load_le64((const unsigned char *)chunk + at);
        const uint64_t marks =
            mark_zero_bytes(word ^ EACH_BYTE(' ')) | mark_zero_bytes(word ^ EACH_BYTE('\n'));
        bits |= gather_marks(marks) << at;
    }
    return bits;
}

size_t ca_separators_scalar(const char *bytes, size_t byte_count, const char **ret_positions) {
    return ca_find_separators(bits_of_chunk, bytes, byte_count, ret_positions);
}
