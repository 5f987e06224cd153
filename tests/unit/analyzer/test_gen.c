/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "gen.h"
#include "print_report.h"

static void expect_date(int64_t day_number, int64_t year, unsigned month, unsigned day) {
    const struct ca_date date = ca_date_of_day(day_number);
    cr_assert_eq(date.year, year, "day %lld", (long long)day_number);
    cr_assert_eq(date.month, month, "day %lld", (long long)day_number);
    cr_assert_eq(date.day, day, "day %lld", (long long)day_number);
}

Test(date, is_the_gregorian_one) {
    expect_date(0, 1970, 1, 1);
    expect_date(-1, 1969, 12, 31);
    expect_date(58, 1970, 2, 28);
    expect_date(59, 1970, 3, 1);
    expect_date(11016, 2000, 2, 29);
    expect_date(11017, 2000, 3, 1);
    expect_date(20760, 2026, 11, 3);
    expect_date(20818, 2026, 12, 31);
    expect_date(20819, 2027, 1, 1);
    expect_date(47540, 2100, 2, 28);
    expect_date(47541, 2100, 3, 1);
    expect_date(-719468, 0, 3, 1);
    expect_date(-719469, 0, 2, 29);
    expect_date(2932896, 9999, 12, 31);
}

static unsigned days_of_month(int64_t year, unsigned month) {
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && is_leap ? 29 : days[month - 1];
}

Test(date, counts_every_day_of_a_thousand_years) {
    struct ca_date expected = {1600, 1, 1};
    for (int64_t day_number = -135140; expected.year < 2600; day_number++) {
        expect_date(day_number, expected.year, expected.month, expected.day);
        if (++expected.day <= days_of_month(expected.year, expected.month))
            continue;
        expected.day = 1;
        if (++expected.month <= 12)
            continue;
        expected.month = 1;
        expected.year++;
    }
}

/* The checksums are those of the Rust reference's files; their SHA-256 begin 18a412e3407ddc1b and
 * 5548a93376e7bca1. */
static void expect_log(uint64_t seed, uint64_t line_count, size_t byte_count, uint64_t checksum) {
    struct ca_gen gen;
    char *log = malloc((size_t)line_count * CA_GEN_LINE_BYTES);
    size_t used_bytes = 0;
    cr_assert_not_null(log);
    ca_gen_init(&gen, seed);
    while (gen.line_index < line_count)
        used_bytes += ca_gen_next(&gen, log + used_bytes);
    cr_assert_eq(used_bytes, byte_count);
    cr_assert_eq(ca_fnv1a64((struct ca_slice){log, used_bytes}), checksum);
    free(log);
}

Test(gen, makes_the_reference_log_of_seed_7) {
    expect_log(7, 3000, 358097, 0x8eec15b1302fdc4a);
}

Test(gen, makes_the_reference_log_of_seed_42) {
    expect_log(42, 20000, 2386442, 0x91ab4d9ed73e035d);
}

Test(gen, begins_with_the_reference_lines) {
    struct ca_gen gen;
    char line[CA_GEN_LINE_BYTES];
    ca_gen_init(&gen, 7);
    const size_t byte_count = ca_gen_next(&gen, line);
    cr_assert(ca_slice_is((struct ca_slice){line, byte_count},
                          "ts=2026-11-03T00:00:00Z level=INFO route=/v1/embed model=mistral-7b "
                          "user=u09007 tokens=875 latency_ms=123 status=200\n"));
}

Test(gen, stays_inside_a_line_at_the_largest_index) {
    struct ca_gen gen = {1, UINT64_MAX};
    char line[CA_GEN_LINE_BYTES];
    cr_assert_lt(ca_gen_next(&gen, line), CA_GEN_LINE_BYTES - 20);
}
