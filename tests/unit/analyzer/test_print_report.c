/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "print_report.h"

static void add(struct ca_result *result, struct ca_slice route, const char *model,
                uint64_t token_sum, const uint32_t *values_ms, size_t value_count) {
    struct ca_group *group =
        ca_groups_add(&result->groups, result->line_count, route, ca_slice_of(model));
    group->token_sum = token_sum;
    for (size_t at = 0; at < value_count; at++)
        cr_assert(ca_latencies_push(&group->latencies, values_ms[at]));
    result->line_count += value_count;
}

/* `expected` may hold the word CHECKSUM, for the one that the text report ends in. */
static void expect_report(struct ca_result *result, const char *format_name, const char *expected) {
    struct ca_string text = {0};
    struct ca_string report = {0};
    struct ca_error err;
    char filled[2048];
    cr_assert_eq(ca_report_render(result, ca_report_format_find("text"), &text, &err), CA_OK);
    cr_assert_eq(ca_report_render(result, ca_report_format_find(format_name), &report, &err),
                 CA_OK);
    const char *word = strstr(expected, "CHECKSUM");
    if (word == NULL)
        snprintf(filled, sizeof filled, "%s", expected);
    else
        snprintf(filled, sizeof filled, "%.*s%.16s%s", (int)(word - expected), expected,
                 text.bytes + text.byte_count - 17, word + strlen("CHECKSUM"));
    const struct ca_slice slice = ca_string_slice(&report);
    cr_assert(ca_slice_is(slice, filled), "%s:\n%.*s", format_name, (int)slice.byte_count,
              slice.bytes);
    ca_string_release(&text);
    ca_string_release(&report);
}

static void make_result(struct ca_result *result) {
    const uint32_t values_ms[] = {30, 10, 20};
    ca_result_init(result);
    add(result, (struct ca_slice){"r\0\"", 3}, "m,\xff\xc3\xa9", 7, values_ms, 1);
    add(result, ca_slice_of("/r"), "m", UINT64_MAX, values_ms, 3);
    result->line_count += 6;
    result->blocked_count = 1;
    result->error_count = 2;
    result->malformed_count = 3;
}

Test(report, is_one_line_per_group_then_the_counts_then_their_checksum) {
    struct ca_result result;
    struct ca_string report = {0};
    struct ca_error err;
    make_result(&result);
    cr_assert_eq(ca_report_render(&result, ca_report_format_find("text"), &report, &err), CA_OK);
    static const char expected[] =
        "/r m requests=3 tokens=18446744073709551615 p50_ms=20 p99_ms=30\n"
        "r\0\" m,\xff\xc3\xa9 requests=1 tokens=7 p50_ms=30 p99_ms=30\n"
        "blocked=1 errors=2 malformed=3\n";
    const struct ca_slice text = {expected, sizeof expected - 1};
    cr_assert_eq(report.byte_count, text.byte_count + strlen("checksum=0123456789abcdef\n"));
    cr_assert_eq(memcmp(report.bytes, text.bytes, text.byte_count), 0);
    char line[32];
    snprintf(line, sizeof line, "checksum=%016llx\n", (unsigned long long)ca_fnv1a64(text));
    cr_assert_eq(memcmp(report.bytes + text.byte_count, line, strlen(line)), 0);
    ca_string_release(&report);
    ca_result_release(&result);
}

Test(report, of_nothing_has_no_malformed_count) {
    struct ca_result result;
    ca_result_init(&result);
    expect_report(&result, "text", "blocked=0 errors=0\nchecksum=ddd309991dfc077e\n");
    expect_report(&result, "json",
                  "{\n"
                  "  \"schema\": \"logstat.report/1\",\n"
                  "  \"groups\": [],\n"
                  "  \"lines\": 0,\n"
                  "  \"blocked\": 0,\n"
                  "  \"errors\": 0,\n"
                  "  \"malformed\": 0,\n"
                  "  \"checksum\": \"ddd309991dfc077e\"\n"
                  "}\n");
    expect_report(&result, "csv",
                  "row,route,model,requests,tokens,p50_ms,p99_ms,lines,blocked,errors,malformed,"
                  "checksum\n"
                  "total,,,0,0,,,0,0,0,0,ddd309991dfc077e\n");
}

