/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "diff/function_stem.h"
#include "diff/site_diff.h"
#include "written_sites.h"

static struct written_sites before, after;
static struct ca_site_diff diff;

static void end(void) {
    ca_site_diff_release(&diff);
}

TestSuite(function_stem);
TestSuite(site_diff, .fini = end);

/* ---- names ---- */

static void assert_stem(const char *name, const char *wanted) {
    struct ca_byte_buffer stem = {0};
    cr_assert(ca_function_stem_add(&stem, name) && ca_byte_buffer_add(&stem, "", 1));
    cr_assert_str_eq(stem.bytes, wanted);
    ca_byte_buffer_release(&stem);
}

Test(function_stem, what_compilers_add_is_left_out) {
    assert_stem("parse.isra.0", "parse");
    assert_stem("parse.constprop.12", "parse");
    assert_stem("parse.part.1", "parse");
    assert_stem("parse.cold", "parse");
    assert_stem("parse.part.0.cold", "parse");
    assert_stem("parse.lto_priv.0", "parse");
    assert_stem("parse.isra.0.constprop.0.lto_priv.3", "parse");
    assert_stem("parse.llvm.1234567890", "parse");
    assert_stem("buffer.1234", "buffer");
    assert_stem("scan(std::string const&) [clone .isra.0]", "scan(std::string const&)");
    assert_stem("scan(int) [clone .part.0] [clone .cold]", "scan(int)");
    assert_stem("scan(int) (.isra.0)", "scan(int)");
    assert_stem("core::ptr::drop::h0123456789abcdef", "core::ptr::drop");
    assert_stem("logstat[0123456789abcdef]::tally::add", "logstat::tally::add");
    assert_stem("<a[0123456789abcdef]::T as b[fedcba9876543210]::U>::f", "<a::T as b::U>::f");
}

Test(function_stem, what_is_part_of_a_name_stays) {
    assert_stem("parse", "parse");
    assert_stem(".cold", ".cold");
    assert_stem("0", "0");
    assert_stem(".0", ".0");
    assert_stem("partition", "partition");
    assert_stem("operator new[](unsigned long)", "operator new[](unsigned long)");
    assert_stem("f(int (&) [8])", "f(int (&) [8])");
    assert_stem("make[abi:cxx11](int)", "make[abi:cxx11](int)");
    assert_stem("x::h0123", "x::h0123");
    assert_stem("x::h0123456789abcdeg", "x::h0123456789abcdeg");
    assert_stem("main.func1", "main.func1");
    assert_stem("", "");
}

/* ---- sites ---- */

static void compare_made(void) {
    struct ca_error err = {""};
    cr_assert_eq(ca_site_diff_init(&diff, &before.record, &after.record, "a.json", "b.json", &err),
                 CA_OK, "%s", err.message);
    /* Nothing is lost and nothing counted twice, whatever is compared. */
    int64_t sums[2] = {diff.same_allocations.before, diff.same_allocations.after};
    for (size_t i = 0; i < diff.site_count; i++) {
        sums[0] += diff.sites[i].allocations.before;
        sums[1] += diff.sites[i].allocations.after;
    }
    cr_assert_eq(sums[0], (int64_t)before.record.total.allocations);
    cr_assert_eq(sums[1], (int64_t)after.record.total.allocations);
    cr_assert_eq(diff.allocations.before, sums[0]);
    cr_assert_eq(diff.allocations.after, sums[1]);
    cr_assert_eq(diff.bytes_requested.before, (int64_t)before.record.total.bytes_requested);
    cr_assert_eq(diff.bytes_requested.after, (int64_t)after.record.total.bytes_requested);
}

static void compare(const char *old, const char *new) {
    written_sites_init(&before, old);
    written_sites_init(&after, new);
    compare_made();
}

/* "new main/copy parse.c:10 0->5; " for each row, and how many are the same. */
static const char *rows(void) {
    static char text[4096];
    size_t length = 0;
    for (size_t i = 0; i < diff.site_count; i++) {
        const struct ca_changed_site *site = &diff.sites[i];
        length += (size_t)snprintf(
            text + length, sizeof text - length, "%s %s/%s %s:%u %lld->%lld%s; ",
            ca_site_change_name(site->change), site->phase, site->function,
            site->file != NULL ? site->file : "", site->line, (long long)site->allocations.before,
            (long long)site->allocations.after, site->is_guess ? " guess" : "");
    }
    snprintf(text + length, sizeof text - length, "same %zu", diff.counts[CA_SITE_SAME]);
    return text;
}

