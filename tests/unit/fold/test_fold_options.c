/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "data_file.h"
#include "folded_text.h"

static struct folded_text folded;

static void fold_data(const char *name, const struct ca_fold_options *options) {
    static struct data_file file;
    cr_assert(data_file_load(&file, name, "in"));
    folded_text_init(&folded, NULL, file.bytes, file.byte_count, name, options);
}

static void expect_text(const char *expected) {
    cr_assert_eq(folded.status, CA_OK, "%s", folded.err.message);
    cr_assert_str_eq(folded.text.bytes, expected);
    folded_text_release(&folded);
}

static void expect_error(enum ca_status status, const char *expected) {
    cr_assert_eq(folded.status, status);
    cr_assert_str_eq(folded.err.message, expected);
    cr_assert_eq(folded.text.byte_count, 0);
    folded_text_release(&folded);
}

Test(fold_options, one_event_of_perf_is_taken_without_a_note) {
    fold_data("perf-events", &(struct ca_fold_options){.event = "page-faults"});
    cr_assert_eq(folded.notes.note_count, 0);
    expect_text("app;main 1\n");
    fold_data("perf-events", &(struct ca_fold_options){.event = "sched:sched_switch"});
    expect_text("sh;read;__schedule_[k] 1\n");
}

Test(fold_options, an_event_is_known_without_its_modifier) {
    fold_data("perf-inlined", &(struct ca_fold_options){.event = "cpu-clock"});
    expect_text("app;main;work 1\napp;main;work;helper 2\n");
    fold_data("perf-single-line", &(struct ca_fold_options){.event = "cycles"});
    expect_text("dd;_dl_start 1\nfalse;[unknown]_[k] 1\n");
}

Test(fold_options, an_event_that_does_not_occur_is_an_error_that_lists_the_others) {
    fold_data("perf-events", &(struct ca_fold_options){.event = "cycle"});
    expect_error(
        CA_ERROR_INPUT,
        "'perf-events' has no samples of event 'cycle'; its events, with their samples: "
        "cycles (1), page-faults (1), sched:sched_switch (1), syscalls:sys_enter_read (1)");
}

Test(fold_options, periods_weigh_samples) {
    fold_data("perf-inlined", &(struct ca_fold_options){.is_by_period = true});
    expect_text("app;main;work 1003009\napp;main;work;helper 2006018\n");
}

Test(fold_options, a_period_is_known_without_its_event) {
    fold_data("perf-without-events", &(struct ca_fold_options){.is_by_period = true});
    expect_text("a_b_2;t 1002\na_b_2;t;work 1001001\n");
}

Test(fold_options, fields_behind_an_event_are_no_part_of_it) {
    fold_data("perf-fields-of-events", &(struct ca_fold_options){.event = "kfree"});
    cr_assert_eq(folded.notes.note_count, 0);
    expect_text("f 2\n");
}

Test(fold_options, a_sample_without_a_period_cannot_be_weighed) {
    fold_data("perf-events", &(struct ca_fold_options){.is_by_period = true});
    expect_error(CA_ERROR_INPUT,
                 "perf-events:7: this sample has no period; write it with 'perf script -F "
                 "comm,tid,time,period,event,ip,sym,dso'");
}

Test(fold_options, another_event_of_callgrind_is_taken) {
    fold_data("callgrind-recursion", &(struct ca_fold_options){.event = "Dr"});
    expect_text("main 4\nodd 2\n");
}

Test(fold_options, an_event_of_callgrind_is_added_up_over_parts_and_short_lines) {
    fold_data("callgrind-parts", &(struct ca_fold_options){.event = "Bc"});
    expect_text("main 1\nmain;qsort 4\n");
}

Test(fold_options, callgrind_names_its_events) {
    fold_data("callgrind-recursion", &(struct ca_fold_options){.event = "Dw"});
    expect_error(CA_ERROR_INPUT,
                 "callgrind-recursion:3: there is no event 'Dw' here, but these: Ir Dr");
}

