/* SPDX-License-Identifier: MIT */
#include "budget_fixture.h"

#include <jansson.h>

#include "budget/check_report.h"

static const char *const arguments[] = {"-b", "b.ini", "--", "./p"};

static char written[1u << 16];
static size_t written_bytes;
static struct ca_check_sites sites[2]; /* of scan and total */

static void keep(void *target, const char *bytes, size_t byte_count) {
    (void)target;
    cr_assert_lt(written_bytes + byte_count, sizeof written);
    memcpy(written + written_bytes, bytes, byte_count);
    written_bytes += byte_count;
}

static void begin(void) {
    sites[0] = (struct ca_check_sites){
        .kind = CA_LIMIT_ALLOCATIONS,
        .against = "old.json",
        .sites = {{.kind = CA_CHECK_SITE_NEW,
                   .function = "copy_line",
                   .file = "/home/r/src/par,se.c",
                   .line = 42,
                   .repository = "src/par,se.c",
                   .callers = {"parse_all", "main"},
                   .caller_count = 2,
                   .after = 1000},
                  {.kind = CA_CHECK_SITE_GROWN,
                   .function = "std::vector<int>::push",
                   .file = "/usr/include/vector",
                   .line = 7,
                   .before = 5,
                   .after = 6}},
        .site_count = 2,
        .more_count = 2,
        .more_amount = 7,
        .less_count = 1,
        .less_amount = -5,
        .notes = {"a guess | 100%"},
        .note_count = 1,
    };
    sites[1] = (struct ca_check_sites){
        .kind = CA_LIMIT_BYTES,
        .sites =
            {{.kind = CA_CHECK_SITE_LARGEST, .function = "p+0x10", .phase = "scan", .after = 1}},
        .site_count = 1,
        .more_count = 1,
        .more_amount = 1,
    };
}

TestSuite(check_sites, .init = begin);

static const char *report_of(const char *format, const char *text, uint32_t stack_depth,
                             const struct ca_check_sites *of_verdicts, const char *source) {
    struct ca_record *record = new_record("p", KEY, 1003, 1000);
    record->stack_depth = stack_depth;
    struct ca_budget_file *file = budgets_of(text);
    struct ca_judgement *judgement = kept(calloc(1, sizeof *judgement));
    const struct ca_subject subject = {.record = record, .source = source};
    const struct ca_check_format *found;
    struct ca_error err = {""};
    static struct ca_out out;
    cr_assert_eq(ca_budget_judge(file, &subject, 1, &(struct ca_judge_options){.is_strict = false},
                                 judgement, &err),
                 CA_OK);
    const struct ca_check_report report = {
        .version = "0.1.0",
        .file = file,
        .judgement = judgement,
        .subjects = &subject,
        .subject_count = 1,
        .arguments = arguments,
        .argument_count = sizeof arguments / sizeof *arguments,
        .sites = of_verdicts,
    };
    written_bytes = 0;
    cr_assert_eq(ca_check_format_find(format, strlen(format), &found, &err), CA_OK);
    ca_out_init(&out, keep, NULL);
    cr_assert_eq(found->write(&report, &out, &err), CA_OK);
    ca_out_flush(&out);
    written[written_bytes] = '\0';
    return written;
}

#define BOTH_OVER "[p/scan]\nfixed = 3\nwhy = x\n[p/total]\nfixed = 9\nwhy = y\n"

Test(check_sites, text_names_them_behind_the_numbers) {
    cr_assert_str_eq(
        report_of("text", BOTH_OVER, 1, sites, NULL),
        "countalloc check: FAIL  2 over, 0 improved, 0 ok       key " KEY "\n"
        "b.ini:2: p/scan: over budget on thread 1 (owner)\n"
        "    budget   3 allocations\n"
        "    measured 1003 allocations  +1000\n"
        "    why      x\n"
        "    new      copy_line par,se.c:42  +1000 allocations, called by parse_all, main\n"
        "    grown    std::vector<int>::push vector:7  +1 allocation (5 -> 6)\n"
        "    others   2 more: +7 allocations; 1 with less: -5 allocations\n"
        "    note     a guess | 100%\n"
        "b.ini:5: p/total: over budget (all threads)\n"
        "    budget   9 allocations\n"
        "    measured 1010 allocations  +1001\n"
        "    why      y\n"
        "    largest  p+0x10  1 byte, in phase scan\n"
        "    others   1 more: 1 byte\n"
        "  reproduce: countalloc check -b b.ini -- ./p\n"
        "  accept:    countalloc check --update=all -b b.ini -- ./p\n");
}

Test(check_sites, what_is_not_over_has_none) {
    cr_assert_null(
        strstr(report_of("text", "[p/scan]\nfixed = 1003\n", 1, sites, NULL), "copy_line"));
    cr_assert_null(
        strstr(report_of("text", "[p/scan]\nfixed = 5000\n", 1, sites, NULL), "copy_line"));
}

Test(check_sites, json_has_none_of_what_is_not_over) {
    json_t *root =
        json_loads(report_of("json", "[p/scan]\nfixed = 1003\n", 1, sites, NULL), 0, NULL);
    json_t *budget = json_array_get(json_object_get(root, "budgets"), 0);
    cr_assert(json_is_null(json_object_get(budget, "sites")), "%s", written);
    json_decref(root);
}

