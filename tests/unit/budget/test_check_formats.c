/* SPDX-License-Identifier: MIT */
#include "budget_fixture.h"

#include <jansson.h>
#include <stdio.h>

#include "budget/check_report.h"

#ifdef HAS_EXPAT
#include <expat.h>
#endif

static const char budgets[] = "[defaults]\ntolerance = 0\n"
                              "[logstat-v4/scan]\nper   = line\nrate  = 0\nfixed = 3   ; once\n"
                              "[logstat-v4/total]\nfixed = 2000\n"
                              "[logstat-v4/main]\nfixed = 7\n"
                              "[logstat-v4/parse]\nfixed = 0\n"
                              "[logstat-v0/scan]\nfixed = 0\n";
/* The same without the phase that is never opened. */
static const char sound_budgets[] =
    "[logstat-v4/scan]\nper   = line\nrate  = 0\nfixed = 3   ; once\n"
    "[logstat-v4/total]\nfixed = 2000\n"
    "[logstat-v4/main]\nfixed = 7\n"
    "[logstat-v0/scan]\nfixed = 0\n";
static const char *const arguments[] = {"--update",     "-b",     "b.ini", "--",
                                        "./logstat-v4", "run it", "--fit"};

static char written[1u << 20];
static size_t written_bytes;

static void keep(void *target, const char *bytes, size_t byte_count) {
    (void)target;
    cr_assert_lt(written_bytes + byte_count, sizeof written);
    memcpy(written + written_bytes, bytes, byte_count);
    written_bytes += byte_count;
}

static const char *report_of(const char *format, const char *text, bool is_strict,
                             struct ca_record *const *records) {
    struct ca_budget_file *file = budgets_of(text);
    struct ca_judge_options options = {.is_strict = is_strict};
    struct ca_judgement *judgement = judged_as(file, &options, records);
    struct ca_check_report report = {
        .version = "0.1.0",
        .file = file,
        .judgement = judgement,
        .arguments = arguments,
        .argument_count = sizeof arguments / sizeof *arguments,
    };
    const struct ca_check_format *found;
    struct ca_error err = {""};
    static struct ca_out out;
    struct ca_subject subjects[4] = {{.record = NULL}};
    while (records[report.subject_count] != NULL) {
        subjects[report.subject_count].record = records[report.subject_count];
        report.subject_count++;
    }
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (judgement->verdicts[i].subject != NULL)
            for (size_t k = 0; k < report.subject_count; k++)
                if (judgement->verdicts[i].subject->record == records[k])
                    judgement->verdicts[i].subject = &subjects[k];
    report.subjects = subjects;
    written_bytes = 0;
    cr_assert_eq(ca_check_format_find(format, strlen(format), &found, &err), CA_OK);
    ca_out_init(&out, keep, NULL);
    cr_assert_eq(found->write(&report, &out, &err), CA_OK);
    ca_out_flush(&out);
    written[written_bytes] = '\0';
    return written;
}

#define V4 RECORDS(new_record("logstat-v4", KEY, 1003, 1000))

/* Names, paths and reasons that would break out of every syntax. */
static const char evil_budgets[] = "[a|b\"<&>'`%:,\xff::error::/sc_an,:%]\nper = l*ne\nfixed = 0\n"
                                   "why = ]]> \" </failure> | `x` \xc3\x28\n";

static struct ca_record *evil_record(void) {
    struct ca_record *record = new_record("a|b\"<&>'`%:,\xff::error::", KEY, 5, 10);
    scan_of(record)->name = "sc_an,:%";
    scan_of(record)->units[0].name = "l*ne";
    return record;
}

/* ---- text ---- */

