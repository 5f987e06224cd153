/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sites/site_notes.h"
#include "sites_record.h"

static struct sites_record made;
static struct ca_site_report report;
static struct ca_site_report_options options;
static struct ca_error err;
static char text[65536];
static size_t text_bytes;

static void begin(void) {
    sites_record_init(&made);
    made.record.sample_bytes = 0;
    options = (struct ca_site_report_options){.top_count = CA_SITE_ROWS_SHOWN};
}

static void end(void) {
    ca_site_report_release(&report);
}

TestSuite(site_report, .init = begin, .fini = end);

static void keep(void *target, const char *bytes, size_t byte_count) {
    (void)target;
    cr_assert_lt(text_bytes + byte_count, sizeof text);
    memcpy(text + text_bytes, bytes, byte_count);
    text_bytes += byte_count;
    text[text_bytes] = '\0';
}

static const char *written(const char *format_name) {
    const struct ca_site_format *format;
    struct ca_out out;
    text_bytes = 0;
    ca_site_report_release(&report);
    cr_assert_eq(ca_site_format_find(format_name, &format, &err), CA_OK);
    cr_assert_eq(ca_site_report_init(&report, &made.record, &options, "r.json", &err), CA_OK, "%s",
                 err.message);
    ca_out_init(&out, keep, NULL);
    cr_assert_eq(format->write(&report, &out, &err), CA_OK);
    ca_out_flush(&out);
    return text;
}

static void expect(const char *expected) {
    const char *is = written("text");
    cr_assert_str_eq(is, expected, "written:\n%s\nexpected:\n%s", is, expected);
}

static void expect_in(const char *expected) {
    const char *is = written("text");
    cr_assert_not_null(strstr(is, expected), "written:\n%s\nexpected in it:\n%s", is, expected);
}

static void expect_not_in(const char *unexpected) {
    const char *is = written("text");
    cr_assert_null(strstr(is, unexpected), "written:\n%s\nunexpected:\n%s", is, unexpected);
}

static void expect_error(enum ca_status status, const char *message) {
    cr_assert_eq(ca_site_report_init(&report, &made.record, &options, "r.json", &err), status);
    cr_assert_str_eq(err.message, message);
}

Test(site_report, rows_with_most_first_add_up_to_the_total) {
    expect(
        "countalloc: logstat\n"
        "23 allocations and 73,818 bytes requested, by the place that allocated and its "
        "callers\n"
        "\n"
        "phase    allocations  per line  share  bytes requested  site                 called by\n"
        "scan              12     0.012  52.2%              240  copy_key tally.c:41  tally_add:60 "
        "< scan:88 < main:200\n"
        "scan               5     0.005  21.7%              500  grow table.c:30      scan:88 < "
        "main:200\n"
        "main               3     0.003  13.0%              300  main logstat.c:200\n"
        "startup            1     0.001   4.3%           72,704  libc.so.6+0x2f0a1\n"
        "scan               1     0.001   4.3%               64  [anonymous]          scan:88\n"
        "main               1     0.001   4.3%               10  [no site]\n"
        "                  23     0.023   100%           73,818  total\n"
        "\n"
        "note: no site: 1 allocation (4.3%), counted without their place\n"
        "note: stacks of one frame: 4 allocations (17.4%), where the code has no frame "
        "pointers: '--sample' estimates who calls it\n"
        "note: cut stacks: 1 allocation (4.3%), which go on above the 8 frames that were taken: "
        "'--stacks=DEPTH' takes more\n");
}

Test(site_report, rows_beyond_the_top_are_one_line) {
    options.top_count = 2;
    expect_in(
        "scan             5     0.005  21.7%              500  grow table.c:30      scan:88 < "
        "main:200\n"
        "                 6     0.006  26.1%           73,078  4 more\n"
        "                23     0.023   100%           73,818  total\n");
}

Test(site_report, a_single_row_is_not_summed_up) {
    options.top_count = 5;
    expect_not_in("1 more");
    options.top_count = 4;
    expect_in("2 more");
}

Test(site_report, stacks_that_look_the_same_are_one_row) {
    made.frames[3] = made.frames[0];
    expect_in("scan              17     0.017  73.9%              740  copy_key tally.c:41");
    made.functions[5] = (struct ca_record_function){"copy_key", "/src/tally.c", 42};
    made.frames[3].functions = &made.functions[5];
    made.frames[3].function_count = 1;
    expect_in("  copy_key tally.c:42  scan:88 < main:200\n");
}

