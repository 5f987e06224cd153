/* SPDX-License-Identifier: MIT
 *
 * byte_marks.h: which of the eight bytes of a word are such, without vector instructions. Private
 * to the scalar paths.
 */
#ifndef COUNTALLOC_BYTE_MARKS_H
#define COUNTALLOC_BYTE_MARKS_H

#include <stdint.h>

#define CA_EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* 0x80 in every byte that is zero, and nothing elsewhere. No carry leaves a byte, so that unlike
 * the shorter well-known expression it is exact. */
static inline uint64_t ca_mark_zero_bytes(uint64_t word) {
    const uint64_t low_bits = CA_EACH_BYTE(0x7f);
    return ~(((word & low_bits) + low_bits) | word | low_bits);
}

/* 0x80 in every byte that is at most `limit`, which is below 0x7f. */
static inline uint64_t ca_mark_bytes_up_to(uint64_t word, unsigned limit) {
    const uint64_t low_bits = CA_EACH_BYTE(0x7f);
    return ~(((word & low_bits) + CA_EACH_BYTE(0x7f - limit)) | word | low_bits);
}

/* Gathers the marks of eight bytes into eight bits: the multiplication moves bit 8 i to bit 56 + i.
 */
static inline uint64_t ca_gather_marks(uint64_t marks) {
    return (marks >> 7) * 0x0102040810204080 >> 56;
}

#endif
