/* SPDX-License-Identifier: MIT
 *
 * fxhash.h: FxHash, the unkeyed hash that the Rust compiler used before its 2.0 ("use FxHash" is
 * the common advice).
 *
 * A rotation, an exclusive or and a multiplication per word of 8 bytes; the last word is filled up
 * with zero bytes, and the length is not hashed, so "" and "\0" have one hash: the tables compare
 * names anyway. A log can be written against it.
 */
#ifndef COUNTALLOC_FXHASH_H
#define COUNTALLOC_FXHASH_H

#include <stdint.h>

#include "siphash.h"
#include "slice.h"

static inline uint64_t ca_fx_word(uint64_t hash, uint64_t word) {
    return (ca_rotate_left(hash, 5) ^ word) * 0x517cc1b727220a95;
}

static inline uint64_t ca_fx_write(uint64_t hash, struct ca_slice slice) {
    const unsigned char *at = (const unsigned char *)slice.bytes;
    size_t rest_bytes = slice.byte_count;
    for (; rest_bytes >= 8; at += 8, rest_bytes -= 8)
        hash = ca_fx_word(hash, ca_load_le64(at));
    if (rest_bytes == 0)
        return hash;
    uint64_t word = 0;
    for (size_t byte = 0; byte < rest_bytes; byte++)
        word |= (uint64_t)at[byte] << (8 * byte);
    return ca_fx_word(hash, word);
}

static inline uint64_t ca_fx_hash(struct ca_slice slice) {
    return ca_fx_write(0, slice);
}

/* Hashes both slices with a byte 0xff between them. */
static inline uint64_t ca_fx_hash_pair(struct ca_slice first, struct ca_slice second) {
    return ca_fx_write(ca_fx_word(ca_fx_write(0, first), 0xff), second);
}

#endif