Test(check_text, over_is_said_first_with_its_line_counts_and_commands) {
    cr_assert_str_eq(
        report_of("text", sound_budgets, false, V4),
        "countalloc check: FAIL  1 over, 1 improved, 1 ok, 1 stale       key " KEY "\n"
        "b.ini:4: logstat-v4/scan: over budget on thread 1 (owner)\n"
        "    budget   3 allocations     = 0/line + 3 for 1000 lines\n"
        "    measured 1003 allocations  = 1.003 per line, +1000\n"
        "b.ini:6: logstat-v4/total: improved: 1010 allocations, limit 2000: -990\n"
        "b.ini:9: logstat-v0/scan: stale: there is no record of program 'logstat-v0'\n"
        "  reproduce: countalloc check -b b.ini -- ./logstat-v4 'run it' --fit\n"
        "  where:     countalloc check --sites -b b.ini -- ./logstat-v4 'run it' --fit\n"
        "  accept:    countalloc check --update=all -b b.ini -- ./logstat-v4 'run it' --fit\n"
        "             a number rises only for a reason: 'why = ...' in its section\n"
        "b.ini:8: logstat-v4/main: within budget: 7 allocations, limit 7: 0\n");
}

Test(check_text, not_measured_names_cause_and_next_step) {
    cr_assert_str_eq(
        report_of("text", "[logstat-v4/parse]\nfixed = 0\n", false, V4),
        "countalloc check: NOT MEASURED  1 invalid, 0 over, 0 improved, 0 ok, 1 unbudgeted"
        "       key " KEY "\n"
        "  nothing was compared, so nothing is known to be within its budget\n"
        "b.ini:1: logstat-v4/parse: not measured: phase 'parse' was never opened\n"
        "    next     the phases that the program opened: scan; "
        "countalloc_phase_begin(\"parse\") opens this one\n"
        "logstat-v4/scan: unbudgeted: 1003 allocations in a phase without a budget\n"
        "  reproduce: countalloc check -b b.ini -- ./logstat-v4 'run it' --fit\n");
}

Test(check_text, what_is_wrong_with_a_record_is_said_once) {
    struct ca_record *record = new_record("logstat-v4", KEY, 3, 1000);
    record->exit_status = 3;
    cr_assert_str_eq(report_of("text", sound_budgets, false, RECORDS(record)),
                     "countalloc check: NOT MEASURED  3 invalid, 0 over, 0 improved, 0 ok, 1 stale"
                     "       key " KEY "\n"
                     "  nothing was compared, so nothing is known to be within its budget\n"
                     "logstat-v4: not measured: the program failed with exit status 3\n"
                     "    budgets not judged: 3, from b.ini:1 on\n"
                     "    next     see what it said; if that status is expected, --allow-status 3\n"
                     "b.ini:9: logstat-v0/scan: stale: there is no record of program 'logstat-v0'\n"
                     "  reproduce: countalloc check -b b.ini -- ./logstat-v4 'run it' --fit\n");
}

Test(check_text, green_says_what_was_compared) {
    cr_assert_str_eq(
        report_of("text", "[logstat-v4/scan]\nper = line\nrate = 1/4\nfixed = 753\n", false, V4),
        "countalloc check: PASS  0 over, 0 improved, 1 ok       key " KEY "\n"
        "b.ini:4: logstat-v4/scan: within budget: 1003 allocations, limit 1003 ((1/4)/line + "
        "753 for 1000 lines): 0\n");
}

Test(check_text, adopters_and_reasons_are_shown) {
    struct ca_record *record = new_record("p", KEY, 9, 3);
    adopt(record, 50);
    cr_assert_str_eq(
        report_of("text", "[p/scan]\nfixed = 3\ntolerance = 2\nwhy = a cache\n", false,
                  RECORDS(record)),
        "countalloc check: FAIL  1 over, 0 improved, 0 ok       key " KEY "\n"
        "b.ini:2: p/scan: over budget on thread 1 (owner)\n"
        "    budget   5 allocations  = 3 + tolerance 2\n"
        "    measured 9 allocations  +4\n"
        "    other threads: 50 allocations of threads that adopted the phase are not counted "
        "(scope = all "
        "counts them)\n"
        "    why      a cache\n"
        "  reproduce: countalloc check -b b.ini -- ./logstat-v4 'run it' --fit\n"
        "  where:     countalloc check --sites -b b.ini -- ./logstat-v4 'run it' --fit\n"
        "  accept:    countalloc check --update=all -b b.ini -- ./logstat-v4 'run it' --fit\n");
}

