/* SPDX-License-Identifier: MIT
 *
 * The fast ways of v7 and v8, each against the plain one: the guess at a line, digits, users, names
 * of groups.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocked_users.h"
#include "name_cache.h"
#include "random_log.h"
#include "separators.h"
#include "usual_line.h"
#include "value_words.h"

static const char usual[] =
    "ts=1 level=I route=/r model=m user=a tokens=1 latency_ms=2 status=200\n";

static bool is_usual(const char *line) {
    const char *at[128 + CA_SEPARATOR_SPARE];
    char padded[128 + CA_SEPARATOR_READ_BYTES] = "";
    memcpy(padded, line, strlen(line));
    const size_t count = ca_separators_scalar(padded, strlen(line), at);
    return count >= CA_USUAL_SEPARATORS && ca_line_is_usual(padded, at);
}

Test(usual_line, has_the_eight_keys_in_order) {
    cr_assert(is_usual(usual));
    cr_assert(is_usual("ts= level= route= model= user= tokens= latency_ms= status=\n"));
    cr_assert(is_usual("ts== level== route== model== user== tokens== latency_ms== status=\r\n"));
    cr_assert_not(
        is_usual("ts=1 level=I route=/r model=m user=a tokens=1 latency_ms=2 status=200"));
    cr_assert_not(
        is_usual("ts=1 level=I route=/r model=m user=a tokens=1 latency_ms=2 status= \n"));
    cr_assert_not(
        is_usual("ts=1\nlevel=I route=/r model=m user=a tokens=1 latency_ms=2 status=\n"));
    cr_assert_not(is_usual("ts=1 level=I model=m route=/r user=a tokens=1 latency_ms=2 status=\n"));
}

/* Any one byte of what is not a value, which is marked by a dot. */
Test(usual_line, forgives_no_byte) {
    static const char marked[] =
        "ts=. level=. route=.. model=. user=. tokens=. latency_ms=. status=...\n";
    for (size_t at = 0; at < sizeof usual - 1; at++) {
        char line[sizeof usual];
        memcpy(line, usual, sizeof usual);
        line[at] ^= 1;
        if (marked[at] != '.')
            cr_assert_not(is_usual(line), "%zu: %s", at, line);
    }
}

static void expect_digits(const char *text, size_t byte_count) {
    char padded[64] = "status7="; /* what stands before a value is its key */
    struct ca_doubt doubt = {0};
    uint64_t expected = 0;
    memcpy(padded + 8, text, byte_count);
    const struct ca_slice slice = {padded + 8, byte_count};
    const bool is_read =
        ca_parse_unsigned(slice, UINT64_MAX, &expected) && byte_count <= 8 && text[0] != '+';
    const uint32_t number = ca_digits_read(slice.bytes, slice.byte_count, &doubt);
    cr_assert_eq(!ca_doubt_is_raised(&doubt), is_read, "\"%.*s\"", (int)byte_count, text);
    if (is_read)
        cr_assert_eq(number, expected, "\"%.*s\"", (int)byte_count, text);
}

Test(digits, are_read_as_the_grammar_reads_them) {
    uint64_t state = 6;
    char text[24];
    expect_digits("", 0);
    for (unsigned round = 0; round < 300000; round++) {
        const size_t byte_count = (size_t)random_below(&state, 12);
        for (size_t at = 0; at < byte_count; at++)
            text[at] = (char)('0' + random_below(&state, 10));
        if (byte_count > 0 && round % 2 == 0)
            text[random_below(&state, byte_count)] = (char)random_below(&state, 256);
        expect_digits(text, byte_count);
    }
}

Test(digits, of_each_single_byte) {
    for (unsigned byte = 0; byte < 256; byte++) {
        const char text = (char)byte;
        expect_digits(&text, 1);
    }
}

/* Doubt about the first value is not forgotten at the second. */
Test(digits, keep_the_doubt) {
    static const char text[] = "00000000x1234567";
    struct ca_doubt doubt = {0};
    ca_digits_read(text + 8, 3, &doubt);
    ca_digits_read(text + 9, 3, &doubt);
    cr_assert(ca_doubt_is_raised(&doubt));
}

static bool may_have(const struct ca_blocked_users *users, const char *user) {
    char padded[64] = "........";
    memcpy(padded + 8, user, strlen(user));
    const unsigned bit = ca_user_bit(ca_last_bytes(padded + 8 + strlen(user), strlen(user)));
    return ca_blocked_users_may_have(users, bit);
}