#define ASSERT_ROWS(old, new, wanted)                                                              \
    do {                                                                                           \
        compare(old, new);                                                                         \
        cr_assert_str_eq(rows(), wanted);                                                          \
    } while (0)

Test(site_diff, equal_records_do_not_differ) {
    ASSERT_ROWS("scan 5/50 copy@a.c:10\nmain 1/8 -", "scan 5/50 copy@a.c:10\nmain 1/8 -", "same 2");
    cr_assert_not(diff.is_different);
    cr_assert_eq(diff.note_count, 0);
}

Test(site_diff, new_then_grown_then_shrunk_then_gone_each_the_largest_first) {
    ASSERT_ROWS("s 5/1 a@x.c:1\ns 5/1 b@x.c:2\ns 90/1 c@x.c:3\ns 9/1 d@x.c:4\ns 1000/1 e@x.c:5",
                "s 6/1 a@x.c:1\ns 8/1 b@x.c:2\ns 1/1 c@x.c:3\ns 9/1 d@x.c:4\ns 1/1 f@x.c:6\n"
                "s 2/1 g@x.c:7",
                "new s/g x.c:7 0->2; new s/f x.c:6 0->1; grown s/b x.c:2 5->8; grown s/a x.c:1 "
                "5->6; shrunk s/c x.c:3 90->1; gone s/e x.c:5 1000->0; same 1");
}

Test(site_diff, bytes_alone_are_a_change) {
    ASSERT_ROWS("s 5/50 a@x.c:1\ns 5/50 b@x.c:2", "s 5/51 a@x.c:1\ns 5/40 b@x.c:2",
                "grown s/a x.c:1 5->5; shrunk s/b x.c:2 5->5; same 0");
}

Test(site_diff, a_moved_line_is_the_same_site) {
    ASSERT_ROWS("s 5/50 a@x.c:10", "s 5/50 a@x.c:90", "same 1");
}

Test(site_diff, a_moved_folder_is_the_same_file) {
    ASSERT_ROWS("s 5/50 a@/build/1/x.c:10", "s 5/50 a@../src/x.c:10", "same 1");
}

Test(site_diff, one_name_in_two_files_is_two_functions) {
    ASSERT_ROWS("s 5/50 init@x.c:10", "s 5/50 init@y.c:10",
                "new s/init y.c:10 0->5; gone s/init x.c:10 5->0; same 0");
}

Test(site_diff, a_file_that_only_one_record_knows_does_not_matter) {
    ASSERT_ROWS("s 5/50 a\ns 2/2 b@x.c:3", "s 5/50 a@x.c:10\ns 3/2 b@x.c:3",
                "grown s/b x.c:3 2->3; same 1");
}

Test(site_diff, a_phase_of_its_own_is_a_site_of_its_own) {
    ASSERT_ROWS("s 5/50 a@x.c:10", "t 5/50 a@x.c:10",
                "new t/a x.c:10 0->5; gone s/a x.c:10 5->0; same 0");
}

Test(site_diff, a_rebuild_makes_nothing_new) {
    ASSERT_ROWS("s 5/50 a.isra.0@x.c:10 < main@m.c:5\ns 7/7 k::f::h0123456789abcdef@k.rs:1",
                "s 5/50 a.constprop.0.cold@x.c:11 < main@m.c:6\n"
                "s 7/7 k::f::hfedcba9876543210@k.rs:2",
                "same 2");
}

/* ---- several sites of one function ---- */

Test(site_diff, lines_of_one_function_are_paired_in_their_order) {
    ASSERT_ROWS("s 5/1 a@x.c:10\ns 7/1 a@x.c:20", "s 6/1 a@x.c:13\ns 9/1 a@x.c:25",
                "grown s/a x.c:25 7->9; grown s/a x.c:13 5->6; same 0");
}

Test(site_diff, a_line_more_in_the_middle_is_the_new_one) {
    ASSERT_ROWS("s 5/1 a@x.c:10\ns 700/1 a@x.c:20",
                "s 5/1 a@x.c:10\ns 40/1 a@x.c:15\ns 700/1 a@x.c:26",
                "new s/a x.c:15 0->40; same 2");
}

Test(site_diff, a_line_more_above_is_the_new_one) {
    ASSERT_ROWS("s 5/1 a@x.c:10\ns 6/1 a@x.c:11", "s 9/1 a@x.c:10\ns 5/1 a@x.c:11\ns 6/1 a@x.c:12",
                "new s/a x.c:10 0->9; same 2");
}