Test(site_report, a_function_that_calls_itself_is_one_caller) {
    static const uint32_t frames[] = {3, 1, 1, 1, 2};
    made.sites[SITE_GROW].frames = frames;
    made.sites[SITE_GROW].frame_count = 5;
    expect_in("  grow table.c:30      scan:88 < main:200\n");
}

Test(site_report, callers_of_a_language_s_library_are_left_out) {
    static const struct {
        const char *name;
        bool is_left_out;
    } callers[] = {
        {"std::vector<int, std::allocator<int> >::push_back(int const&)", true},
        {"void std::vector<int>::_M_realloc_insert<int const&>(int)", true},
        {"operator new(unsigned long)", true},
        {"alloc::raw_vec::finish_grow", true},
        {"<alloc::vec::Vec<T>>::push", true},
        {"<str as alloc::borrow::ToOwned>::to_owned", true},
        {"<&mut alloc::string::String as core::fmt::Write>::write_fmt", true},
        {"<app::Key as core::clone::Clone>::clone", false},
        {"<app::Key as app::Named>::name", false},
        {"app::fill(std::vector<int>&)", false},
        {"std::map<int, int> app::index(int)", false},
        {"standard", false},
    };
    static const uint32_t frames[] = {3, 5, 1, 2};
    made.sites[SITE_GROW].frames = frames;
    made.sites[SITE_GROW].frame_count = 4;
    made.sites[SITE_ANONYMOUS].frames = &frames[2];
    made.sites[SITE_ANONYMOUS].frame_count = 1;
    for (size_t i = 0; i < sizeof callers / sizeof callers[0]; i++) {
        char shown[128];
        made.functions[7] = (struct ca_record_function){callers[i].name, "/src/x.c", 7};
        made.frames[5] = (struct ca_record_frame){
            .module = 0, .offset = 1, .functions = &made.functions[7], .function_count = 1};
        snprintf(shown, sizeof shown, "grow table.c:30      %s", "scan:88 < main:200");
        if (callers[i].is_left_out)
            expect_in(shown);
        else
            expect_not_in(shown);
    }
}

Test(site_report, units_are_the_phases_own_where_it_has_them) {
    made.record.total_units_count = 0;
    made.phases[2].units[0].unit_count = 7;
    expect_in("scan              12     1.714  52.2%");
    expect_in("main               3            13.0%");
    expect_in("\n                  23             100%");
}

Test(site_report, without_units_there_is_no_such_column) {
    made.record.total_units_count = 0;
    made.phases[2].units_count = 0;
    expect_not_in("per ");
}

Test(site_report, one_phase_needs_no_column) {
    made.phases[0].counts.allocations = made.phases[1].counts.allocations = 0;
    made.record.sites = &made.sites[SITE_COPY_KEY];
    made.record.site_count = 3;
    made.record.total.allocations = 18;
    expect_in("\nallocations  per line  share");
}

Test(site_report, sites_that_have_more_than_the_record_are_told_apart) {
    made.record.total.allocations = 21;
    made.record.total.bytes_requested = 73800;
    expect_in("                  -2                               -18  [counted in two phases]\n"
              "                  21     0.021   100%           73,800  total\n");
}

Test(site_report, a_part_below_a_function) {
    options.view = CA_SITES_UNDER;
    options.function = "tally_add";
    expect_in("12 of 23 allocations (52.2%) are made by tally_add or below, by the place that "
              "allocated\n"
              "\n"
              "allocations  per line  share  bytes requested  site                 called by\n"
              "         12     0.012   100%              240  copy_key tally.c:41  tally_add:60\n"
              "         12     0.012   100%              240  total\n");
}

Test(site_report, the_callers_of_a_function) {
    options.view = CA_SITES_ABOVE;
    options.function = "scan";
    expect_in("18 of 23 allocations (78.3%) are made by scan or below, by its callers\n"
              "\n"
              "allocations  per line  share  bytes requested  caller\n"
              "         17     0.017  94.4%              740  main logstat.c:200\n"
              "          1     0.001   5.6%               64  [no caller known]\n"
              "         18     0.018   100%              804  total\n");
}

