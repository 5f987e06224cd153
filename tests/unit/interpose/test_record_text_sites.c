/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "sites_record.h"

static struct sites_record made;
static char text[8192];
static size_t text_bytes;

static void begin(void) {
    sites_record_init(&made);
}

TestSuite(record_text_sites, .init = begin);

static void keep(void *target, const char *bytes, size_t byte_count) {
    (void)target;
    cr_assert_lt(text_bytes + byte_count, sizeof text);
    memcpy(text + text_bytes, bytes, byte_count);
    text_bytes += byte_count;
    text[text_bytes] = '\0';
}

static void expect(const char *expected) {
    struct ca_out out;
    text_bytes = 0;
    ca_out_init(&out, keep, NULL);
    ca_record_write_text(&made.record, &out);
    ca_out_flush(&out);
    cr_assert_not_null(strstr(text, expected), "written:\n%s\nexpected in it:\n%s", text, expected);
}

Test(record_text_sites, the_first_five_stand_behind_the_phases) {
    expect("total             23      0           73,818          -             0.023      73.818\n"
           "\n"
           "allocations   share  site < callers\n"
           "         12   52.2%  scan: copy_key tally.c:41 < tally_add:60 < scan:88 < main:200\n"
           "          5   21.7%  scan: grow table.c:30 < scan:88 < main:200\n"
           "          3   13.0%  main: main logstat.c:200\n"
           "          1    4.3%  startup: libc.so.6+0x2f0a1\n"
           "          1    4.3%  main: [no site]\n"
           "          1    4.3%  1 more site\n"
           "5 samples of whole stacks, one in 1,024 bytes: see 'countalloc report --by site'\n"
           "\n"
           "calls ");
}

Test(record_text_sites, equal_sites_keep_their_order_and_others_are_summed_up) {
    made.record.sample_bytes = 0;
    made.sites[SITE_STARTUP].allocations = 2;
    made.sites[SITE_ANONYMOUS].allocations = 2;
    expect("          3   13.0%  main: main logstat.c:200\n"
           "          2    8.7%  startup: libc.so.6+0x2f0a1\n"
           "          2    8.7%  scan: [anonymous] < scan:88\n"
           "          1    4.3%  1 more site\n"
           "\n"
           "calls ");
}

Test(record_text_sites, callers_alone_of_one_phase) {
    made.record.sample_bytes = 0;
    made.record.stack_depth = 1;
    made.record.sites = &made.sites[SITE_COPY_KEY];
    made.record.site_count = 1;
    made.sites[SITE_COPY_KEY].frame_count = 1;
    expect("\nallocations   share  site\n"
           "         12   52.2%  copy_key tally.c:41 < tally_add:60\n"
           "\n");
}

Test(record_text_sites, without_sites_nothing_is_said) {
    made.record.sample_bytes = 0;
    made.record.stack_depth = 0;
    expect("73.818\n\ncalls ");
}

Test(record_text_sites, lines_stay_short) {
    static char name[400];
    memset(name, 'x', sizeof name - 1);
    for (size_t i = 0; i < 5; i++)
        made.functions[i].name = made.functions[i].file = name;
    expect("\n         12   52.2%  scan: ");
    size_t columns = 0;
    for (const char *at = strstr(text, "         12   52.2%"); *at != '\n'; at++)
        columns += ((unsigned char)*at & 0xc0) != 0x80;
    cr_assert_eq(columns, 100);
}

Test(record_text_sites, functions_without_a_name_are_their_module_and_address) {
    char buffer[CA_FUNCTION_NAME_SIZE];
    made.functions[0].name = NULL;
    cr_assert_str_eq(ca_record_function_name(&made.record, &made.frames[0], 0, buffer),
                     "logstat+0x1201");
    cr_assert_str_eq(ca_record_function_name(&made.record, &made.frames[0], 1, buffer),
                     "tally_add");
    cr_assert_str_eq(ca_record_function_name(&made.record, &made.frames[5], 0, buffer),
                     "[anonymous]");
    cr_assert_eq(ca_record_function_count(&made.frames[0]), 2);
    cr_assert_eq(ca_record_function_count(&made.frames[5]), 1);
}