Test(check_text, platforms_are_told_apart) {
    const char *text = report_of(
        "text", "[p/scan]\nfixed = 3\n", false,
        RECORDS(new_record("p", KEY, 3, 0), new_record("p", "linux-x86_64-musl-musl", 4, 0)));
    cr_assert_not_null(strstr(text, "1 over, 0 improved, 1 ok       2 platforms\n"));
    cr_assert_not_null(strstr(text, "b.ini:2: p/scan on linux-x86_64-musl-musl: over budget"));
}

/* ---- json ---- */

static json_t *parsed(const char *text) {
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(root, "line %d: %s in\n%s", error.line, error.text, text);
    return kept(root);
}

static void assert_json(json_t *value, const char *expected) {
    char *shown = json_dumps(value, JSON_INDENT(2));
    cr_assert(json_equal(value, parsed(expected)), "written:\n%s\nexpected:\n%s", shown, expected);
    free(shown);
}

Test(check_json, the_whole_verdict_is_there) {
    json_t *root = parsed(report_of("json",
                                    "[logstat-v4/scan@linux]\nper = line\nrate = 1/4\nfixed = 3\n"
                                    "why = x\n[logstat-v4/parse]\nfixed = 0\n",
                                    false, V4));
    assert_json(
        root,
        "{\"schema\": \"countalloc.check/1\", \"countalloc\": \"0.1.0\", \"verdict\": \"invalid\", "
        "\"status\": 3, \"strict\": false, \"comparisons\": 1, \"file\": \"b.ini\", "
        "\"base\": null, "
        "\"counts\": {\"ok\": 0, \"over\": 1, \"improved\": 0, \"invalid\": 1, \"stale\": 0, "
        "\"unbudgeted\": 0}, "
        "\"reproduce\": \"countalloc check -b b.ini -- ./logstat-v4 'run it' --fit\", "
        "\"where\": \"countalloc check --sites -b b.ini -- ./logstat-v4 'run it' --fit\", "
        "\"accept\": \"countalloc check --update=all -b b.ini -- ./logstat-v4 'run it' --fit\", "
        "\"records\": [{\"source\": null, \"name\": \"logstat-v4\", \"exe\": \"/opt/bin/logstat\", "
        "\"key\": \"" KEY "\", \"exit_status\": 0, \"signal\": null}], "
        "\"budgets\": [{\"program\": \"logstat-v4\", \"phase\": \"scan\", \"verdict\": \"over\", "
        "\"fails\": true, \"section\": \"logstat-v4/scan@linux\", \"file\": \"b.ini\", \"line\": "
        "4, "
        "\"record\": 0, \"key\": \"" KEY "\", \"scope\": \"owner\", \"unit\": \"line\", "
        "\"units\": 1000, \"why\": \"x\", \"adopted_allocations\": 0, "
        "\"limits\": {\"allocations\": {\"verdict\": \"over\", \"measured\": 1003, \"fixed\": 3, "
        "\"rate\": \"1/4\", \"tolerance\": 0, \"limit\": 253, \"difference\": 750, \"error\": 0, "
        "\"line\": 4}}, \"reason\": null, \"cause\": null, \"next_step\": null, "
        "\"base\": null, \"base_note\": null, \"sites\": null, \"message\": \"over budget: 1003 "
        "allocations, limit "
        "253 ((1/4)/line + 3 for 1000 lines): "
        "+750\"}, "
        "{\"program\": \"logstat-v4\", \"phase\": \"parse\", \"verdict\": \"invalid\", "
        "\"fails\": true, \"section\": \"logstat-v4/parse\", \"file\": \"b.ini\", \"line\": 6, "
        "\"record\": 0, \"key\": \"" KEY "\", \"scope\": null, \"unit\": null, \"units\": null, "
        "\"why\": null, \"adopted_allocations\": 0, \"limits\": {}, "
        "\"reason\": \"phase never opened\", \"cause\": \"phase 'parse' was never opened\", "
        "\"next_step\": \"the phases that the program opened: scan; "
        "countalloc_phase_begin(\\\"parse\\\") "
        "opens this one\", \"base\": null, \"base_note\": null, \"sites\": null, \"message\": "
        "\"not measured: phase "
        "'parse' was never opened: the phases "
        "that "
        "the program opened: scan; countalloc_phase_begin(\\\"parse\\\") opens this one\"}]}");
}

