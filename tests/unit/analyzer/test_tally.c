/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "groups.h"
#include "random_log.h"
#include "tally.h"

enum {
    VALUES_MAX = 20000
};

static int by_value(const void *left_value, const void *right_value) {
    const uint32_t left = *(const uint32_t *)left_value;
    const uint32_t right = *(const uint32_t *)right_value;
    return (left > right) - (left < right);
}

static void expect_summary(struct ca_tally *tally, uint64_t value_count, uint32_t p50_ms,
                           uint32_t p99_ms) {
    ca_tally_sort(tally);
    const struct ca_tally_summary summary = ca_tally_summarize(tally);
    cr_assert_eq(summary.value_count, value_count);
    cr_assert_eq(summary.p50_ms, p50_ms);
    cr_assert_eq(summary.p99_ms, p99_ms);
}

/* `values_ms` is sorted afterwards. */
static void expect_same_as_sorting(struct ca_tally *tally, uint32_t *values_ms, size_t count) {
    qsort(values_ms, count, sizeof *values_ms, by_value);
    expect_summary(tally, count, ca_percentile_ms(values_ms, count, 50),
                   ca_percentile_ms(values_ms, count, 99));
}

static void expect_random(uint64_t value_limit, size_t count, uint64_t *state) {
    static uint32_t values_ms[VALUES_MAX];
    struct ca_tally tally = {0};
    for (size_t at = 0; at < count; at++) {
        values_ms[at] = (uint32_t)random_below(state, value_limit);
        cr_assert(ca_tally_add(&tally, values_ms[at]));
    }
    expect_same_as_sorting(&tally, values_ms, count);
    ca_tally_release(&tally);
}

Test(tally, gives_the_percentiles_of_a_sorted_list) {
    static const uint64_t limits[] = {1, 2, 100, 4095, 4096, 4097, 5000, 100000, UINT32_MAX};
    uint64_t state = 3;
    for (size_t at = 0; at < sizeof limits / sizeof limits[0]; at++) {
        for (unsigned round = 0; round < 50; round++)
            expect_random(limits[at], 1 + (size_t)random_below(&state, 300), &state);
        expect_random(limits[at], VALUES_MAX, &state);
    }
}

Test(tally, of_nothing_is_all_zero) {
    struct ca_tally tally = {0};
    expect_summary(&tally, 0, 0, 0);
    ca_tally_release(&tally);
}

Test(tally, gets_its_counters_after_64_pairs) {
    struct ca_tally tally = {0};
    for (uint32_t at = 0; at < 64; at++) {
        cr_assert(ca_tally_add(&tally, at % 2 * 5000));
        cr_assert_null(tally.counts);
    }
    cr_assert(ca_tally_add(&tally, 7));
    cr_assert_not_null(tally.counts);
    cr_assert_eq(tally.counts[0], 32);
    cr_assert_eq(tally.counts[7], 1);
    cr_assert_eq(tally.pair_count, 32);
    cr_assert_eq(tally.pair_capacity_count, 64);
    ca_tally_release(&tally);
}

/* Memory grows with the number of different values only. */
Test(tally, joins_pairs_before_it_grows) {
    struct ca_tally tally = {0};
    for (uint32_t at = 0; at < 1000000; at++)
        cr_assert(ca_tally_add(&tally, 5000 + at % 30));
    cr_assert_eq(tally.pair_capacity_count, 64);
    expect_summary(&tally, 1000000, 5014, 5029);
    cr_assert_eq(tally.pair_count, 30);
    ca_tally_release(&tally);
}

Test(tally, counts_beyond_32_bits) {
    struct ca_tally tally = {0};
    for (uint32_t at = 0; at < 65; at++)
        cr_assert(ca_tally_add(&tally, 9));
    tally.counts[9] = UINT32_MAX - 1;
    for (uint32_t at = 0; at < 5; at++)
        cr_assert(ca_tally_add(&tally, 9));
    cr_assert(ca_tally_add_many(&tally, 9, UINT64_C(3) << 32));
    cr_assert_eq(tally.counts[9], 3);
    cr_assert(ca_tally_add(&tally, 8));
    expect_summary(&tally, (UINT64_C(4) << 32) + 4, 9, 9);
    cr_assert_eq(tally.pair_count, 1);
    ca_tally_release(&tally);
}

Test(tally, merges_to_what_one_would_hold) {
    static uint32_t values_ms[VALUES_MAX];
    static const uint64_t limits[] = {10, 4096, 6000, UINT32_MAX};
    uint64_t state = 9;
    for (unsigned round = 0; round < 200; round++) {
        struct ca_tally tallies[2] = {{0}, {0}};
        const uint64_t limit = limits[random_below(&state, 4)];
        const size_t count = 1 + (size_t)random_below(&state, 400);
        for (size_t at = 0; at < count; at++) {
            values_ms[at] = (uint32_t)random_below(&state, limit);
            cr_assert(ca_tally_add(&tallies[random_below(&state, 3) > 0], values_ms[at]));
        }
        cr_assert(ca_tally_merge(&tallies[0], &tallies[1]));
        expect_same_as_sorting(&tallies[0], values_ms, count);
        ca_tally_release(&tallies[0]);
        ca_tally_release(&tallies[1]);
    }
}
