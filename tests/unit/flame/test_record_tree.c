/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "flame/folded_output.h"
#include "sites/record_picture.h"
#include "sites_record.h"
#include "writers/writers.h"

static struct sites_record made;
static struct ca_record_tree_options options;
static struct ca_stack_tree tree;
static struct ca_error err;
static char text[8192];
static size_t text_bytes;

static void begin(void) {
    sites_record_init(&made);
}

static void end(void) {
    ca_stack_tree_release(&tree);
}

TestSuite(record_tree, .init = begin, .fini = end);

static void keep(void *target, const char *bytes, size_t byte_count) {
    (void)target;
    for (size_t i = 0; i < byte_count && text_bytes + 1 < sizeof text; i++)
        text[text_bytes++] = bytes[i];
    text[text_bytes] = '\0';
}

static enum ca_status make(void) {
    ca_stack_tree_release(&tree);
    cr_assert_eq(ca_stack_tree_init(&tree, &err), CA_OK);
    enum ca_status status = ca_record_tree_add(&tree, &made.record, &options, "r.json", &err);
    if (status == CA_OK)
        cr_assert_eq(ca_stack_tree_finish(&tree, &err), CA_OK);
    return status;
}

static void expect(const char *expected) {
    struct ca_out out;
    cr_assert_eq(make(), CA_OK, "%s", err.message);
    text_bytes = 0;
    ca_out_init(&out, keep, NULL);
    cr_assert_eq(ca_folded_write(&tree, CA_STACK_NEW, &out, &err), CA_OK);
    ca_out_flush(&out);
    cr_assert_str_eq(text, expected, "written:\n%s", text);
}

static void expect_error(const char *message) {
    cr_assert_eq(make(), CA_ERROR_INPUT);
    cr_assert_str_eq(err.message, message);
}

Test(record_tree, stacks_begin_with_their_phase_and_add_up_to_the_total) {
    expect("main;[no site] 1\n"
           "main;main 3\n"
           "scan;[cut];scan;[anonymous] 1\n"
           "scan;main;scan;grow 5\n"
           "scan;main;scan;tally_add;copy_key 12\n"
           "startup;libc.so.6+0x2f0a1 1\n");
    cr_assert_eq(tree.counted[CA_STACK_NEW], 23);
}

Test(record_tree, stacks_may_begin_with_the_outermost_function) {
    options.is_without_phase = true;
    expect("[cut];scan;[anonymous] 1\n"
           "[no site] 1\n"
           "libc.so.6+0x2f0a1 1\n"
           "main 3\n"
           "main;scan;grow 5\n"
           "main;scan;tally_add;copy_key 12\n");
}

Test(record_tree, bytes_add_up_to_the_total_too) {
    options.is_by_bytes = true;
    expect("main;[no site] 10\n"
           "main;main 300\n"
           "scan;[cut];scan;[anonymous] 64\n"
           "scan;main;scan;grow 500\n"
           "scan;main;scan;tally_add;copy_key 240\n"
           "startup;libc.so.6+0x2f0a1 72704\n");
    cr_assert_eq(tree.counted[CA_STACK_NEW], 73818);
}

Test(record_tree, samples_are_an_estimate) {
    cr_assert_not(ca_record_tree_is_estimate(&made.record, &options));
    options.is_sampled = true;
    cr_assert(ca_record_tree_is_estimate(&made.record, &options));
    expect("scan;main;scan;grow 6\n"
           "scan;main;scan;tally_add;copy_key 11\n");
}

Test(record_tree, a_record_without_sites_gives_its_samples) {
    made.record.stack_depth = 0;
    cr_assert(ca_record_tree_is_estimate(&made.record, &options));
    options.is_by_bytes = true;
    expect("scan;main;scan;grow 510\n"
           "scan;main;scan;tally_add;copy_key 220\n");
}

Test(record_tree, a_name_of_several_modules_has_the_module_behind_it) {
    made.functions[5] = (struct ca_record_function){"grow", "/src/malloc.c", 1};
    made.frames[4].functions = &made.functions[5];
    made.frames[4].function_count = 1;
    expect("main;[no site] 1\n"
           "main;main 3\n"
           "scan;[cut];scan;[anonymous] 1\n"
           "scan;main;scan;grow [logstat] 5\n"
           "scan;main;scan;tally_add;copy_key 12\n"
           "startup;grow [libc.so.6] 1\n");
}

Test(record_tree, names_are_made_fit_for_a_line) {
    made.functions[4].name = "f<a;b>\n 12";
    made.phases[2].name = "pass 2";
    expect("main;[no site] 1\n"
           "main;main 3\n"
           "pass_2;[cut];scan;[anonymous] 1\n"
           "pass_2;main;scan;f<a:b> _12 5\n"
           "pass_2;main;scan;tally_add;copy_key 12\n"
           "startup;libc.so.6+0x2f0a1 1\n");
}

Test(record_tree, what_was_not_measured_is_an_error) {
    made.record.stack_depth = 0;
    made.record.sample_bytes = 0;
    expect_error("'r.json' has no call stacks: measure them with 'countalloc run --stacks' (for "
                 "programs built with frame pointers) or '--sample' (an estimate, for any "
                 "program); '--sites' has the callers of the allocator");
    options.is_sampled = true;
    made.record.stack_depth = 8;
    expect_error("'r.json' has no samples: measure them with 'countalloc run --sample'");
}

Test(record_tree, a_picture_is_titled_by_what_it_counts) {
    struct ca_record_picture picture;
    ca_record_picture_init(&picture, &made.record, &options);
    cr_assert_str_eq(picture.style.title, "logstat: allocations");
    cr_assert_str_eq(picture.style.unit, "allocations");
    cr_assert_str_eq(picture.style.per, "line");
    cr_assert_eq(picture.style.per_count, 1000);
    options.is_by_bytes = options.is_sampled = true;
    made.record.total_units_count = 0;
    ca_record_picture_init(&picture, &made.record, &options);
    cr_assert_str_eq(picture.style.title, "logstat: estimated bytes");
    cr_assert_null(picture.style.per);
}

Test(record_tree, the_svg_of_a_record_gives_its_counts_per_unit) {
    struct ca_out out;
    text_bytes = 0;
    ca_out_init(&out, keep, NULL);
    cr_assert_eq(ca_write_svg(&made.record, &out, &err), CA_OK, "%s", err.message);
    cr_assert_not_null(
        strstr(text, "<desc>Flame graph of 23 allocations, 0.023 per line. A frame"));
    made.record.total.allocations = 0;
    made.record.site_count = 0;
    cr_assert_eq(ca_write_svg(&made.record, &out, &err), CA_ERROR_INPUT);
    cr_assert_str_eq(err.message, "'logstat' has no allocations to draw");
}
