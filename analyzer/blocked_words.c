/* SPDX-License-Identifier: MIT */
#include "blocked_words.h"

#include <string.h>

void ca_blocked_words_init(struct ca_blocked_words *words, const struct ca_blocklist *list) {
    size_t word_count = 0;
    *words = (struct ca_blocked_words){.has_all = true};
    for (size_t at = 0; at < list->user_count; at++) {
        char line[8 + CA_USER_KEY_BYTES + 8] = "        " CA_USER_KEY;
        char *value = line + 8 + CA_USER_KEY_BYTES;
        const struct ca_slice user = list->users[at];
        const size_t byte_count = user.byte_count < 8 ? user.byte_count : 8;
        /* Of a longer one no more is looked at. */
        memcpy(value, user.bytes + user.byte_count - byte_count, byte_count);
        const unsigned bit = ca_user_bit(ca_load_word(value + byte_count - 8) >> 16);
        words->bits[bit / 64] |= UINT64_C(1) << bit % 64;
        if (!ca_user_is_word(user))
            continue;
        const uint64_t word = ca_user_word((struct ca_slice){value, byte_count});
        const size_t place = ca_blocked_words_place(words, word);
        if (words->words[place] == word)
            continue;
        if (word_count < CA_USER_WORDS / 2) {
            words->words[place] = word;
            word_count++;
        } else {
            words->has_all = false;
        }
    }
}
