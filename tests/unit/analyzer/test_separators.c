/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "random_log.h"
#include "separator_index.h"
#include "separators.h"

enum {
    TEXT_BYTES_MAX = 300
};

/* Every separator, found in the plainest way. */
static size_t find_plainly(const char *bytes, size_t byte_count, const char **ret_positions) {
    size_t found_count = 0;
    for (size_t at = 0; at < byte_count; at++)
        if (bytes[at] == ' ' || bytes[at] == '\n')
            ret_positions[found_count++] = bytes + at;
    return found_count;
}

/* The bytes behind the text are separators, which must not be found. */
static void expect_same_positions(const struct ca_separator_path *path, const char *text,
                                  size_t byte_count, size_t shift_bytes) {
    const char *positions[TEXT_BYTES_MAX + CA_SEPARATOR_SPARE];
    const char *expected[TEXT_BYTES_MAX];
    char *block = malloc(shift_bytes + byte_count + CA_SEPARATOR_READ_BYTES);
    char *copy = block + shift_bytes;
    memcpy(copy, text, byte_count);
    memset(copy + byte_count, ' ', CA_SEPARATOR_READ_BYTES);
    const size_t expected_count = find_plainly(copy, byte_count, expected);
    cr_assert_eq(path->find(copy, byte_count, positions), expected_count, "%s, %zu bytes",
                 path->name, byte_count);
    for (size_t at = 0; at < expected_count; at++)
        cr_assert_eq(positions[at], expected[at], "%s, %zu bytes, %zu", path->name, byte_count, at);
    free(block);
}

static void expect_all_paths(const char *text, size_t byte_count, size_t shift_bytes) {
    for (size_t at = 0; at < ca_separator_path_count; at++)
        if (ca_separator_paths[at].is_supported())
            expect_same_positions(&ca_separator_paths[at], text, byte_count, shift_bytes);
}

Test(separators, are_found_alike_on_every_path) {
    static const char few[] = "abcdefghijklmnop \n";
    static const char near[] = " \n\x1f\x21\x09\x0b\xa0\x8a\x00\x20\x0a";
    char text[TEXT_BYTES_MAX];
    uint64_t state = 1;
    for (size_t byte_count = 0; byte_count <= TEXT_BYTES_MAX; byte_count++) {
        for (unsigned round = 0; round < 30; round++) {
            for (size_t at = 0; at < byte_count; at++)
                text[at] = round % 3 == 0   ? (char)random_below(&state, 256)
                           : round % 3 == 1 ? few[random_below(&state, sizeof few - 1)]
                                            : near[random_below(&state, sizeof near - 1)];
            expect_all_paths(text, byte_count, round);
        }
    }
}

Test(separators, may_be_every_byte_or_none) {
    char text[TEXT_BYTES_MAX];
    for (size_t byte_count = 0; byte_count <= TEXT_BYTES_MAX; byte_count++) {
        memset(text, '\n', byte_count);
        expect_all_paths(text, byte_count, byte_count % 7);
        memset(text, 'x', byte_count);
        expect_all_paths(text, byte_count, byte_count % 7);
    }
}

/* Each of the 256 bytes at each place of a chunk. */
Test(separators, are_these_two_bytes_only) {
    char text[64];
    for (unsigned byte = 0; byte < 256; byte++) {
        for (size_t place = 0; place < sizeof text; place++) {
            memset(text, 'x', sizeof text);
            text[place] = (char)byte;
            expect_all_paths(text, sizeof text, 0);
        }
    }
}

Test(separator_paths, are_found_by_name_and_scalar_is_the_last) {
    cr_assert_eq(ca_separator_path_find("scalar"),
                 &ca_separator_paths[ca_separator_path_count - 1]);
    cr_assert_null(ca_separator_path_find("mmx"));
    cr_assert_null(ca_separator_path_find(""));
    cr_assert(ca_separator_path_best()->is_supported());
    cr_assert_eq(ca_separator_path_find(ca_separator_path_best()->name), ca_separator_path_best());
}

/* Takes all separators through the index, some by eights and some by skipping. */
Test(separator_index, hands_out_every_separator_once) {
    static struct ca_separator_index index;
    static char text[20000 + CA_SEPARATOR_READ_BYTES];
    static const char *expected[20000];
    uint64_t state = 4;
    for (unsigned round = 0; round < 300; round++) {
        const size_t byte_count = (size_t)random_below(&state, 20001);
        const uint64_t rarity = 1 + random_below(&state, round % 3 == 0 ? 3000 : 20);
        for (size_t at = 0; at < byte_count; at++)
            text[at] = random_below(&state, rarity) == 0 ? ' ' : 'x';
        const size_t expected_count = find_plainly(text, byte_count, expected);
        size_t seen_count = 0;
        index.find = ca_separator_path_best()->find;
        ca_separator_index_start(&index, (struct ca_slice){text, byte_count});
        for (;;) {
            const char *const *at = ca_separator_index_peek(&index);
            if (at == NULL)
                break;
            for (size_t ahead = 0; ahead < CA_USUAL_SEPARATORS; ahead++)
                cr_assert_eq(at[ahead], expected[seen_count + ahead]);
            if (random_below(&state, 2) == 0) {
                index.first += CA_USUAL_SEPARATORS;
                seen_count += CA_USUAL_SEPARATORS;
                continue;
            }
            const char *to = at[0] + 1 + random_below(&state, 5000);
            if (to > text + byte_count)
                to = text + byte_count;
            ca_separator_index_skip(&index, to);
            while (seen_count < expected_count && expected[seen_count] < to)
                seen_count++;
        }
        cr_assert_lt(expected_count - seen_count, CA_USUAL_SEPARATORS);
    }
}