Test(site_diff, between_equal_changes_the_same_line_decides) {
    ASSERT_ROWS("s 5/1 a@x.c:20", "s 5/1 a@x.c:10\ns 5/1 a@x.c:20", "new s/a x.c:10 0->5; same 1");
    end();
    ASSERT_ROWS("s 5/1 a@x.c:10", "s 5/1 a@x.c:10\ns 5/1 a@x.c:20", "new s/a x.c:20 0->5; same 1");
}

Test(site_diff, a_line_less_is_gone) {
    ASSERT_ROWS("s 5/1 a@x.c:10\ns 6/1 a@x.c:11\ns 7/1 a@x.c:12", "s 5/1 a@x.c:10\ns 7/1 a@x.c:11",
                "gone s/a x.c:11 6->0; same 2");
}

Test(site_diff, two_addresses_of_one_line_are_one_site) {
    ASSERT_ROWS("s 5/1 a@x.c:10\ns 6/1 a@x.c:10", "s 11/2 a@x.c:10", "same 1");
}

/* ---- callers ---- */

Test(site_diff, another_caller_is_another_site) {
    ASSERT_ROWS("s 5/1 xmalloc@m.c:3 < parse@x.c:1 < main@m.c:9",
                "s 5/1 xmalloc@m.c:3 < parse@x.c:1 < main@m.c:9\n"
                "s 2/1 xmalloc@m.c:3 < load@y.c:1 < main@m.c:9",
                "new s/xmalloc m.c:3 0->2; same 1");
    cr_assert_eq(diff.sites[0].caller_count, 2);
    cr_assert_str_eq(diff.sites[0].callers[0], "load");
    cr_assert_str_eq(diff.sites[0].callers[1], "main");
}

Test(site_diff, what_was_inlined_and_is_called_now_is_the_same) {
    ASSERT_ROWS("s 5/1 copy@x.c:3 | parse@x.c:20 | main@m.c:9", "s 5/1 copy@x.c:3", "same 1");
    end();
    ASSERT_ROWS("s 5/1 copy@x.c:3", "s 5/1 copy@x.c:3 | parse@x.c:20", "same 1");
    end();
    ASSERT_ROWS("s 5/1 copy@x.c:3 | parse@x.c:20 < main@m.c:9",
                "s 5/1 copy@x.c:3 < parse@x.c:20 < main@m.c:9", "same 1");
}

Test(site_diff, one_call_may_come_of_several_inlined_ones) {
    ASSERT_ROWS("s 5/1 copy@x.c:3 | parse@x.c:20\ns 6/1 copy@x.c:3 | load@x.c:30",
                "s 13/2 copy@x.c:3", "grown s/copy x.c:3 11->13; same 0");
}

Test(site_diff, a_part_that_is_inlined_now_is_no_new_site) {
    ASSERT_ROWS("s 100/1 copy@x.c:3", "s 60/1 copy@x.c:3\ns 40/0 copy@x.c:3 | load@x.c:30",
                "same 1");
    end();
    ASSERT_ROWS("s 60/1 copy@x.c:3\ns 40/0 copy@x.c:3 | load@x.c:30",
                "s 100/1 copy@x.c:3 | load@x.c:30", "same 1");
}

Test(site_diff, a_new_place_of_inlining_is_new_when_nothing_shrank) {
    ASSERT_ROWS("s 100/1 xmalloc@x.c:3", "s 100/1 xmalloc@x.c:3\ns 40/1 xmalloc@x.c:3 | load@x.c:9",
                "new s/xmalloc x.c:3 0->40; same 1");
    cr_assert_str_eq(diff.sites[0].callers[0], "load");
}

Test(site_diff, a_stack_that_is_walked_further_now_is_no_new_site) {
    ASSERT_ROWS("s 100/1 xmalloc@x.c:3\ns 5/1 xmalloc@x.c:3 < a@a.c:1",
                "s 60/0 xmalloc@x.c:3\ns 5/1 xmalloc@x.c:3 < a@a.c:1\n"
                "s 40/1 xmalloc@x.c:3 < load@y.c:9",
                "same 2");
}

Test(site_diff, a_short_stack_explains_no_more_than_it_lost) {
    ASSERT_ROWS("s 99/1 xmalloc@x.c:3\ns 5/1 xmalloc@x.c:3 < a@a.c:1",
                "s 60/1 xmalloc@x.c:3\ns 5/1 xmalloc@x.c:3 < a@a.c:1\n"
                "s 40/1 xmalloc@x.c:3 < load@y.c:9",
                "new s/xmalloc x.c:3 0->40; shrunk s/xmalloc x.c:3 99->60; same 1");
}