Test(site_report, of_a_function_that_calls_itself_the_outermost_call_counts) {
    static const uint32_t frames[] = {3, 1, 3, 1, 2};
    made.sites[SITE_GROW].frames = frames;
    made.sites[SITE_GROW].frame_count = 5;
    options.view = CA_SITES_ABOVE;
    options.function = "grow";
    expect_in("          5     0.005   100%              500  scan v0_naive.c:88  main:200\n");
    options.view = CA_SITES_UNDER;
    expect_in(
        "          5     0.005   100%              500  grow table.c:30  scan:88 < grow:30\n");
}

Test(site_report, a_function_is_known_without_its_parameters) {
    cr_assert(ca_is_function_meant("ns::parse", "ns::parse(int, char const*)"));
    cr_assert(ca_is_function_meant("parse", "parse"));
    cr_assert_not(ca_is_function_meant("parse", "parser"));
    cr_assert_not(ca_is_function_meant("", "parse"));
    cr_assert_not(ca_is_function_meant("parse(int)", "parse"));
}

Test(site_report, a_function_that_is_not_there_is_an_error_with_those_near_to_it) {
    options.view = CA_SITES_UNDER;
    options.function = "scam";
    expect_error(CA_ERROR_USAGE, "there is no function 'scam' in the stacks; did you mean 'scan'");
    options.function = "nothing_like_it";
    expect_error(CA_ERROR_USAGE, "there is no function 'nothing_like_it' in the stacks");
}

Test(site_report, parts_need_stacks) {
    options.view = CA_SITES_UNDER;
    options.function = "scan";
    made.record.stack_depth = 1;
    expect_error(CA_ERROR_INPUT,
                 "'--under' needs stacks, and 'r.json' has the callers of the allocator only: "
                 "measure with 'countalloc run --stacks' (for programs built with frame pointers) "
                 "or '--sample' (an estimate, for any program)");
    made.record.sample_bytes = 1024;
    expect_in("about 17 of 23 allocations (73.9%) are made by scan or below, by the place that "
              "allocated: estimate from 5 samples of whole stacks, one in 1,024 bytes; the error "
              "of a figure from n samples is 1/sqrt(n)\n");
    cr_assert_not(report.has_sites);
}

Test(site_report, what_was_not_measured_is_said_with_the_option) {
    made.record.stack_depth = 0;
    expect_error(CA_ERROR_INPUT,
                 "'r.json' has no call sites, because they were not measured. Measure again with "
                 "an option: 'countalloc run --sites' counts by the place that allocates, "
                 "'--stacks' by place and callers (for programs built with frame pointers), "
                 "'--sample' estimates both for any program");
    made.record.level = CA_LEVEL_NONE;
    ca_record_note(&made.record, "it is statically linked");
    expect_error(CA_ERROR_INPUT, "'r.json': nothing was measured: it is statically linked");
}

Test(site_report, samples_are_an_estimate_with_its_error) {
    made.record.sample_bytes = 1024;
    expect_in(
        "estimate from 5 samples of whole stacks, one in 1,024 bytes; the error of a figure "
        "from n samples is 1/sqrt(n)\n"
        "\n"
        "allocations  error  per line  share  bytes requested  site                 called "
        "by\n"
        "         11   \xc2\xb1"
        "50%     0.011  64.7%              220  copy_key tally.c:41  tally_add:60 < scan:88 < "
        "main:200\n"
        "          6  \xc2\xb1"
        "100%     0.006  35.3%              510  grow table.c:30      scan:88 < main:200\n"
        "         17   \xc2\xb1"
        "45%     0.017   100%              730  total\n");
}

Test(site_report, a_wrapper_is_named_with_the_option_that_shows_its_callers) {
    static const uint32_t wrapper[] = {3};
    made.functions[4].name = "jv_mem_alloc";
    made.sites[SITE_COPY_KEY].frames = wrapper;
    made.sites[SITE_COPY_KEY].frame_count = 1;
    made.record.stack_depth = 1;
    expect_in("note: 66.7% of phase scan is allocated in one place, jv_mem_alloc, which by its "
              "name allocates for others: '--stacks' shows who calls it where the program has "
              "frame pointers, '--sample' estimates it for any program\n");
    made.record.stack_depth = 8;
    expect_in("allocates for others: its code has no frame pointers, so '--sample' is what shows "
              "who calls it\n");
    made.record.sample_bytes = 1024;
    expect_in("allocates for others: the estimate from whole stacks below shows who calls it\n");
    made.functions[4].name = "grow";
    expect_not_in("for others");
    made.frames[3].function_count = 0;
    expect_in("note: 66.7% of phase scan is allocated in one place without a symbol, "
              "logstat+0x1500; if that allocates for others: ");
}