Test(blocked_users, are_never_denied) {
    static const char *const names[] = {
        "u00007", "z", "12345678", "123456789", "a-long-user-name", "a-longer-user-name"};
    struct ca_slice slices[6];
    struct ca_blocked_users users;
    for (size_t at = 0; at < 6; at++)
        slices[at] = ca_slice_of(names[at]);
    const struct ca_blocklist list = {slices, 6, NULL};
    cr_assert(ca_blocked_users_init(&users, &list, (struct ca_sip_key){1, 2}));
    for (size_t at = 0; at < 6; at++) {
        cr_assert(may_have(&users, names[at]));
        cr_assert(ca_blocked_users_has(&users, slices[at]));
    }
    cr_assert_not(may_have(&users, "u00008"));
    cr_assert_not(may_have(&users, "y"));
    cr_assert(may_have(&users, "x23456789"));
    cr_assert_not(ca_blocked_users_has(&users, ca_slice_of("x23456789")));
    cr_assert_not(ca_blocked_users_has(&users, ca_slice_of("")));
    ca_blocked_users_release(&users);
}

static struct ca_name name_of(const char *text) {
    return ca_name_of(text, text + strlen(text));
}

static struct ca_group *add_group(struct ca_groups *groups, uint64_t hash) {
    return ca_groups_add(groups, hash, ca_slice_of("r"), ca_slice_of("m"));
}

Test(name_cache, knows_names_of_16_to_32_bytes) {
    static struct ca_name_cache cache;
    struct ca_groups groups = {0};
    struct ca_group *group = add_group(&groups, 1);
    static const char text[] = "0123456789abcdef0123456789abcdef0";
    for (size_t byte_count = 0; byte_count <= 33; byte_count++) {
        const struct ca_name name = ca_name_of(text, text + byte_count);
        const bool is_known = byte_count >= 16 && byte_count <= 32;
        cr_assert_null(ca_name_cache_find(&cache, &groups, &name));
        ca_name_cache_add(&cache, &groups, &name, group);
        cr_assert_eq(ca_name_cache_find(&cache, &groups, &name), is_known ? group : NULL, "%zu",
                     byte_count);
    }
    ca_groups_release(&groups);
}

Test(name_cache, tells_names_apart_by_any_byte) {
    static struct ca_name_cache cache;
    struct ca_groups groups = {0};
    struct ca_group *group = add_group(&groups, 1);
    for (size_t byte_count = 16; byte_count <= 32; byte_count++) {
        char text[] = "0123456789abcdef0123456789abcdef";
        const struct ca_name name = ca_name_of(text, text + byte_count);
        cache = (struct ca_name_cache){0};
        ca_name_cache_add(&cache, &groups, &name, group);
        for (size_t at = 0; at < byte_count; at++) {
            text[at] ^= 1;
            const struct ca_name other = ca_name_of(text, text + byte_count);
            cr_assert_null(ca_name_cache_find(&cache, &groups, &other));
            text[at] ^= 1;
        }
    }
    ca_groups_release(&groups);
}

Test(name_cache, forgets_when_the_groups_move) {
    static struct ca_name_cache cache;
    struct ca_groups groups = {0};
    const struct ca_name name = name_of("/v1/chat model=mistral-7b");
    struct ca_group *group = add_group(&groups, 1);
    ca_name_cache_add(&cache, &groups, &name, group);
    cr_assert_eq(ca_name_cache_find(&cache, &groups, &name), group);
    add_group(&groups, 2);
    add_group(&groups, 3);
    cr_assert_eq(ca_name_cache_find(&cache, &groups, &name), group);
    add_group(&groups, 4);
    cr_assert_null(ca_name_cache_find(&cache, &groups, &name));
    ca_groups_release(&groups);
}

/* Names of one hash: four find a place, the fifth does not. */
Test(name_cache, holds_four_names_of_one_place) {
    static struct ca_name_cache cache;
    struct ca_groups groups = {0};
    struct ca_group *group = add_group(&groups, 1);
    for (unsigned at = 0; at < 5; at++) {
        char text[40];
        snprintf(text, sizeof text, "01234567%u89abcdef0123456", at);
        const struct ca_name name = name_of(text);
        ca_name_cache_add(&cache, &groups, &name, group);
        cr_assert_eq(ca_name_cache_find(&cache, &groups, &name), at < 4 ? group : NULL);
    }
    ca_groups_release(&groups);
}
