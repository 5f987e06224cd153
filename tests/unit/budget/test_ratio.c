/* SPDX-License-Identifier: MIT */
#include "budget/ratio.h"

#include <criterion/criterion.h>
#include <string.h>

static void assert_ratio(const char *text, uint64_t numerator, uint64_t denominator) {
    struct ca_ratio ratio = {77, 77};
    const char *problem = ca_ratio_parse(text, &ratio);
    cr_assert_null(problem, "%s: %s", text, problem);
    cr_assert_eq(ratio.numerator, numerator, "%s", text);
    cr_assert_eq(ratio.denominator, denominator, "%s", text);
}

static void refuse_ratio(const char *text, const char *expected) {
    struct ca_ratio ratio = {77, 78};
    const char *problem = ca_ratio_parse(text, &ratio);
    cr_assert_not_null(problem, "%s", text);
    cr_assert_str_eq(problem, expected);
    cr_assert(ratio.numerator == 77 && ratio.denominator == 78);
}

static void refuse_integer(const char *text, const char *expected) {
    uint64_t number = 77;
    const char *problem = ca_integer_parse(text, &number);
    cr_assert_not_null(problem, "%s", text);
    cr_assert_str_eq(problem, expected);
    cr_assert_eq(number, 77);
}

Test(ratio, integers_fractions_and_decimals_are_exact) {
    assert_ratio("0", 0, 1);
    assert_ratio("21", 21, 1);
    assert_ratio("6/4", 3, 2);
    assert_ratio("0/9", 0, 1);
    assert_ratio("0.25", 1, 4);
    assert_ratio("21.48", 537, 25);
    assert_ratio("20.999", 20999, 1000);
    assert_ratio("1.0", 1, 1);
    assert_ratio("0.10000000000000000000000000000", 1, 10);
    assert_ratio("0.0000000000000000001", 1, 10000000000000000000u);
    assert_ratio("18446744073709551615", UINT64_MAX, 1);
    assert_ratio("18446744073709551615/18446744073709551615", 1, 1);
    assert_ratio("1/18446744073709551615", 1, UINT64_MAX);
}

Test(ratio, what_is_no_number_is_refused) {
    static const char no_ratio[] = "is no number: a rate is an integer, N/D or a decimal like 0.25";
    refuse_ratio("", "has no value");
    refuse_ratio("-1", "is negative");
    refuse_ratio("+1", no_ratio);
    refuse_ratio("1/", no_ratio);
    refuse_ratio("/2", no_ratio);
    refuse_ratio("1/2/3", no_ratio);
    refuse_ratio("1/-2", no_ratio);
    refuse_ratio("1.", no_ratio);
    refuse_ratio(".5", no_ratio);
    refuse_ratio("1e3", no_ratio);
    refuse_ratio("1 / 2", no_ratio);
    refuse_ratio("0x10", no_ratio);
    refuse_ratio("1,5", no_ratio);
    refuse_ratio("1/0", "divides by 0");
    refuse_ratio("18446744073709551616", "does not fit in 64 bits");
    refuse_ratio("1/18446744073709551616", "does not fit in 64 bits");
    refuse_ratio("0.00000000000000000001", "does not fit in 64 bits");
    refuse_ratio("0 # x", "is no number: '#' does not begin a comment behind a value, ';' does");
    refuse_integer("", "has no value");
    refuse_integer("-0", "is negative");
    refuse_integer("0.5", "is no whole number");
    refuse_integer("1/2", "is no whole number");
    refuse_integer("3 allocations", "is no whole number");
    refuse_integer("18446744073709551616", "does not fit in 64 bits");
    refuse_integer("99999999999999999999999999999", "does not fit in 64 bits");
    refuse_integer("0 # x", "is no number: '#' does not begin a comment behind a value, ';' does");
}

Test(ratio, a_product_keeps_all_128_bits) {
    char text[CA_NUMBER_TEXT_SIZE];
    ca_u128 product = ca_ratio_times((struct ca_ratio){UINT64_MAX, 1}, UINT64_MAX);
    cr_assert_str_eq(ca_u128_text(product, text), "340282366920938463426481119284349108225");
    product += UINT64_MAX;
    product += UINT64_MAX;
    cr_assert_str_eq(ca_u128_text(product, text), "340282366920938463463374607431768211455");
    cr_assert(product == ~(ca_u128)0);
    cr_assert(ca_ratio_times((struct ca_ratio){1, 3}, 1000) == 333);
    cr_assert(ca_ratio_times((struct ca_ratio){UINT64_MAX, 2}, 2) == UINT64_MAX);
}

Test(ratio, comparing_does_not_overflow) {
    struct ca_ratio a = {UINT64_MAX, UINT64_MAX - 1}, b = {UINT64_MAX - 1, UINT64_MAX - 2};
    cr_assert_eq(ca_ratio_compare(a, b), -1);
    cr_assert_eq(ca_ratio_compare(b, a), 1);
    cr_assert_eq(ca_ratio_compare(a, a), 0);
}

Test(ratio, quotients_are_cut_not_rounded) {
    char text[CA_NUMBER_TEXT_SIZE];
    cr_assert_str_eq(ca_quotient_text(21003, 1000, text), "21.003");
    cr_assert_str_eq(ca_quotient_text(3, 1, text), "3");
    cr_assert_str_eq(ca_quotient_text(0, 1000, text), "0");
    cr_assert_str_eq(ca_quotient_text(1, 3, text), "about 0.333333");
    cr_assert_str_eq(ca_quotient_text(20999999999, 1000000000, text), "about 20.999999");
    cr_assert_str_eq(ca_quotient_text(-3, 2, text), "-1.5");
    cr_assert_str_eq(ca_quotient_text((ca_i128)UINT64_MAX, UINT64_MAX, text), "1");
    cr_assert_str_eq(ca_i128_text(-(ca_i128)UINT64_MAX, text), "-18446744073709551615");
    cr_assert_str_eq(ca_ratio_text((struct ca_ratio){1, 4}, text), "1/4");
}
