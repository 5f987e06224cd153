/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "log_line.h"

static void expect_number(const char *text, uint64_t max, uint64_t value) {
    uint64_t parsed = ~value;
    cr_assert(ca_parse_unsigned(ca_slice_of(text), max, &parsed), "'%s'", text);
    cr_assert_eq(parsed, value, "'%s'", text);
}

static void expect_no_number(const char *text, uint64_t max) {
    uint64_t untouched = 77;
    cr_assert_not(ca_parse_unsigned(ca_slice_of(text), max, &untouched), "'%s'", text);
    cr_assert_eq(untouched, 77, "'%s'", text);
}

Test(parse_unsigned, accepts_digits_and_one_plus) {
    expect_number("0", UINT64_MAX, 0);
    expect_number("+5", UINT64_MAX, 5);
    expect_number("007", UINT64_MAX, 7);
    expect_number("00000000000000000000000000000000000000000012", UINT64_MAX, 12);
    expect_number("4294967295", UINT32_MAX, UINT32_MAX);
    expect_number("18446744073709551615", UINT64_MAX, UINT64_MAX);
}

Test(parse_unsigned, refuses_everything_else) {
    static const char *const texts[] = {
        "",   "+",   "++5", "-0",   "-1",  " 5",          "5 ",
        "0x", "1.0", "1e3", "1\r",  "5+",  "\xd9\xa3",    "18446744073709551616",
        "/",  ":",   "a",   "1_00", "1,0", "4294967296x", "99999999999999999999999"};
    for (size_t at = 0; at < sizeof texts / sizeof texts[0]; at++)
        expect_no_number(texts[at], UINT64_MAX);
    expect_no_number("4294967296", UINT32_MAX);
    uint64_t untouched = 77;
    cr_assert_not(ca_parse_unsigned((struct ca_slice){"5\0", 2}, UINT64_MAX, &untouched));
}

static void expect_lines(const char *text, size_t byte_count, const char *const *lines,
                         size_t line_count) {
    struct ca_cursor cursor = {text, text + byte_count};
    struct ca_slice line;
    for (size_t at = 0; at < line_count; at++) {
        cr_assert(ca_cursor_next(&cursor, &line));
        cr_assert(ca_slice_is(line, lines[at]), "line %zu", at);
    }
    cr_assert_not(ca_cursor_next(&cursor, &line));
}

Test(cursor, ends_a_line_at_a_newline_and_drops_one_return_before_it) {
    const char *const lines[] = {"a", "b", "c\r", "", "", "d\re", "f"};
    expect_lines("a\nb\r\nc\r\r\n\n\r\nd\re\nf", 17, lines, 7);
}

Test(cursor, keeps_the_return_of_a_last_line_without_newline) {
    const char *const lines[] = {"a", "b\r"};
    expect_lines("a\nb\r", 4, lines, 2);
}

Test(cursor, finds_no_line_in_nothing_and_none_behind_the_last_newline) {
    const char *const lines[] = {"a"};
    expect_lines("", 0, NULL, 0);
    expect_lines("a\n", 2, lines, 1);
}
