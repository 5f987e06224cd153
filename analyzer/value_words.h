/* SPDX-License-Identifier: MIT
 *
 * value_words.h: values taken eight bytes at a time, from v8 on.
 *
 * Fast ways only: each says whether the value was of the form it is for, and never guesses. The
 * value's last eight bytes are loaded whatever its length, so what stands before it has to be
 * readable, and it is: a key does.
 */
#ifndef COUNTALLOC_VALUE_WORDS_H
#define COUNTALLOC_VALUE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "slice.h"
#include "usual_line.h"

/* The last eight bytes of a value of `byte_count` bytes that ends at `end`, the last one highest,
 * with 0 for those before a shorter value. Of one of other lengths than 1 to 8, what is kept are
 * the last (n - 1) % 8 + 1 bytes. */
static inline uint64_t ca_last_bytes(const char *end, size_t byte_count) {
    const unsigned other_bits = 8 * (8 - (unsigned)byte_count) & 63;
    return ca_load_word(end - 8) >> other_bits << other_bits;
}

/* What was wrong with several values, so that one branch asks for all of them. */
struct ca_doubt {
    uint64_t high_bits; /* the top bit of a byte means something */
};

static inline bool ca_doubt_is_raised(const struct ca_doubt *doubt) {
    return (doubt->high_bits & 0x8080808080808080) != 0;
}

/* Reads 1 to 8 digits and nothing else; any other value, numbers among them, raises the doubt, and
 * what is returned then means nothing.
 * Source: Lemire, "Quickly parsing eight digits", 2018: neighbours are joined into numbers of two,
 * four and eight digits by three multiplications. */
static inline uint32_t ca_digits_read(const char *value, size_t byte_count,
                                      struct ca_doubt *doubt) {
    const unsigned other_bits = 8 * (8 - (unsigned)byte_count) & 63;
    const uint64_t last_bytes = ca_load_word(value + byte_count - 8);
    const uint64_t word = (last_bytes ^ 0x3030303030303030) >> other_bits << other_bits;
    /* A byte above 9 has its top bit, or gets it by adding 0x76, without a carry. The difference is
     * negative for more than 8 bytes; of none, the key's '=' is looked at, which is no digit. */
    doubt->high_bits |= (word + 0x7676767676767676) | word | (8 - (uint64_t)byte_count);
    const uint64_t twos = (word * (10 * 0x100 + 1) >> 8) & 0x00ff00ff00ff00ff;
    const uint64_t fours = (twos * (100 * 0x10000 + 1) >> 16) & 0x0000ffff0000ffff;
    return (uint32_t)(fours * (10000 * UINT64_C(0x100000000) + 1) >> 32);
}

#endif
