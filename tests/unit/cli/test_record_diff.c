/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "diff/diff_report.h"

/* A record of phases "a" and "b" and nothing else. */
struct sample {
    struct ca_record record;
    struct ca_record_phase phases[2];
    struct ca_share shares[2];
    struct ca_record_thread threads[2];
};

static struct sample before, after;
static struct ca_record_diff diff;

static void fill(struct sample *sample) {
    sample->record = (struct ca_record){
        .version = "1",
        .rules = 1,
        .name = "p",
        .platform_key = "k",
        .is_attached = true,
        .level = CA_LEVEL_FULL,
        .is_complete = true,
        .has_exit_status = true,
        .phases = sample->phases,
        .phase_count = 2,
        .threads = sample->threads,
        .thread_count = 2,
    };
    sample->phases[0] = (struct ca_record_phase){
        .name = "a", .opened = 1, .shares = sample->shares, .share_count = 2};
    sample->phases[1] = (struct ca_record_phase){.name = "b", .opened = 1};
    sample->shares[0] = (struct ca_share){.thread = 1};
    sample->shares[1] = (struct ca_share){.thread = 2, .is_adopted = true};
    sample->threads[0] = (struct ca_record_thread){.number = 1};
    sample->threads[1] = (struct ca_record_thread){.number = 2, .name = "worker"};
}

static void begin(void) {
    fill(&before);
    fill(&after);
}

static void end(void) {
    ca_record_diff_release(&diff);
}

TestSuite(record_diff, .init = begin, .fini = end);

static void compare(void) {
    struct ca_error err = {""};
    cr_assert_eq(
        ca_record_diff_init(&diff, &before.record, &after.record, "a.json", "b.json", &err), CA_OK,
        "%s", err.message);
}

Test(record_diff, equal_records_do_not_differ) {
    compare();
    cr_assert_not(diff.is_different);
    cr_assert_eq(diff.phase_count, 0);
    cr_assert_eq(diff.same_count, 2);
    cr_assert_eq(diff.note_count, 0);
}

Test(record_diff, largest_change_first_whichever_way_it_goes) {
    before.phases[0].counts.allocations = 10;
    after.phases[1].counts.allocations = 3;
    compare();
    cr_assert_eq(diff.phase_count, 2);
    cr_assert_str_eq(diff.phases[0].name, "a");
    cr_assert_str_eq(diff.phases[1].name, "b");
}

Test(record_diff, phase_missing_on_the_right_counts_as_zero) {
    before.phases[1].counts.allocations = 3;
    after.record.phase_count = 1;
    compare();
    cr_assert_eq(diff.phase_count, 1);
    cr_assert_eq(diff.phases[0].change, CA_CHANGE_GONE);
    cr_assert_eq(diff.phases[0].figures[CA_COLUMN_ALLOCATIONS].before, 3);
    cr_assert_eq(diff.phases[0].figures[CA_COLUMN_ALLOCATIONS].after, 0);
}

Test(record_diff, a_phase_that_was_never_opened_is_not_there) {
    before.phases[1].opened = 0;
    compare();
    cr_assert_eq(diff.phases[0].change, CA_CHANGE_NEW);
}

Test(record_diff, only_the_thread_that_differs_is_named) {
    after.phases[0].counts.allocations = after.shares[1].counts.allocations = 5;
    compare();
    cr_assert_eq(diff.phases[0].thread_count, 1);
    char text[CA_DIFF_TEXT_SIZE];
    cr_assert_str_eq(ca_diff_thread(&diff.phases[0].threads[0], text),
                     "thread 2 'worker' (adopted)");
}

Test(record_diff, units_alone_are_a_difference) {
    before.phases[1].units[0] = (struct ca_units){"line", 10};
    before.phases[1].units_count = 1;
    after.phases[1].units[0] = (struct ca_units){"line", 20};
    after.phases[1].units_count = 1;
    compare();
    cr_assert(diff.is_different);
    cr_assert_eq(diff.phases[0].units[0].before, 10);
    cr_assert_eq(diff.phases[0].units[0].after, 20);
}

Test(record_diff, a_peak_differs_only_beyond_its_error) {
    before.record.total =
        (struct ca_counts){.has_peak = true, .bytes_peak = 100, .bytes_peak_error = 7};
    after.record.total = (struct ca_counts){.has_peak = true, .bytes_peak = 107};
    compare();
    cr_assert_not(diff.is_different);
    ca_record_diff_release(&diff);
    after.record.total.bytes_peak = 108;
    compare();
    cr_assert(diff.total.figures[CA_COLUMN_BYTES_PEAK].is_different);
}

Test(record_diff, what_was_not_measured_in_both_does_not_differ) {
    before.record.total = (struct ca_counts){.has_live = true, .bytes_live = 100};
    compare();
    cr_assert_not(diff.is_different);
    cr_assert_not(diff.total.figures[CA_COLUMN_BYTES_LIVE].is_known);
}

Test(record_diff, a_record_without_a_measurement_is_refused) {
    struct ca_error err = {""};
    after.record.level = CA_LEVEL_NONE;
    ca_record_note(&after.record, "it was static");
    cr_assert_eq(
        ca_record_diff_init(&diff, &before.record, &after.record, "a.json", "b.json", &err),
        CA_ERROR_INPUT);
    cr_assert_str_eq(err.message, "b.json: nothing was measured: it was static");
}

Test(record_diff, quotients_show_what_is_missing) {
    char text[CA_DIFF_TEXT_SIZE];
    const struct ca_figure_pair figure = {true, true, 3, 21};
    cr_assert_str_eq(ca_diff_quotients(&figure, &(struct ca_unit_pair){"line", 0, 10}, text),
                     "- -> 2.1 per line");
    cr_assert_str_eq(ca_diff_quotients(&figure, &(struct ca_unit_pair){"line", 0, 0}, text), "");
    cr_assert_str_eq(ca_diff_change(&figure, text), "+18");
}