Test(check_json, numbers_beyond_63_bits_are_digits) {
    json_t *root = parsed(report_of("json",
                                    "[p/scan]\nper = line\nrate = 18446744073709551615\nfixed = "
                                    "9223372036854775807\n",
                                    false, RECORDS(new_record("p", KEY, UINT64_MAX, UINT64_MAX))));
    json_t *limit = json_object_get(
        json_object_get(json_array_get(json_object_get(root, "budgets"), 0), "limits"),
        "allocations");
    cr_assert_eq(json_integer_value(json_object_get(limit, "fixed")), INT64_MAX);
    cr_assert_str_eq(json_string_value(json_object_get(limit, "measured")), "18446744073709551615");
    cr_assert_str_eq(json_string_value(json_object_get(limit, "limit")),
                     "340282366920938463435704491321203884032");
    cr_assert_str_eq(json_string_value(json_object_get(limit, "difference")),
                     "-340282366920938463417257747247494332417");
    cr_assert_str_eq(json_string_value(json_object_get(limit, "rate")), "18446744073709551615");
}

Test(check_json, names_of_others_break_nothing) {
    json_t *root = parsed(report_of("json", evil_budgets, false, RECORDS(evil_record())));
    json_t *budget = json_array_get(json_object_get(root, "budgets"), 0);
    cr_assert_str_eq(json_string_value(json_object_get(budget, "program")),
                     "a|b\"<&>'`%:,\xef\xbf\xbd::error::");
    cr_assert_str_eq(json_string_value(json_object_get(budget, "why")),
                     "]]> \" </failure> | `x` \xef\xbf\xbd(");
}

/* ---- junit ---- */

#ifdef HAS_EXPAT
/* What was read: "testsuites(tests=..) testsuite(..) ..." and the text of elements. */
struct heard {
    char text[20000];
};

static void hear_start(void *data, const char *name, const char **attributes) {
    struct heard *heard = data;
    size_t length = strlen(heard->text);
    length += (size_t)sprintf(heard->text + length, "<%s", name);
    for (; *attributes != NULL; attributes += 2)
        length += (size_t)sprintf(heard->text + length, " %s={%s}", attributes[0], attributes[1]);
    sprintf(heard->text + length, ">");
}

static void hear_text(void *data, const char *text, int byte_count) {
    struct heard *heard = data;
    strncat(heard->text, text, (size_t)byte_count);
}

static const char *heard_by_expat(const char *xml) {
    static struct heard heard;
    XML_Parser parser = XML_ParserCreate(NULL);
    heard.text[0] = '\0';
    XML_SetUserData(parser, &heard);
    XML_SetStartElementHandler(parser, hear_start);
    XML_SetCharacterDataHandler(parser, hear_text);
    cr_assert_eq(XML_Parse(parser, xml, (int)strlen(xml), 1), XML_STATUS_OK, "%s in\n%s",
                 XML_ErrorString(XML_GetErrorCode(parser)), xml);
    XML_ParserFree(parser);
    return heard.text;
}

