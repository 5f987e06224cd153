/* SPDX-License-Identifier: MIT
 *
 * blocked_words.h: the blocklist for the lines that v10 takes, asked with the end of a user and
 * nothing shifted or hashed twice.
 *
 * What stands before a user is its key, so the eight bytes that end with it are a word like
 * "r=u00007". The word's upper six bytes choose a bit, as in blocked_users.h: one that is not set
 * is a no, and that is all that most lines need. A user of 1 to 7 bytes is then the word from its
 * '=' on, which no other user has, and is looked for in a table of words. About other users with a
 * set bit nothing is known here.
 */
#ifndef COUNTALLOC_BLOCKED_WORDS_H
#define COUNTALLOC_BLOCKED_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blocked_users.h"
#include "usual_line.h"

enum {
    CA_USER_WORDS_LOG2 = 11,
    CA_USER_WORDS = 1 << CA_USER_WORDS_LOG2,
    CA_USER_WORD_BYTES_MAX = 7, /* of a user that is a word with its '=' */
};

/* `words`: open addressing, 0 is free; at most half of them are taken. `has_all`: there is room for
 * the whole list. */
struct ca_blocked_words {
    bool has_all;
    uint64_t bits[(1 << CA_USER_BITS_LOG2) / 64];
    uint64_t words[CA_USER_WORDS];
};

/* Makes them from the list. Allocates nothing. */
void ca_blocked_words_init(struct ca_blocked_words *words, const struct ca_blocklist *list);

/* False for a user that ends at `user_end`, behind its key, and is not on the list. */
static inline bool ca_blocked_words_may_have(const struct ca_blocked_words *words,
                                             const char *user_end) {
    const unsigned bit = ca_user_bit(ca_load_word(user_end - 8) >> 16);
    return words->bits[bit / 64] >> bit % 64 & 1;
}

static inline bool ca_user_is_word(struct ca_slice user) {
    return user.byte_count >= 1 && user.byte_count <= CA_USER_WORD_BYTES_MAX;
}

/* Whether ca_blocked_words_have can tell. */
static inline bool ca_blocked_words_know(const struct ca_blocked_words *words,
                                         struct ca_slice user) {
    return words->has_all && ca_user_is_word(user);
}

/* A user behind its key, with the '=', the last byte highest. Only of one that is a word. */
static inline uint64_t ca_user_word(struct ca_slice user) {
    const unsigned other_bits = 8 * (CA_USER_WORD_BYTES_MAX - (unsigned)user.byte_count);
    return ca_load_word(user.bytes + user.byte_count - 8) >> other_bits << other_bits;
}

/* The place of the word, or the free one where it would be. */
static inline size_t ca_blocked_words_place(const struct ca_blocked_words *words, uint64_t word) {
    size_t place = (size_t)(word * 0x9e3779b97f4a7c15 >> (64 - CA_USER_WORDS_LOG2));
    while (words->words[place] != 0 && words->words[place] != word)
        place = (place + 1) % CA_USER_WORDS;
    return place;
}

/* Whether the user, behind its key, is on the list. */
static inline bool ca_blocked_words_have(const struct ca_blocked_words *words,
                                         struct ca_slice user) {
    const uint64_t word = ca_user_word(user);
    return words->words[ca_blocked_words_place(words, word)] == word;
}

#endif
