/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/repeat_spread.h"

static struct ca_repeat_spread spread;
static struct ca_record record;
static struct ca_record_phase phases[2];
static struct ca_share shares[2];

/* A program of phases "a" (threads 1 and 2) and "b" (thread 1). */
static void begin(void) {
    record = (struct ca_record){.phases = phases, .phase_count = 2, .has_exit_status = true};
    phases[0] =
        (struct ca_record_phase){.name = "a", .opened = 1, .shares = shares, .share_count = 2};
    phases[1] = (struct ca_record_phase){
        .name = "b \"quoted\"", .opened = 1, .shares = shares, .share_count = 1};
    shares[0] = (struct ca_share){.thread = 1, .opened = 1};
    shares[1] = (struct ca_share){.thread = 2, .is_adopted = true};
}

static void end(void) {
    ca_repeat_spread_release(&spread);
}

TestSuite(repeat_spread, .init = begin, .fini = end);

static void add(uint64_t of_second_thread) {
    shares[1].counts.allocations = of_second_thread;
    phases[0].counts.allocations = of_second_thread;
    record.total.allocations = of_second_thread;
    cr_assert_eq(ca_repeat_spread_add(&spread, &record, NULL), CA_OK);
}

struct text {
    char bytes[16384];
    size_t length;
};

static void keep(void *target, const char *bytes, size_t byte_count) {
    struct text *text = target;
    cr_assert_lt(text->length + byte_count, sizeof text->bytes);
    memcpy(text->bytes + text->length, bytes, byte_count);
    text->length += byte_count;
    text->bytes[text->length] = '\0';
}

static const char *written(void (*write)(const struct ca_repeat_spread *, struct ca_out *)) {
    static struct text text;
    struct ca_out out;
    text.length = 0;
    ca_out_init(&out, keep, &text);
    write(&spread, &out);
    ca_out_flush(&out);
    return text.bytes;
}

Test(repeat_spread, same_runs_are_identical) {
    add(5);
    add(5);
    cr_assert(ca_repeat_spread_is_identical(&spread));
    cr_assert_str_eq(written(ca_repeat_spread_write_text), "2 runs: identical\n");
}

Test(repeat_spread, the_phase_and_the_thread_are_named_with_lowest_and_highest) {
    add(7);
    add(5);
    add(6);
    cr_assert_str_eq(written(ca_repeat_spread_write_text),
                     "3 runs: not identical; lowest and highest of what differed:\n"
                     "  phase 'a'\n"
                     "    allocations        5 to 7\n"
                     "  phase 'a', thread 2 (adopted)\n"
                     "    allocations        5 to 7\n"
                     "  total\n"
                     "    allocations        5 to 7\n");
}

Test(repeat_spread, a_phase_that_is_not_always_there_counts_as_0_where_it_is_not) {
    add(5);
    record.phase_count = 1;
    add(5);
    record.phase_count = 2;
    add(5);
    cr_assert_str_eq(written(ca_repeat_spread_write_text),
                     "3 runs: not identical; lowest and highest of what differed:\n"
                     "  phase 'b \"quoted\"', in 2 of 3 runs\n"
                     "    opened             0 to 1\n");
}

Test(repeat_spread, a_phase_that_comes_late_counts_as_0_before) {
    record.phase_count = 1;
    add(5);
    record.phase_count = 2;
    phases[1].counts.allocations = 9;
    add(5);
    cr_assert_not_null(strstr(written(ca_repeat_spread_write_text),
                              "  phase 'b \"quoted\"', in 1 of 2 runs\n"
                              "    allocations        0 to 9\n"));
}

Test(repeat_spread, a_peak_differs_only_beyond_its_error) {
    record.total = (struct ca_counts){.has_peak = true, .bytes_peak = 1000, .bytes_peak_error = 50};
    cr_assert_eq(ca_repeat_spread_add(&spread, &record, NULL), CA_OK);
    record.total.bytes_peak = 1100;
    cr_assert_eq(ca_repeat_spread_add(&spread, &record, NULL), CA_OK);
    cr_assert(ca_repeat_spread_is_identical(&spread));
    record.total.bytes_peak = 1101;
    cr_assert_eq(ca_repeat_spread_add(&spread, &record, NULL), CA_OK);
    cr_assert_not(ca_repeat_spread_is_identical(&spread));
}

Test(repeat_spread, endings_that_differ_are_a_difference) {
    add(5);
    record.has_exit_status = false;
    record.signal = 11;
    add(5);
    cr_assert_not_null(
        strstr(written(ca_repeat_spread_write_text), "    exit status        0 to 139\n"));
}

Test(repeat_spread, json_is_json) {
    add(5);
    record.phase_count = 1;
    add(6);
    char whole[20000];
    snprintf(whole, sizeof whole, "{%s}", written(ca_repeat_spread_write_json));
    json_error_t error;
    json_t *root = json_loads(whole, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(root, "%s\n%s", error.text, whole);
    const json_t *rows = json_object_get(json_object_get(root, "repeat"), "different");
    cr_assert_eq(json_array_size(rows), 4);
    const char *name = json_string_value(json_object_get(json_array_get(rows, 3), "phase"));
    cr_assert_str_eq(name, "b \"quoted\"");
    json_decref(root);
}