Test(site_report, less_than_half_is_no_wrappers_share) {
    static const uint32_t wrapper[] = {3};
    made.functions[4].name = "xmalloc";
    made.sites[SITE_COPY_KEY].frames = wrapper;
    made.sites[SITE_COPY_KEY].frame_count = 1;
    made.record.stack_depth = 1;
    made.sites[SITE_COPY_KEY].allocations = 9;
    expect_in("50.0% of phase scan is allocated in one place, xmalloc,");
    made.sites[SITE_COPY_KEY].allocations = 8;
    expect_not_in("for others");
}

Test(site_report, names_of_wrappers) {
    cr_assert(ca_is_wrapper_name("Perl_safesysmalloc"));
    cr_assert(ca_is_wrapper_name("sqlite3MemMalloc"));
    cr_assert(ca_is_wrapper_name("operator new(unsigned long)"));
    cr_assert(ca_is_wrapper_name("xstrdup"));
    cr_assert_not(ca_is_wrapper_name("copy_key"));
    cr_assert_not(ca_is_wrapper_name("operator"));
    cr_assert_not(ca_is_wrapper_name(""));
}

Test(site_report, markdown_has_the_same_table) {
    options.top_count = 1;
    made.record.site_count = 3;
    made.record.total.allocations = 5;
    made.record.total.bytes_requested = 73014;
    const char *is = written("md");
    cr_assert_not_null(
        strstr(is, "### logstat: allocations by call site\n\n"
                   "5 allocations and 73,014 bytes requested, by the place that allocated and its "
                   "callers\n\n"
                   "| phase | allocations | per line | share | bytes requested | site |\n"
                   "|---|---:|---:|---:|---:|---|\n"
                   "| main | 3 | 0.003 | 60.0% | 300 | main logstat.c:200 |\n"
                   "| | 2 | 0.002 | 40.0% | 72,714 | 2 more |\n"
                   "| | 5 | 0.005 | 100% | 73,014 | total |\n"),
        "%s", is);
}

Test(site_report, json_has_every_row) {
    options.top_count = 1;
    json_t *root = json_loads(written("json"), 0, NULL), *rows, *row;
    size_t i;
    json_int_t sum = 0;
    rows = json_object_get(json_object_get(root, "sites"), "rows");
    json_array_foreach(rows, i, row) sum += json_integer_value(json_object_get(row, "allocations"));
    cr_assert_eq(json_array_size(rows), 6);
    cr_assert_eq(sum, 23);
    row = json_array_get(rows, 0);
    cr_assert_str_eq(json_string_value(json_object_get(row, "function")), "copy_key");
    cr_assert_eq(json_integer_value(json_object_get(row, "line")), 41);
    cr_assert_eq(json_integer_value(json_object_get(row, "units")), 1000);
    cr_assert_eq(json_array_size(json_object_get(row, "callers")), 3);
    cr_assert(json_is_null(json_object_get(root, "samples")));
    cr_assert_eq(json_array_size(json_object_get(root, "notes")), 3);
    json_decref(root);
}

Test(site_report, shares_are_never_rounded_to_none_or_all) {
    char share[CA_SITE_NUMBER_SIZE];
    cr_assert_str_eq(ca_site_share(1, 3, share), "33.3%");
    cr_assert_str_eq(ca_site_share(0, 3, share), "0%");
    cr_assert_str_eq(ca_site_share(3, 3, share), "100%");
    cr_assert_str_eq(ca_site_share(1, 10000, share), "<0.1%");
    cr_assert_str_eq(ca_site_share(9999, 10000, share), ">99.9%");
    cr_assert_str_eq(ca_site_share(5, 10000, share), "0.1%");
    cr_assert_str_eq(ca_site_share(0, 0, share), "");
}
