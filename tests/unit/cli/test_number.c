/* SPDX-License-Identifier: MIT */
#include "base/number.h"

#include <criterion/criterion.h>

Test(number, takes_digits_only) {
    uint64_t number = 7;
    cr_assert(ca_number_parse("0", &number));
    cr_assert_eq(number, 0);
    cr_assert(ca_number_parse("18446744073709551615", &number));
    cr_assert_eq(number, UINT64_MAX);
    const char *const bad[] = {"",   "-1", "+1", " 1", "1 ", "1e3", "0x10", "18446744073709551616",
                               "1.0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_not(ca_number_parse(bad[i], &number), "%s", bad[i]);
    cr_assert_eq(number, UINT64_MAX);
}

Test(number, seconds_have_up_to_nine_decimals) {
    uint64_t ns = 0;
    cr_assert(ca_number_parse_seconds("2", &ns));
    cr_assert_eq(ns, 2000000000u);
    cr_assert(ca_number_parse_seconds("0.25", &ns));
    cr_assert_eq(ns, 250000000u);
    cr_assert(ca_number_parse_seconds("0.000000001", &ns));
    cr_assert_eq(ns, 1u);
    const char *const bad[] = {"",     ".5", "1.", "1.0000000001", "1s", "-1", "9999999999999",
                               "1.2.3"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_not(ca_number_parse_seconds(bad[i], &ns), "%s", bad[i]);
}