Test(site_diff, sites_against_stacks_go_as_far_as_both_do) {
    ASSERT_ROWS("s 11/2 copy@x.c:3", "s 5/1 copy@x.c:3 < a@a.c:1\ns 7/1 copy@x.c:3 < b@b.c:1",
                "grown s/copy x.c:3 11->12; same 0");
    cr_assert_str_eq(diff.notes[0], "the old record has call sites, the other one stacks: a site "
                                    "there is all of the stacks that end in it");
}

Test(site_diff, how_deep_a_function_calls_itself_does_not_matter) {
    ASSERT_ROWS("s 5/1 walk@x.c:3 < walk@x.c:9 < main@m.c:1",
                "s 2/0 walk@x.c:3 < main@m.c:1\ns 3/1 walk@x.c:3 < walk@x.c:9 < walk@x.c:9 < "
                "main@m.c:1",
                "same 1");
}

/* ---- without functions ---- */

Test(site_diff, one_build_is_compared_by_address) {
    written_sites_init(&before, "s 5/1 libx.so+0x10\ns 6/1 libx.so+0x20");
    written_sites_init(&after, "s 6/1 libx.so+0x20\ns 5/1 libx.so+0x28");
    written_sites_build(&before, "libx.so", (const uint8_t *)"1");
    written_sites_build(&after, "libx.so", (const uint8_t *)"1");
    compare_made();
    cr_assert_str_eq(rows(), "new s/libx.so+0x28 :0 0->5; gone s/libx.so+0x10 :0 5->0; same 1");
    cr_assert_eq(diff.note_count, 0);
}

Test(site_diff, another_build_is_paired_by_order_and_says_so) {
    written_sites_init(&before, "s 5/1 libx.so+0x10\ns 600/1 libx.so+0x20");
    written_sites_init(&after, "s 5/1 libx.so+0x18\ns 9/1 libx.so+0x20\ns 601/1 libx.so+0x3f");
    written_sites_build(&before, "libx.so", (const uint8_t *)"1");
    written_sites_build(&after, "libx.so", (const uint8_t *)"2");
    compare_made();
    cr_assert_str_eq(rows(), "new s/libx.so+0x20 :0 0->9; grown s/libx.so+0x3f :0 600->601 guess; "
                             "same 1");
    cr_assert_eq(diff.note_count, 1);
    cr_assert_str_eq(diff.notes[0],
                     "libx.so: functions without a name, and it was built anew, so that addresses "
                     "mean nothing: their sites are paired by their order and counts, which is a "
                     "guess; a build with symbols can be compared by name");
}

Test(site_diff, without_a_build_id_nobody_knows_whether_it_is_the_same_build) {
    ASSERT_ROWS("s 5/1 libx.so+0x10", "s 6/1 libx.so+0x10",
                "grown s/libx.so+0x10 :0 5->6 guess; same 0");
    cr_assert_not_null(strstr(diff.notes[0], "no build id says whether it is the same build"));
}

Test(site_diff, the_program_is_the_program_whatever_its_file_is_called) {
    written_sites_init(&before, "s 5/1 program+0x10");
    written_sites_init(&after, "s 5/1 program+0x30");
    before.record.executable = before.modules[0].path = "/old/p-1.0";
    after.record.executable = after.modules[0].path = "/new/p-1.1";
    compare_made();
    cr_assert_str_eq(rows(), "same 1");
    cr_assert_eq(diff.note_count, 1);
}

Test(site_diff, a_module_of_one_record_only_is_no_guess) {
    ASSERT_ROWS("s 5/1 a@x.c:1", "s 5/1 a@x.c:1\ns 2/1 liby.so+0x1\ns 3/1 liby.so+0x2",
                "new s/liby.so+0x2 :0 0->3; new s/liby.so+0x1 :0 0->2; same 1");
    cr_assert_eq(diff.note_count, 0);
}

Test(site_diff, code_made_at_run_time_is_one_place) {
    ASSERT_ROWS("s 5/1 ?\ns 3/1 ? < main@m.c:2", "s 7/1 ?\ns 3/1 ? < main@m.c:9",
                "grown s/[anonymous] :0 5->7; same 1");
}

