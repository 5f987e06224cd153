/* SPDX-License-Identifier: MIT
 *
 * siphash.h: SipHash-1-3, the keyed hash of Rust's HashMap.
 *
 * With a key that the log's author cannot know, nobody can write a log whose names all fall into
 * one slot. Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012, with 1 round
 * per word and 3 at the end. Inline and in pieces (init, write, finish), because a pair is hashed
 * without being joined.
 */
#ifndef COUNTALLOC_SIPHASH_H
#define COUNTALLOC_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#include "slice.h"

struct ca_sip_key {
    uint64_t k0;
    uint64_t k1;
};

/* `tail` holds the `byte_count % 8` bytes that did not fill a word yet. */
struct ca_sip {
    uint64_t v0, v1, v2, v3;
    uint64_t tail;
    uint64_t byte_count;
};

static inline uint64_t ca_load_le64(const unsigned char *bytes) {
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
           (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

static inline uint64_t ca_rotate_left(uint64_t word, unsigned bits) {
    return word << bits | word >> (64 - bits);
}

static inline void ca_sip_round(struct ca_sip *sip) {
    sip->v0 += sip->v1;
    sip->v1 = ca_rotate_left(sip->v1, 13) ^ sip->v0;
    sip->v0 = ca_rotate_left(sip->v0, 32);
    sip->v2 += sip->v3;
    sip->v3 = ca_rotate_left(sip->v3, 16) ^ sip->v2;
    sip->v0 += sip->v3;
    sip->v3 = ca_rotate_left(sip->v3, 21) ^ sip->v0;
    sip->v2 += sip->v1;
    sip->v1 = ca_rotate_left(sip->v1, 17) ^ sip->v2;
    sip->v2 = ca_rotate_left(sip->v2, 32);
}

static inline void ca_sip_word(struct ca_sip *sip, uint64_t word) {
    sip->v3 ^= word;
    ca_sip_round(sip);
    sip->v0 ^= word;
}

static inline void ca_sip_init(struct ca_sip *sip, struct ca_sip_key key) {
    sip->v0 = key.k0 ^ 0x736f6d6570736575;
    sip->v1 = key.k1 ^ 0x646f72616e646f6d;
    sip->v2 = key.k0 ^ 0x6c7967656e657261;
    sip->v3 = key.k1 ^ 0x7465646279746573;
    sip->tail = 0;
    sip->byte_count = 0;
}

static inline void ca_sip_byte(struct ca_sip *sip, unsigned char byte) {
    sip->tail |= (uint64_t)byte << (sip->byte_count++ % 8 * 8);
    if (sip->byte_count % 8 == 0) {
        ca_sip_word(sip, sip->tail);
        sip->tail = 0;
    }
}

static inline void ca_sip_write(struct ca_sip *sip, struct ca_slice slice) {
    const unsigned char *at = (const unsigned char *)slice.bytes;
    const unsigned char *end = at + slice.byte_count;
    const unsigned tail_bits = (unsigned)(sip->byte_count % 8 * 8);
    for (; end - at >= 8; at += 8) {
        const uint64_t word = ca_load_le64(at);
        ca_sip_word(sip, sip->tail | word << tail_bits);
        /* Two shifts, because one by 64 is undefined. */
        sip->tail = word >> 1 >> (63 - tail_bits);
        sip->byte_count += 8;
    }
    for (; at < end; at++)
        ca_sip_byte(sip, *at);
}

static inline uint64_t ca_sip_finish(struct ca_sip *sip) {
    ca_sip_word(sip, sip->tail | sip->byte_count << 56);
    sip->v2 ^= 0xff;
    ca_sip_round(sip);
    ca_sip_round(sip);
    ca_sip_round(sip);
    return sip->v0 ^ sip->v1 ^ sip->v2 ^ sip->v3;
}

static inline uint64_t ca_sip_hash(struct ca_sip_key key, struct ca_slice slice) {
    struct ca_sip sip;
    ca_sip_init(&sip, key);
    ca_sip_write(&sip, slice);
    return ca_sip_finish(&sip);
}

/* Hashes both slices with a byte 0xff between them. */
static inline uint64_t ca_sip_hash_pair(struct ca_sip_key key, struct ca_slice first,
                                        struct ca_slice second) {
    struct ca_sip sip;
    ca_sip_init(&sip, key);
    ca_sip_write(&sip, first);
    ca_sip_byte(&sip, 0xff);
    ca_sip_write(&sip, second);
    return ca_sip_finish(&sip);
}

#endif
