/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>

#include "string_map.h"

static const struct ca_sip_key sip_key = {1, 2};

static void insert(struct ca_string_map *map, const char *key, const char *value) {
    struct ca_string key_copy;
    struct ca_string value_copy;
    cr_assert(ca_string_copy(&key_copy, ca_slice_of(key)));
    cr_assert(ca_string_copy(&value_copy, ca_slice_of(value)));
    cr_assert(ca_string_map_insert(map, sip_key, key_copy, value_copy));
}

Test(string_map, doubles_from_four_slots_at_seven_eighths) {
    static const size_t slot_counts[] = {4, 4, 4, 8, 8, 8, 8, 16, 16, 16, 16, 16, 16, 16, 32};
    struct ca_string_map map = {0};
    char key[8];
    for (unsigned at = 0; at < 15; at++) {
        snprintf(key, sizeof key, "k%u", at);
        insert(&map, key, key + 1);
        cr_assert_eq(map.slot_count, slot_counts[at], "after %u", at + 1);
    }
    for (unsigned at = 0; at < 15; at++) {
        snprintf(key, sizeof key, "k%u", at);
        cr_assert(ca_slice_is(ca_string_map_get(&map, sip_key, ca_slice_of(key)), key + 1));
    }
    ca_string_map_release(&map);
    cr_assert_eq(map.slot_count, 0);
}

Test(string_map, keeps_the_last_value_of_a_key_without_growing) {
    struct ca_string_map map = {0};
    insert(&map, "a", "1");
    insert(&map, "b", "2");
    insert(&map, "c", "3");
    insert(&map, "a", "4");
    cr_assert_eq(map.slot_count, 4);
    cr_assert_eq(map.pair_count, 3);
    cr_assert(ca_slice_is(ca_string_map_get(&map, sip_key, ca_slice_of("a")), "4"));
    ca_string_map_release(&map);
}

Test(string_map, gives_the_empty_value_for_a_key_that_is_not_there) {
    struct ca_string_map map = {0};
    cr_assert(ca_slice_is(ca_string_map_get(&map, sip_key, ca_slice_of("a")), ""));
    insert(&map, "", "empty key");
    cr_assert(ca_slice_is(ca_string_map_get(&map, sip_key, ca_slice_of("a")), ""));
    cr_assert(ca_slice_is(ca_string_map_get(&map, sip_key, ca_slice_of("")), "empty key"));
    ca_string_map_release(&map);
}

/* "/v1/rerank qwen2.5-1.5b": 10 bytes, 1, then 12, so 10, 20 and 40. */
Test(owned_string, grows_to_the_first_piece_then_by_doubling) {
    struct ca_string string = {0};
    cr_assert(ca_string_append(&string, ca_slice_of("/v1/rerank")));
    cr_assert_eq(string.capacity_bytes, 10);
    cr_assert(ca_string_append(&string, ca_slice_of(" ")));
    cr_assert_eq(string.capacity_bytes, 20);
    cr_assert(ca_string_append(&string, ca_slice_of("qwen2.5-1.5b")));
    cr_assert_eq(string.capacity_bytes, 40);
    cr_assert(ca_slice_is(ca_string_slice(&string), "/v1/rerank qwen2.5-1.5b"));
    ca_string_release(&string);
}

Test(owned_string, has_eight_bytes_at_least_once_it_has_any) {
    struct ca_string string = {0};
    cr_assert(ca_string_append(&string, ca_slice_of("")));
    cr_assert_eq(string.capacity_bytes, 0);
    cr_assert(ca_string_append(&string, ca_slice_of("a")));
    cr_assert_eq(string.capacity_bytes, 8);
    cr_assert(ca_string_append(&string, ca_slice_of("0123456789012345678901234567890")));
    cr_assert_eq(string.capacity_bytes, 32);
    ca_string_release(&string);
}