Test(site_diff, symbols_of_one_record_only_are_missed_aloud) {
    ASSERT_ROWS("s 5/1 a@x.c:1", "s 5/1 program+0x10",
                "new s/program+0x10 :0 0->5; gone s/a x.c:1 5->0; same 0");
    cr_assert_str_eq(diff.notes[0], "program: functions have names in the old record only, so that "
                                    "its sites match none of the other: keep symbols for both");
}

/* ---- the rest ---- */

Test(site_diff, something_that_allocates_for_others_is_said_with_what_helps) {
    compare("s 5/1 xmalloc@x.c:1", "s 6/1 xmalloc@x.c:1");
    cr_assert_str_eq(diff.notes[0],
                     "by its name xmalloc allocates for others: '--stacks' shows them where code "
                     "has frame pointers, 'countalloc run --sample' estimates them for any "
                     "program");
    end();
    compare("s 5/1 xmalloc@x.c:1\ns 1/1 a@x.c:2 < b@x.c:3",
            "s 6/1 xmalloc@x.c:1\ns 1/1 a@x.c:2 < b@x.c:3");
    cr_assert_str_eq(diff.notes[0],
                     "by its name xmalloc allocates for others: 'countalloc run --sample' "
                     "estimates them where code has no frame pointers");
    end();
    compare("s 5/1 xmalloc@x.c:1 < parse@x.c:9", "s 6/1 xmalloc@x.c:1 < parse@x.c:9");
    cr_assert_eq(diff.note_count, 0);
}

Test(site_diff, sites_that_do_not_add_up_are_said) {
    struct ca_error err = {""};
    written_sites_init(&before, "s 5/1 a@x.c:1");
    written_sites_init(&after, "s 5/1 a@x.c:1");
    after.record.total.allocations = 4;
    cr_assert_eq(ca_site_diff_init(&diff, &before.record, &after.record, "a", "b", &err), CA_OK);
    cr_assert_str_eq(diff.notes[0],
                     "the sites of the new record have 5 allocations, its total is 4");
}

Test(site_diff, units_of_a_phase_and_of_the_total) {
    struct ca_unit_pair units[2 * CA_UNIT_CAPACITY];
    written_sites_init(&before, "s 5/1 a@x.c:1");
    written_sites_init(&after, "s 5/1 a@x.c:1");
    before.phases[0].units[0] = (struct ca_units){"line", 10};
    before.phases[0].units_count = 1;
    after.record.total_units[0] = (struct ca_units){"row", 7};
    after.record.total_units_count = 1;
    compare_made();
    cr_assert_eq(ca_site_units(&diff, "s", units), 1);
    cr_assert(strcmp(units[0].name, "line") == 0 && units[0].before == 10 && units[0].after == 0);
    cr_assert_eq(ca_site_units(&diff, NULL, units), 1);
    cr_assert(strcmp(units[0].name, "row") == 0 && units[0].before == 0 && units[0].after == 7);
    cr_assert_eq(ca_site_units(&diff, "t", units), 0);
}

static void assert_refused(uint32_t of_before, uint32_t of_after, const char *wanted) {
    struct ca_error err = {""};
    written_sites_init(&before, "s 5/1 a@x.c:1");
    written_sites_init(&after, "s 5/1 a@x.c:1");
    before.record.stack_depth = of_before;
    after.record.stack_depth = of_after;
    cr_assert_eq(ca_site_diff_init(&diff, &before.record, &after.record, "a.json", "b.json", &err),
                 CA_ERROR_INPUT);
    cr_assert_str_eq(err.message, wanted);
}

Test(site_diff, a_record_without_sites_is_refused_with_what_to_do) {
    assert_refused(0, 1,
                   "'a.json' has no call sites: record it again with 'countalloc run --sites -o "
                   "FILE', or compare by phase");
    assert_refused(8, 0,
                   "'b.json' has no call sites: record it again with 'countalloc run --stacks -o "
                   "FILE', or compare by phase");
    assert_refused(0, 0,
                   "neither 'a.json' nor 'b.json' has call sites: record both again with "
                   "'countalloc run --sites -o FILE', or compare by phase");
}

Test(site_diff, alone_every_site_is_a_row) {
    struct ca_error err = {""};
    written_sites_init(&after, "s 5/1 a@x.c:1\ns 9/1 b@x.c:2\ns 2/1 -");
    cr_assert_eq(ca_site_diff_init_alone(&diff, &after.record, &err), CA_OK);
    cr_assert_str_eq(rows(), "new s/b x.c:2 0->9; new s/a x.c:1 0->5; new s/[no site] :0 0->2; "
                             "same 0");
    cr_assert_eq(diff.note_count, 0);
}