Test(check_junit, each_budget_is_a_case) {
    cr_assert_str_eq(
        heard_by_expat(report_of("junit", budgets, false, V4)),
        "<testsuites name={countalloc check} tests={5} failures={1} errors={1} skipped={1}>\n  "
        "<testsuite name={b.ini} tests={5} failures={1} errors={1} skipped={1}>\n    "
        "<testcase classname={logstat-v4} name={scan}>\n      "
        "<failure message={over budget: 1003 allocations, limit 3 (0/line + 3 for 1000 lines): "
        "+1000} "
        "type={over}>b.ini:6: logstat-v4/scan: over budget: 1003 allocations, limit 3 (0/line + 3 "
        "for "
        "1000 lines): +1000\n"
        "where: countalloc check --sites -b b.ini -- ./logstat-v4 'run it' --fit\n"
        "reproduce: countalloc check -b b.ini -- ./logstat-v4 'run it' --fit\n"
        "accept: countalloc check --update=all -b b.ini -- ./logstat-v4 'run it' --fit\n\n    \n   "
        " "
        "<testcase classname={logstat-v4} name={total}>\n      "
        "<system-out>b.ini:8: logstat-v4/total: improved: 1010 allocations, limit 2000: "
        "-990\n"
        "reproduce: countalloc check -b b.ini -- ./logstat-v4 'run it' --fit\n"
        "accept: countalloc check --update=all -b b.ini -- ./logstat-v4 'run it' --fit\n\n    \n   "
        " "
        "<testcase classname={logstat-v4} name={main}>\n    "
        "<testcase classname={logstat-v4} name={parse}>\n      "
        "<error message={not measured: phase 'parse' was never opened: the phases that the program "
        "opened: scan; countalloc_phase_begin(\"parse\") opens this one} type={phase never opened}>"
        "b.ini:11: logstat-v4/parse: not measured: phase 'parse' was never opened: the phases that "
        "the "
        "program opened: scan; countalloc_phase_begin(\"parse\") opens this one\n"
        "reproduce: countalloc check -b b.ini -- ./logstat-v4 'run it' --fit\n\n    \n    "
        "<testcase classname={logstat-v0} name={scan}>\n      "
        "<skipped message={stale: there is no record of program 'logstat-v0'}>"
        "b.ini:13: logstat-v0/scan: stale: there is no record of program 'logstat-v0'\n"
        "reproduce: countalloc check -b b.ini -- ./logstat-v4 'run it' --fit\n"
        "accept: countalloc check --update=all -b b.ini -- ./logstat-v4 'run it' --fit\n\n    \n  "
        "\n");
}

Test(check_junit, names_of_others_break_nothing) {
    const char *heard =
        heard_by_expat(report_of("junit", evil_budgets, false, RECORDS(evil_record())));
    cr_assert_not_null(
        strstr(heard, "classname={a|b\"<&>'`%:,\xef\xbf\xbd::error::} name={sc_an,:%}>"), "%s",
        heard);
}

Test(check_junit, nothing_compared_is_an_error) {
    struct ca_record *const none[] = {NULL};
    const char *heard = heard_by_expat(report_of("junit", "", false, none));
    cr_assert_not_null(strstr(heard, "tests={1} failures={0} errors={1} skipped={0}"), "%s", heard);
}
#endif

/* ---- github ---- */

Test(check_github, each_failure_is_an_annotation) {
    cr_assert_str_eq(
        report_of("github", budgets, false, V4),
        "::error file=b.ini,line=6,title=logstat-v4/scan::over budget: 1003 allocations, limit 3 "
        "(0/line "
        "+ 3 for 1000 lines): +1000\n"
        "::error file=b.ini,line=11,title=logstat-v4/parse::not measured: phase 'parse' was never "
        "opened: the phases that the program opened: scan; countalloc_phase_begin(\"parse\") opens "
        "this "
        "one\n"
        "::notice file=b.ini,line=8,title=logstat-v4/total::improved: 1010 allocations, limit "
        "2000: "
        "-990\n");
}

Test(check_github, names_of_others_break_nothing) {
    cr_assert_str_eq(
        report_of("github", evil_budgets, false, RECORDS(evil_record())),
        "::error file=b.ini,line=3,title=a|b\"<&>'`%25%3A%2C\xef\xbf\xbd%3A%3Aerror%3A%3A/"
        "sc_an%2C%3A%25::over budget: 5 allocations, limit 0 (0/l*ne + 0 for 10 l*nes): "
        "+5\n");
}

static char *phases_never_opened(size_t count) {
    char *text = kept(calloc(count + 1, 64));
    for (size_t i = 0; i < count; i++)
        sprintf(text + strlen(text), "[p/phase%zu]\nfixed = 0\n", i);
    return text;
}

