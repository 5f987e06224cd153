/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "blocked_words.h"
#include "middle_cache.h"

static struct ca_middle_cache cache;
static struct ca_group group;

static size_t put_middle(char *text, unsigned number) {
    return (size_t)sprintf(text, " level=INFO route=/r%u model=m%u-of-some user=", number / 10,
                           number % 10);
}

static bool is_found(const char *text, size_t byte_count) {
    const struct ca_middle *found = ca_middle_candidate(&cache, text, text + byte_count);
    return found->byte_count == byte_count && memcmp(found->first, text, 32) == 0 &&
           memcmp(found->last, text + byte_count - 32, 32) == 0;
}

static size_t find_all(unsigned count) {
    size_t found_count = 0;
    for (unsigned at = 0; at < count; at++) {
        char text[64];
        const size_t byte_count = put_middle(text, at);
        found_count += is_found(text, byte_count);
    }
    return found_count;
}

static void add_all(unsigned count) {
    ca_middle_cache_init(&cache);
    for (unsigned at = 0; at < count; at++) {
        char text[64];
        const size_t byte_count = put_middle(text, at);
        ca_middle_cache_add(&cache, text, text + byte_count, &group);
    }
}

Test(middle_cache, finds_a_hundred) {
    add_all(100);
    cr_assert_eq(cache.middle_count, 101);
    cr_assert_gt(cache.search_count, 0);
    cr_assert_eq(find_all(100), 100);
}

/* All that it has are found; the others have no place. */
Test(middle_cache, finds_what_it_has_of_a_thousand) {
    add_all(1000);
    cr_assert_leq(cache.middle_count, CA_MIDDLES_MAX);
    cr_assert_gt(cache.middle_count, 200);
    cr_assert_eq(find_all(1000), cache.middle_count - 1);
}

Test(middle_cache, keeps_one_of_each) {
    add_all(10);
    for (unsigned at = 0; at < 10; at++) {
        char text[64];
        const size_t byte_count = put_middle(text, at);
        ca_middle_cache_add(&cache, text, text + byte_count, &group);
    }
    cr_assert_eq(cache.middle_count, 11);
}

/* Two that differ only where the hash does not look: the second has no place, and no search for a
 * multiplier is spent on it. */
Test(middle_cache, has_one_place_for_two_of_one_hash) {
    char text[] = " level=INFO route=/v1/chat/abcdef model=m-of-some user=";
    ca_middle_cache_init(&cache);
    ca_middle_cache_add(&cache, text, text + sizeof text - 1, &group);
    text[2] ^= 1;
    ca_middle_cache_add(&cache, text, text + sizeof text - 1, &group);
    cr_assert_eq(cache.middle_count, 2);
    cr_assert_eq(cache.search_count, 0);
    cr_assert_not(is_found(text, sizeof text - 1));
    text[2] ^= 1;
    cr_assert(is_found(text, sizeof text - 1));
}

Test(middle_cache, forgets_when_the_groups_move) {
    struct ca_groups groups = {.slot_count = 4};
    add_all(10);
    ca_middle_cache_follow(&cache, &groups);
    cr_assert_eq(find_all(10), 0);
    add_all(10);
    cache.groups_slot_count = 4;
    ca_middle_cache_follow(&cache, &groups);
    cr_assert_eq(find_all(10), 10);
}

static struct ca_slice behind_key(char *line, struct ca_slice user) {
    memcpy(line, "model=m" CA_USER_KEY, 7 + CA_USER_KEY_BYTES);
    memcpy(line + 7 + CA_USER_KEY_BYTES, user.bytes, user.byte_count);
    return (struct ca_slice){line + 7 + CA_USER_KEY_BYTES, user.byte_count};
}

static bool may_have(const struct ca_blocked_words *words, struct ca_slice user) {
    char line[64];
    const struct ca_slice put = behind_key(line, user);
    return ca_blocked_words_may_have(words, put.bytes + put.byte_count);
}

static bool have(const struct ca_blocked_words *words, struct ca_slice user) {
    char line[64];
    return ca_blocked_words_have(words, behind_key(line, user));
}

Test(blocked_words, are_never_denied) {
    static const struct ca_slice users[] = {{"", 0},         {"z", 1},           {"\0z", 2},
                                            {"=z", 2},       {"u00007", 6},      {"1234567", 7},
                                            {"12345678", 8}, {"a-long-user", 11}};
    static const struct ca_slice others[] = {
        {"y", 1}, {"\0\0z", 3}, {"==z", 3}, {"00007", 5}, {"u0007", 5}};
    static struct ca_blocked_words words;
    const struct ca_blocklist list = {(struct ca_slice *)(uintptr_t)users, 8, NULL};
    ca_blocked_words_init(&words, &list);
    for (size_t at = 0; at < 8; at++) {
        const bool is_word = at >= 1 && at <= 5;
        cr_assert(may_have(&words, users[at]), "%zu", at);
        cr_assert_eq(ca_blocked_words_know(&words, users[at]), is_word, "%zu", at);
        cr_assert_eq(is_word && have(&words, users[at]), is_word, "%zu", at);
    }
    for (size_t at = 0; at < 5; at++)
        cr_assert_not(have(&words, others[at]), "%zu", at);
    cr_assert_not(may_have(&words, others[0]));
}

/* Of 1,024 users it has all; of more it knows that it has not, and denies none. */
Test(blocked_words, say_when_there_are_too_many) {
    static struct ca_blocked_words words;
    static struct ca_slice users[1100];
    static char names[1100][8];
    for (unsigned at = 0; at < 1100; at++) {
        sprintf(names[at], "u%05u", at * 10 + 7);
        users[at] = ca_slice_of(names[at]);
    }
    for (size_t count = 1023; count <= 1100; count++) {
        const struct ca_blocklist list = {users, count, NULL};
        ca_blocked_words_init(&words, &list);
        cr_assert_eq(ca_blocked_words_know(&words, users[0]), count <= 1024, "%zu", count);
        for (size_t at = 0; at < count; at++)
            cr_assert(may_have(&words, users[at]), "%zu %zu", count, at);
        cr_assert_not(have(&words, ca_slice_of("u00008")));
    }
}