Test(check_sites, without_a_measurement_of_them_the_way_to_it_is_named) {
    const char *command = "  where:     countalloc check --sites -b b.ini -- ./p\n";
    cr_assert_not_null(strstr(report_of("text", BOTH_OVER, 0, NULL, NULL), command));
    cr_assert_null(strstr(report_of("text", BOTH_OVER, 1, NULL, NULL), "where:"));
    cr_assert_null(strstr(report_of("text", "[p/scan]\nfixed = 1003\n", 0, NULL, NULL), "where:"));
    cr_assert_not_null(strstr(report_of("text", BOTH_OVER, 0, NULL, "run.json"),
                              "  where:     record with 'countalloc run --sites -o FILE', and "
                              "check that record\n"));
}

Test(check_sites, json_has_everything) {
    json_error_t error;
    json_t *root =
        json_loads(report_of("json", BOTH_OVER, 1, sites, NULL), JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(root, "%s", error.text);
    cr_assert(json_is_null(json_object_get(root, "where")));
    json_t *budgets = json_object_get(root, "budgets");
    json_t *wanted = json_loads(
        "{\"counted\": \"allocations\", \"against\": \"old.json\", \"sites\": ["
        "{\"kind\": \"new\", \"function\": \"copy_line\", \"file\": \"/home/r/src/par,se.c\", "
        "\"line\": 42, \"phase\": null, \"callers\": [\"parse_all\", \"main\"], \"old\": 0, "
        "\"new\": 1000}, {\"kind\": \"grown\", \"function\": \"std::vector<int>::push\", "
        "\"file\": \"/usr/include/vector\", \"line\": 7, \"phase\": null, \"callers\": [], "
        "\"old\": 5, \"new\": 6}], \"more\": {\"sites\": 2, \"amount\": 7}, "
        "\"less\": {\"sites\": 1, \"amount\": -5}, \"notes\": [\"a guess | 100%\"]}",
        0, NULL);
    cr_assert(json_equal(json_object_get(json_array_get(budgets, 0), "sites"), wanted), "%s",
              written);
    json_t *of_total = json_object_get(json_array_get(budgets, 1), "sites");
    cr_assert_str_eq(json_string_value(json_object_get(of_total, "counted")), "bytes");
    cr_assert(json_is_null(json_object_get(of_total, "against")));
    json_decref(wanted);
    json_decref(root);
}

Test(check_sites, junit_has_them_in_the_failure) {
    cr_assert_not_null(
        strstr(report_of("junit", BOTH_OVER, 1, sites, NULL),
               "limit 3: +1000\n"
               "new: copy_line par,se.c:42  +1000 allocations, called by parse_all, main\n"
               "grown: std::vector&lt;int&gt;::push vector:7  +1 allocation (5 -&gt; 6)\n"
               "others: 2 more: +7 allocations; 1 with less: -5 allocations\n"
               "note: a guess | 100%\n"
               "reproduce: "),
        "%s", written);
}

Test(check_sites, github_annotates_lines_of_the_repository) {
    cr_assert_str_eq(
        report_of("github", BOTH_OVER, 1, sites, NULL),
        "::error file=b.ini,line=2,title=p/scan::over budget: 1003 allocations, limit 3: "
        "+1000%0Anew: copy_line par,se.c:42  +1000 allocations, called by parse_all, "
        "main%0Agrown: std::vector<int>::push vector:7  +1 allocation (5 -> 6)%0Aothers: 2 more: "
        "+7 allocations; 1 with less: -5 allocations%0Anote: a guess | 100%25\n"
        "::error file=b.ini,line=5,title=p/total::over budget: 1010 allocations, limit 9: "
        "+1001%0Alargest: p+0x10  1 byte, in phase scan%0Aothers: 1 more: 1 byte\n"
        "::warning file=src/par%2Cse.c,line=42,title=p/scan::new: copy_line  +1000 allocations, "
        "called by parse_all, main\n");
}

Test(check_sites, github_annotates_a_line_once) {
    sites[1] = sites[0];
    const char *text = report_of("github", BOTH_OVER, 1, sites, NULL);
    const char *first = strstr(text, "::warning ");
    cr_assert_not_null(first);
    cr_assert_null(strstr(first + 1, "::warning "), "%s", text);
}

Test(check_sites, github_shows_no_more_than_nine) {
    for (uint32_t i = 0; i < CA_CHECK_SITES; i++) {
        sites[0].sites[i] = sites[0].sites[0];
        sites[0].sites[i].line = i + 1;
    }
    sites[0].site_count = CA_CHECK_SITES;
    size_t count = 0;
    for (const char *at = report_of("github", BOTH_OVER, 1, sites, NULL);
         (at = strstr(at, "::warning ")) != NULL; at++)
        count++;
    cr_assert_eq(count, 9);
}

Test(check_sites, markdown_has_a_list_for_each) {
    cr_assert_not_null(
        strstr(report_of("md", BOTH_OVER, 1, sites, NULL),
               "p/scan, against old.json:\n\n"
               "- **new** copy\\_line par,se.c:42  +1000 allocations, called by parse\\_all, main\n"
               "- **grown** std::vector&lt;int&gt;::push vector:7  +1 allocation (5 -&gt; 6)\n"
               "- 2 more: +7 allocations; 1 with less: -5 allocations\n"
               "- a guess \\| 100%\n\n"
               "p/total:\n\n"
               "- **largest** p+0x10  1 byte, in phase scan\n"
               "- 1 more: 1 byte\n\n"
               "Reproduce:"),
        "%s", written);
}