static size_t line_count_of(const char *text) {
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

Test(check_github, at_most_nine_then_one_for_the_rest) {
    const char *text =
        report_of("github", phases_never_opened(9), true, RECORDS(new_record("p", KEY, 3, 0)));
    cr_assert_eq(line_count_of(text), 10, "%s", text); /* and scan, unbudgeted: the tenth */
    cr_assert_not_null(strstr(text,
                              "::error title=countalloc check::1 more; in all: 9 invalid, 0 over, "
                              "0 improved, 0 ok, 1 unbudgeted\n"));
    text = report_of("github", phases_never_opened(9), false, RECORDS(new_record("p", KEY, 3, 0)));
    cr_assert_eq(line_count_of(text), 10);
    cr_assert_null(strstr(text, " more; in all"));
    text = report_of("github", phases_never_opened(100), true, RECORDS(new_record("p", KEY, 3, 0)));
    cr_assert_eq(line_count_of(text), 10);
    cr_assert_not_null(
        strstr(text, "::error title=countalloc check::92 more; in all: 100 invalid, "));
}

/* ---- markdown ---- */

Test(check_md, a_table_with_the_verdict_first) {
    cr_assert_str_eq(
        report_of("md", budgets, false, V4),
        "### countalloc check: NOT MEASURED\n\n"
        "1 invalid, 1 over, 1 improved, 1 ok, 1 stale on linux-x86\\_64-glibc2.36-glibc\n\n"
        "| verdict | budget | measured | limit | difference | file |\n"
        "|---|---|---|---|---|---|\n"
        "| **invalid** | logstat-v4/parse | | | not measured: phase 'parse' was never opened: the "
        "phases "
        "that the program opened: scan; countalloc\\_phase\\_begin(\"parse\") opens this one | "
        "b.ini:11 "
        "|\n"
        "| **over** | logstat-v4/scan | 1003 allocations | 3 = 0/line + 3 for 1000 lines | +1000 | "
        "b.ini:6 |\n"
        "| improved | logstat-v4/total | 1010 allocations | 2000 | -990 | b.ini:8 |\n"
        "| ok | logstat-v4/main | 7 allocations | 7 | 0 | b.ini:10 |\n"
        "| stale | logstat-v0/scan | | | stale: there is no record of program 'logstat-v0' | "
        "b.ini:13 "
        "|\n\n"
        "Reproduce:\n\n"
        "    countalloc check -b b.ini -- ./logstat-v4 'run it' --fit\n\n"
        "See where:\n\n"
        "    countalloc check --sites -b b.ini -- ./logstat-v4 'run it' --fit\n\n"
        "Accept:\n\n"
        "    countalloc check --update=all -b b.ini -- ./logstat-v4 'run it' --fit\n\n");
}

Test(check_md, names_of_others_break_nothing) {
    const char *text = report_of("md", evil_budgets, false, RECORDS(evil_record()));
    cr_assert_not_null(strstr(text,
                              "| **over** | a\\|b\"&lt;&amp;&gt;'\\`%:,\xef\xbf\xbd::error::/"
                              "sc\\_an,:% | 5 allocations | 0 = 0/l\\*ne + 0 for 10 l\\*nes | +5 "
                              "| b.ini:3 |\n"));
}

Test(check_md, a_summary_stays_below_a_mebibyte) {
    const char *text =
        report_of("md", phases_never_opened(1000), true, RECORDS(new_record("p", KEY, 3, 0)));
    cr_assert_lt(strlen(text), 1u << 20);
    cr_assert_not_null(strstr(text, "\nand 801 more.\n"));
}

Test(check_formats, an_unknown_format_lists_the_known) {
    const struct ca_check_format *format;
    struct ca_error err;
    cr_assert_eq(ca_check_format_find("xml", 3, &format, &err), CA_ERROR_USAGE);
    cr_assert_str_eq(err.message, "unknown format 'xml': there are text, json, junit, github, md");
    cr_assert_eq(ca_check_format_find("json=x", 4, &format, &err), CA_OK);
    cr_assert_str_eq(format->name, "json");
}
