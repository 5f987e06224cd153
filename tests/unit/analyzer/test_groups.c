/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>

#include "groups.h"
#include "user_set.h"

static const uint32_t values_ms[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100};

Test(percentile, is_the_nearest_rank) {
    uint32_t many[101];
    for (uint32_t at = 0; at < 101; at++)
        many[at] = at + 1;
    cr_assert_eq(ca_percentile_ms(values_ms, 1, 50), 10);
    cr_assert_eq(ca_percentile_ms(values_ms, 1, 99), 10);
    cr_assert_eq(ca_percentile_ms(values_ms, 2, 50), 10);
    cr_assert_eq(ca_percentile_ms(values_ms, 3, 50), 20);
    cr_assert_eq(ca_percentile_ms(values_ms, 10, 50), 50);
    cr_assert_eq(ca_percentile_ms(values_ms, 10, 99), 100);
    cr_assert_eq(ca_percentile_ms(values_ms, 10, 90), 90);
    cr_assert_eq(ca_percentile_ms(values_ms, 10, 100), 100);
    cr_assert_eq(ca_percentile_ms(values_ms, 10, 1), 10);
    cr_assert_eq(ca_percentile_ms(many, 100, 99), 99);
    cr_assert_eq(ca_percentile_ms(many, 101, 99), 100);
    cr_assert_eq(ca_percentile_ms(many, 101, 50), 51);
}

Test(latencies, grow_by_doubling_from_four) {
    struct ca_latencies latencies = {0};
    const size_t capacities[] = {4, 4, 4, 4, 8, 8, 8, 8, 16};
    for (uint32_t at = 0; at < 9; at++) {
        cr_assert(ca_latencies_push(&latencies, at));
        cr_assert_eq(latencies.capacity_count, capacities[at]);
        cr_assert_eq(latencies.values_ms[at], at);
    }
    free(latencies.values_ms);
}

Test(groups, double_their_slots_at_seven_eighths) {
    static const char names[] = "abcdefghijklmnopqrstuvwxyzABCD";
    struct ca_groups groups = {0};
    for (size_t at = 0; at < 30; at++) {
        const struct ca_slice route = {names + at, 1};
        const size_t count = at + 1;
        cr_assert_null(ca_groups_find(&groups, 7, route, route));
        cr_assert_not_null(ca_groups_add(&groups, 7, route, route));
        cr_assert_eq(groups.slot_count, count <= 3    ? 4
                                        : count <= 7  ? 8
                                        : count <= 14 ? 16
                                        : count <= 28 ? 32
                                                      : 64);
    }
    cr_assert_eq(groups.hash_shift, 64 - 6);
    for (size_t at = 0; at < 30; at++) {
        const struct ca_slice route = {names + at, 1};
        const struct ca_group *group = ca_groups_find(&groups, 7, route, route);
        cr_assert_not_null(group);
        cr_assert_eq(group->route.bytes, route.bytes);
        cr_assert_null(ca_groups_find(&groups, 8, route, route));
        cr_assert_null(ca_groups_find(&groups, 7, route, (struct ca_slice){"", 0}));
    }
    ca_groups_release(&groups);
}

/* A space is above \x01, so a longer route may come before a shorter one. */
Test(groups, sort_by_the_bytes_of_route_space_model) {
    static const char *const names[][2] = {{"a", "m"},    {"a\x01", "m"}, {"", "z"}, {"a!", "m"},
                                           {"\xff", "m"}, {"a", ""},      {"a", "l"}};
    static const size_t order[] = {2, 1, 5, 6, 0, 3, 4};
    struct ca_groups groups = {0};
    for (size_t at = 0; at < 7; at++) {
        struct ca_group *group =
            ca_groups_add(&groups, at, ca_slice_of(names[at][0]), ca_slice_of(names[at][1]));
        cr_assert(ca_latencies_push(&group->latencies, 9));
        cr_assert(ca_latencies_push(&group->latencies, 3));
    }
    ca_groups_sort(&groups);
    cr_assert_eq(groups.group_count, 7);
    for (size_t at = 0; at < 7; at++) {
        cr_assert(ca_slice_is(groups.slots[at].route, names[order[at]][0]), "%zu", at);
        cr_assert(ca_slice_is(groups.slots[at].model, names[order[at]][1]), "%zu", at);
        cr_assert_eq(groups.slots[at].latencies.values_ms[0], 3);
        cr_assert_eq(groups.slots[at].latencies.values_ms[1], 9);
    }
    ca_groups_release(&groups);
}

Test(user_set, holds_what_was_added_and_nothing_else) {
    char users[100][8];
    struct ca_user_set set;
    cr_assert(ca_user_set_init(&set, 100));
    cr_assert_eq(set.slot_count, 128);
    cr_assert_eq(set.hash_shift, 64 - 7);
    for (unsigned at = 0; at < 100; at++) {
        snprintf(users[at], sizeof users[at], "u%u", at);
        ca_user_set_add(&set, at / 50, ca_slice_of(users[at]));
    }
    for (unsigned at = 0; at < 100; at++) {
        cr_assert(ca_user_set_has(&set, at / 50, ca_slice_of(users[at])));
        cr_assert_not(ca_user_set_has(&set, 2, ca_slice_of(users[at])));
    }
    cr_assert_not(ca_user_set_has(&set, 0, ca_slice_of("")));
    ca_user_set_release(&set);
}

Test(user_set, of_nobody_has_nobody) {
    struct ca_user_set set;
    cr_assert(ca_user_set_init(&set, 0));
    cr_assert_not(ca_user_set_has(&set, 0, ca_slice_of("")));
    ca_user_set_release(&set);
}
