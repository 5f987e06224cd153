/* SPDX-License-Identifier: MIT
 *
 * line_ends_scalar.c: 8 bytes at a time in an ordinary register, for every other processor.
 */
#include "byte_marks.h"
#include "line_ends_words.h"

static inline uint32_t blank_bits(const char *bytes) {
    uint32_t bits = 0;
    for (unsigned at = 0; at < CA_ENDS_BITS_BYTES; at += 8)
        bits |= (uint32_t)ca_gather_marks(ca_mark_bytes_up_to(ca_load_word(bytes + at), ' ')) << at;
    return bits;
}

static inline uint32_t newline_bits(const char *bytes) {
    uint32_t bits = 0;
    for (unsigned at = 0; at < CA_ENDS_BITS_BYTES; at += 8)
        bits |= (uint32_t)ca_gather_marks(
                    ca_mark_zero_bytes(ca_load_word(bytes + at) ^ CA_EACH_BYTE('\n')))
                << at;
    return bits;
}

const char *ca_line_ends_scalar(struct ca_line_ends *ends, const char *line, const char *end,
                                struct ca_result *result) {
    const struct ca_line_ends_way way = {blank_bits, newline_bits, ca_is_middle_in_words,
                                         ca_read_tail_in_words};
    return ca_line_ends_walk(way, ends, line, end, result);
}