Test(fold_options, options_that_mean_nothing_for_a_kind_are_refused) {
    fold_data("folded-merged", &(struct ca_fold_options){.event = "cycles"});
    expect_error(CA_ERROR_USAGE, "'--event' is not for folded stacks, which has no events");
    fold_data("callgrind-inlined", &(struct ca_fold_options){.is_by_period = true});
    expect_error(CA_ERROR_USAGE,
                 "'--weight period' is for perf script output, not for a callgrind file");
}

Test(fold_options, a_records_bytes_are_a_weight) {
    struct ca_fold_options options = {0};
    cr_assert_eq(ca_fold_take_weight(&options, "bytes", NULL), CA_OK);
    fold_data("record-stacks", &options);
    cr_assert_eq(folded.sum, 73818);
    expect_text("main;[no site] 10\n"
                "main;main 300\n"
                "scan;[cut];scan;[anonymous] 64\n"
                "scan;main;scan;grow 500\n"
                "scan;main;scan;tally_add;copy_key 240\n"
                "startup;libc.so.6+0x2f0a1 72704\n");
}

Test(fold_options, a_record_may_go_without_its_phases) {
    struct ca_fold_options options = {.record = {.is_without_phase = true}};
    fold_data("record-samples", &options);
    expect_text("main;scan;grow 6\nmain;scan;tally_add;copy_key 11\n");
}

Test(fold_options, weights_are_known_by_name) {
    struct ca_fold_options options = {0};
    struct ca_error err;
    cr_assert_eq(ca_fold_take_weight(&options, "period", &err), CA_OK);
    cr_assert(options.is_by_period && !options.has_record_options);
    cr_assert_eq(ca_fold_take_weight(&options, "allocations", &err), CA_OK);
    cr_assert(!options.is_by_period && options.has_record_options && !options.record.is_by_bytes);
    cr_assert_eq(ca_fold_take_weight(&options, "blocks", &err), CA_ERROR_USAGE);
    cr_assert_str_eq(
        err.message,
        "'--weight' is samples or period, of a record allocations or bytes, not 'blocks'");
}

Test(fold_options, options_of_records_and_of_profiles_do_not_mix) {
    fold_data("folded-merged", &(struct ca_fold_options){.has_record_options = true});
    expect_error(CA_ERROR_USAGE,
                 "'--weight allocations', '--weight bytes', '--sampled' and '--without-phases' are "
                 "for records, not for folded stacks");
    fold_data("record-stacks", &(struct ca_fold_options){.is_by_sample = true});
    expect_error(CA_ERROR_USAGE, "'--weight' of a record is allocations or bytes; '--sampled' "
                                 "takes its samples");
}

Test(fold_options, kinds_are_known_by_name) {
    const struct ca_fold_kind *kind = NULL;
    struct ca_error err;
    cr_assert_eq(ca_fold_kind_find("sample", &kind, &err), CA_OK);
    cr_assert_eq(kind, &ca_fold_sample);
    cr_assert_eq(ca_fold_kind_find("dtrace", &kind, &err), CA_ERROR_USAGE);
    cr_assert_str_eq(err.message,
                     "'--from' is one of perf, sample, callgrind, record, folded, not 'dtrace'");
}

Test(fold_options, folding_twice_changes_nothing) {
    static char once[DATA_FILE_SIZE];
    static const char *const names[] = {"perf-names", "perf-kernel", "sample-threads",
                                        "callgrind-inlined", "folded-merged"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        fold_data(names[i], NULL);
        cr_assert_eq(folded.status, CA_OK);
        memcpy(once, folded.text.bytes, folded.text.byte_count + 1);
        size_t byte_count = folded.text.byte_count;
        folded_text_release(&folded);
        folded_text_init(&folded, NULL, once, byte_count, names[i], NULL);
        cr_assert_eq(folded.text.byte_count, byte_count);
        expect_text(once);
    }
}
