/* SPDX-License-Identifier: MIT
 *
 * separators_scalar.c: 8 bytes at a time in an ordinary register, for every other processor.
 */
#include "byte_marks.h"
#include "separator_bits.h"
#include "separators.h"
#include "siphash.h"

static inline uint64_t bits_of_chunk(const char *chunk) {
    uint64_t bits = 0;
    for (unsigned at = 0; at < CA_CHUNK_BYTES; at += 8) {
        const uint64_t word = ca_load_le64((const unsigned char *)chunk + at);
        const uint64_t marks = ca_mark_zero_bytes(word ^ CA_EACH_BYTE(' ')) |
                               ca_mark_zero_bytes(word ^ CA_EACH_BYTE('\n'));
        bits |= ca_gather_marks(marks) << at;
    }
    return bits;
}

size_t ca_separators_scalar(const char *bytes, size_t byte_count, const char **ret_positions) {
    return ca_find_separators(bits_of_chunk, bytes, byte_count, ret_positions);
}