Test(report, escapes_names_in_json) {
    struct ca_result result;
    make_result(&result);
    expect_report(&result, "json",
                  "{\n"
                  "  \"schema\": \"logstat.report/1\",\n"
                  "  \"groups\": [\n"
                  "    {\"route\": \"/r\", \"model\": \"m\", \"requests\": 3, "
                  "\"tokens\": 18446744073709551615, \"p50_ms\": 20, \"p99_ms\": 30},\n"
                  "    {\"route\": \"r\\u0000\\\"\", \"model\": \"m,\xef\xbf\xbd\xc3\xa9\", "
                  "\"requests\": 1, \"tokens\": 7, \"p50_ms\": 30, \"p99_ms\": 30}\n"
                  "  ],\n"
                  "  \"lines\": 10,\n"
                  "  \"blocked\": 1,\n"
                  "  \"errors\": 2,\n"
                  "  \"malformed\": 3,\n"
                  "  \"checksum\": \"CHECKSUM\"\n"
                  "}\n");
    ca_result_release(&result);
}

static void expect_name_in_json(const char *name, const char *escaped) {
    struct ca_result result;
    struct ca_string report = {0};
    struct ca_error err;
    char expected[128];
    const uint32_t value_ms = 1;
    ca_result_init(&result);
    add(&result, ca_slice_of(name), "", 0, &value_ms, 1);
    cr_assert_eq(ca_report_render(&result, ca_report_format_find("json"), &report, &err), CA_OK);
    cr_assert(ca_string_append(&report, (struct ca_slice){"", 1}));
    snprintf(expected, sizeof expected, "{\"route\": \"%s\", \"model\": \"\", ", escaped);
    cr_assert_not_null(strstr(report.bytes, expected), "%s in %s", expected, report.bytes);
    ca_string_release(&report);
    ca_result_release(&result);
}

/* Source: Unicode 15, table 3-7: overlong forms, surrogates, beyond U+10FFFF, cut sequences. */
Test(report, replaces_each_byte_that_is_no_utf8_in_json) {
    expect_name_in_json("a\xf0\x9f\x98\x80z", "a\xf0\x9f\x98\x80z");
    expect_name_in_json("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf",
                        "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf");
    expect_name_in_json("\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd");
    expect_name_in_json("\xe0\x9f\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect_name_in_json("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect_name_in_json("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect_name_in_json("\xf5", "\xef\xbf\xbd");
    expect_name_in_json("a\xe2\x82", "a\xef\xbf\xbd\xef\xbf\xbd");
    expect_name_in_json("\x1f\x7f\\", "\\u001f\\u007f\\\\");
}

Test(report, quotes_names_in_csv_when_it_must) {
    struct ca_result result;
    const uint32_t value_ms = 5;
    ca_result_init(&result);
    add(&result, ca_slice_of("a,b"), "plain", 1, &value_ms, 1);
    add(&result, ca_slice_of("c\"d"), "e\rf", 2, &value_ms, 1);
    expect_report(&result, "csv",
                  "row,route,model,requests,tokens,p50_ms,p99_ms,lines,blocked,errors,malformed,"
                  "checksum\n"
                  "group,\"a,b\",plain,1,1,5,5,,,,,\n"
                  "group,\"c\"\"d\",\"e\rf\",1,2,5,5,,,,,\n"
                  "total,,,2,3,,,2,0,0,0,CHECKSUM\n");
    ca_result_release(&result);
}

Test(report, has_three_formats) {
    cr_assert_not_null(ca_report_format_find("text"));
    cr_assert_not_null(ca_report_format_find("json"));
    cr_assert_not_null(ca_report_format_find("csv"));
    cr_assert_null(ca_report_format_find("xml"));
    cr_assert_null(ca_report_format_find(""));
}
