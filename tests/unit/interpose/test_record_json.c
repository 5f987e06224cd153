/* SPDX-License-Identifier: MIT */
#include "interpose/report/record.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))
#define FFFD            "\xef\xbf\xbd"

static char written[262144];
static size_t written_bytes;

static void keep(void *target, const char *bytes, size_t byte_count) {
    (void)target;
    cr_assert_lt(written_bytes + byte_count, sizeof written);
    memcpy(written + written_bytes, bytes, byte_count);
    written_bytes += byte_count;
}

static const char *json_of(const struct ca_record *record) {
    static struct ca_out out;
    written_bytes = 0;
    ca_out_init(&out, keep, NULL);
    ca_record_write_json(record, &out);
    ca_out_flush(&out);
    written[written_bytes] = '\0';
    return written;
}

static json_t *parsed_text(const char *text) {
    json_error_t error;
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(value, "line %d: %s in\n%s", error.line, error.text, text);
    return value;
}

static json_t *parsed(const struct ca_record *record) {
    return parsed_text(json_of(record));
}

static void assert_equal(json_t *value, const char *expected_text) {
    json_t *expected = parsed_text(expected_text);
    char *shown = json_dumps(value, JSON_INDENT(2));
    cr_assert(json_equal(value, expected), "written:\n%s\nexpected:\n%s", shown, expected_text);
    free(shown);
    json_decref(expected);
}

static void assert_has(const struct ca_record *record, const char *expected) {
    const char *text = json_of(record);
    cr_assert_not_null(strstr(text, expected), "written:\n%s\nexpected in it:\n%s", text, expected);
}

/* "a,b,c" of an object's members, in the order of the text. */
static void assert_members(json_t *object, const char *expected) {
    char names[1024] = "";
    const char *name;
    json_t *value;
    cr_assert(json_is_object(object));
    json_object_foreach(object, name, value) {
        strcat(names, names[0] == '\0' ? "" : ",");
        strcat(names, name);
    }
    cr_assert_str_eq(names, expected);
}

/* Every count another number, from `first`. */
static struct ca_counts counts_from(uint64_t first) {
    struct ca_counts counts = {
        .allocations = first,
        .frees = first + 1,
        .malloc_calls = first + 2,
        .calloc_calls = first + 3,
        .realloc_calls = first + 4,
        .aligned_calls = first + 5,
        .free_calls = first + 6,
        .free_null = first + 7,
        .failed_calls = first + 8,
        .realloc_in_place = first + 9,
        .realloc_moved = first + 10,
        .realloc_grown = first + 11,
        .realloc_shrunk = first + 12,
        .bytes_requested = first + 13,
        .live_blocks = -(int64_t)first - 14,
    };
    counts.size_class[0] = first + 18;
    counts.size_class[64] = first + 19;
    counts.size_class[65] = first + 20;
    return counts;
}

/* What they look like, but for the live figures, which are null, and `per`. */
static const char *counts_text(unsigned first, const char *live, const char *per) {
    static char text[2048];
    snprintf(text, sizeof text,
             "\"allocations\": %u, \"frees\": %u, \"malloc\": %u, \"calloc\": %u, \"realloc\": %u,"
             "\"aligned\": %u, \"free\": %u, \"free_null\": %u, \"failed\": %u,"
             "\"realloc_in_place\": %u, \"realloc_moved\": %u, \"realloc_grown\": %u,"
             "\"realloc_shrunk\": %u, \"bytes_requested\": %u, \"live_blocks\": -%u, %s,"
             "\"size_histogram\": [[0, %u], [1024, %u], [2048, %u]], \"per\": %s",
             first, first + 1, first + 2, first + 3, first + 4, first + 5, first + 6, first + 7,
             first + 8, first + 9, first + 10, first + 11, first + 12, first + 13, first + 14, live,
             first + 18, first + 19, first + 20, per);
    return text;
}

static const char no_live[] =
    "\"bytes_live\": null, \"bytes_peak\": null, \"bytes_peak_error\": null";

static const char *object_text(const char *before, const char *counts, const char *after) {
    static char text[4096];
    snprintf(text, sizeof text, "{%s%s%s}", before, counts, after);
    return text;
}

static struct ca_record empty_record(void) {
    return (struct ca_record){
        .version = "0.1.0",
        .rules = 1,
        .name = "app",
        .executable = "/usr/bin/app",
        .pid = 7,
        .platform_key = "linux-x86_64-glibc2.36-glibc",
        .os = "linux",
        .arch = "x86_64",
        .libc = "glibc 2.36",
        .allocator = "glibc",
    };
}

static struct ca_record full_record(void) {
    static struct ca_share shares[2];
    static struct ca_record_phase phases[2];
    static struct ca_record_thread threads[2];
    static struct ca_record_process processes[1];
    shares[0] = (struct ca_share){.thread = 1, .opened = 3, .counts = counts_from(400)};
    shares[1] = (struct ca_share){.thread = 2, .is_adopted = true, .counts = counts_from(500)};
    phases[0] = (struct ca_record_phase){
        .name = "startup", .is_process_phase = true, .counts = counts_from(200)};
    phases[1] = (struct ca_record_phase){.name = "scan",
                                         .opened = 3,
                                         .units = {{"line", 8}, {"byte", 0}},
                                         .units_count = 2,
                                         .counts = counts_from(300),
                                         .shares = shares,
                                         .share_count = 2};
    phases[1].counts.has_peak = true;
    phases[1].counts.bytes_peak = 77;
    threads[0] = (struct ca_record_thread){
        .number = 1, .name = "main", .thread_count = 1, .counts = counts_from(600)};
    threads[1] =
        (struct ca_record_thread){.number = 2, .thread_count = 9, .counts = counts_from(700)};
    processes[0] = (struct ca_record_process){.pid = 7,
                                              .parent_pid = 6,
                                              .executable = "/usr/bin/app",
                                              .arguments = "app\0-x",
                                              .argument_bytes = sizeof "app\0-x",
                                              .argument_count = 2,
                                              .is_complete = true,
                                              .counts = counts_from(800)};
    struct ca_record record = empty_record();
    record.arguments = "app\0-x";
    record.argument_bytes = sizeof "app\0-x";
    record.argument_count = 2;
    record.has_exit_status = true;
    record.exit_status = 3;
    record.is_complete = true;
    record.is_attached = true;
    record.level = CA_LEVEL_FULL;
    strcpy(record.notes[0], "one");
    strcpy(record.notes[1], "two");
    record.note_count = 2;
    record.has_resources = true;
    record.wall_ns = 11;
    record.user_ns = 12;
    record.system_ns = 13;
    record.max_rss_bytes = 14;
    record.total = counts_from(100);
    record.total.has_live = record.total.has_peak = true;
    record.total.bytes_live = -5;
    record.total.bytes_peak = 99;
    record.total.bytes_peak_error = 65536;
    record.total_units[0] = (struct ca_units){"line", 8};
    record.total_units_count = 1;
    record.phases = phases;
    record.phase_count = 2;
    record.threads = threads;
    record.thread_count = 2;
    record.processes = processes;
    record.process_count = 1;
    return record;
}

Test(record_json, everything_about_the_program_is_written) {
    struct ca_record record = full_record();
    json_t *root = parsed(&record);
    assert_members(root, "schema,rules,countalloc,program,platform,coverage,resources,total,phases,"
                         "threads,processes,sites");
    cr_assert_str_eq(json_string_value(json_object_get(root, "schema")), "countalloc.record/1");
    cr_assert_eq(json_integer_value(json_object_get(root, "rules")), 1);
    cr_assert_str_eq(json_string_value(json_object_get(root, "countalloc")), "0.1.0");
    assert_members(json_object_get(root, "program"),
                   "name,argv,exe,pid,exit_status,signal,complete,timed_out");
    assert_equal(json_object_get(root, "program"),
                 "{\"name\": \"app\", \"argv\": [\"app\", \"-x\"], \"exe\": \"/usr/bin/app\","
                 " \"pid\": 7, \"exit_status\": 3, \"signal\": null, \"complete\": true,"
                 " \"timed_out\": false}");
    assert_members(json_object_get(root, "platform"), "key,os,arch,libc,allocator");
    assert_equal(json_object_get(root, "platform"),
                 "{\"key\": \"linux-x86_64-glibc2.36-glibc\", \"os\": \"linux\","
                 " \"arch\": \"x86_64\", \"libc\": \"glibc 2.36\", \"allocator\": \"glibc\"}");
    assert_members(json_object_get(root, "coverage"), "attached,level,notes");
    assert_equal(json_object_get(root, "coverage"),
                 "{\"attached\": true, \"level\": \"full\", \"notes\": [\"one\", \"two\"]}");
    assert_members(json_object_get(root, "resources"), "wall_ns,user_ns,system_ns,max_rss_bytes");
    assert_equal(json_object_get(root, "resources"),
                 "{\"wall_ns\": 11, \"user_ns\": 12, \"system_ns\": 13, \"max_rss_bytes\": 14}");
    assert_equal(json_object_get(root, "sites"), "[]");
    json_decref(root);
}

Test(record_json, everything_that_was_counted_is_written) {
    struct ca_record record = full_record();
    json_t *root = parsed(&record);
    json_t *phases = json_object_get(root, "phases");
    json_t *threads = json_object_get(root, "threads");
    assert_equal(json_object_get(root, "total"),
                 object_text("\"units\": {\"line\": 8},",
                             counts_text(100,
                                         "\"bytes_live\": -5, \"bytes_peak\": 99,"
                                         "\"bytes_peak_error\": 65536",
                                         "{\"line\": {\"allocations\": 12.5,"
                                         " \"bytes_requested\": 14.125}}"),
                             ""));
    cr_assert_eq(json_array_size(phases), 2);
    assert_equal(json_array_get(phases, 0),
                 object_text("\"name\": \"startup\", \"opened\": 0, \"process_phase\": true,"
                             "\"units\": {},",
                             counts_text(200, no_live, "{}"), ", \"threads\": []"));
    json_t *shares = json_object_get(json_array_get(phases, 1), "threads");
    cr_assert_eq(json_array_size(shares), 2);
    assert_equal(json_array_get(shares, 0),
                 object_text("\"number\": 1, \"adopted\": false, \"opened\": 3,",
                             counts_text(400, no_live, "{}"), ""));
    assert_equal(json_array_get(shares, 1),
                 object_text("\"number\": 2, \"adopted\": true, \"opened\": 0,",
                             counts_text(500, no_live, "{}"), ""));
    json_array_clear(shares);
    assert_equal(json_array_get(phases, 1),
                 object_text("\"name\": \"scan\", \"opened\": 3, \"process_phase\": false,"
                             "\"units\": {\"line\": 8, \"byte\": 0},",
                             counts_text(300,
                                         "\"bytes_live\": null, \"bytes_peak\": 77,"
                                         "\"bytes_peak_error\": 0",
                                         "{\"line\": {\"allocations\": 37.5,"
                                         " \"bytes_requested\": 39.125}}"),
                             ", \"threads\": []"));
    cr_assert_eq(json_array_size(threads), 2);
    assert_equal(json_array_get(threads, 0),
                 object_text("\"number\": 1, \"name\": \"main\", \"thread_count\": 1,",
                             counts_text(600, no_live, "{}"), ""));
    assert_equal(json_array_get(threads, 1),
                 object_text("\"number\": 2, \"name\": null, \"thread_count\": 9,",
                             counts_text(700, no_live, "{}"), ""));
    cr_assert_eq(json_array_size(json_object_get(root, "processes")), 1);
    assert_equal(json_array_get(json_object_get(root, "processes"), 0),
                 object_text("\"pid\": 7, \"ppid\": 6, \"exe\": \"/usr/bin/app\","
                             "\"argv\": [\"app\", \"-x\"], \"complete\": true,",
                             counts_text(800, no_live, "{}"), ""));
    json_decref(root);
}

#define COUNTS                                                                                     \
    "allocations,frees,malloc,calloc,realloc,aligned,free,free_null,failed,realloc_in_place,"      \
    "realloc_moved,realloc_grown,realloc_shrunk,bytes_requested,live_blocks,bytes_live,"           \
    "bytes_peak,bytes_peak_error,size_histogram,per"

Test(record_json, members_come_in_the_order_of_the_contract) {
    struct ca_record record = full_record();
    json_t *root = parsed(&record);
    json_t *phase = json_array_get(json_object_get(root, "phases"), 1);
    assert_members(json_object_get(root, "total"), "units," COUNTS);
    assert_members(phase, "name,opened,process_phase,units," COUNTS ",threads");
    assert_members(json_array_get(json_object_get(phase, "threads"), 0),
                   "number,adopted,opened," COUNTS);
    assert_members(json_array_get(json_object_get(root, "threads"), 0),
                   "number,name,thread_count," COUNTS);
    assert_members(json_array_get(json_object_get(root, "processes"), 0),
                   "pid,ppid,exe,argv,complete," COUNTS);
    json_decref(root);
}

Test(record_json, layout_is_indented_by_two_with_short_lists_on_a_line) {
    struct ca_record record = empty_record();
    record.arguments = "app\0-x";
    record.argument_bytes = sizeof "app\0-x";
    record.argument_count = 2;
    record.signal = 9;
    record.total.allocations = 3;
    record.total.size_class[1] = 2;
    record.total.size_class[2] = 1;
    record.total_units[0] = (struct ca_units){"line", 2};
    record.total_units_count = 1;
    const char *expected =
        "{\n"
        "  \"schema\": \"countalloc.record/1\",\n"
        "  \"rules\": 1,\n"
        "  \"countalloc\": \"0.1.0\",\n"
        "  \"program\": {\n"
        "    \"name\": \"app\",\n"
        "    \"argv\": [\"app\", \"-x\"],\n"
        "    \"exe\": \"/usr/bin/app\",\n"
        "    \"pid\": 7,\n"
        "    \"exit_status\": null,\n"
        "    \"signal\": 9,\n"
        "    \"complete\": false,\n"
        "    \"timed_out\": false\n"
        "  },\n"
        "  \"platform\": {\n"
        "    \"key\": \"linux-x86_64-glibc2.36-glibc\",\n"
        "    \"os\": \"linux\",\n"
        "    \"arch\": \"x86_64\",\n"
        "    \"libc\": \"glibc 2.36\",\n"
        "    \"allocator\": \"glibc\"\n"
        "  },\n"
        "  \"coverage\": {\n"
        "    \"attached\": false,\n"
        "    \"level\": \"none\",\n"
        "    \"notes\": []\n"
        "  },\n"
        "  \"resources\": {\n"
        "    \"wall_ns\": null,\n"
        "    \"user_ns\": null,\n"
        "    \"system_ns\": null,\n"
        "    \"max_rss_bytes\": null\n"
        "  },\n"
        "  \"total\": {\n"
        "    \"units\": {\"line\": 2},\n"
        "    \"allocations\": 3,\n"
        "    \"frees\": 0,\n"
        "    \"malloc\": 0,\n"
        "    \"calloc\": 0,\n"
        "    \"realloc\": 0,\n"
        "    \"aligned\": 0,\n"
        "    \"free\": 0,\n"
        "    \"free_null\": 0,\n"
        "    \"failed\": 0,\n"
        "    \"realloc_in_place\": 0,\n"
        "    \"realloc_moved\": 0,\n"
        "    \"realloc_grown\": 0,\n"
        "    \"realloc_shrunk\": 0,\n"
        "    \"bytes_requested\": 0,\n"
        "    \"live_blocks\": 0,\n"
        "    \"bytes_live\": null,\n"
        "    \"bytes_peak\": null,\n"
        "    \"bytes_peak_error\": null,\n"
        "    \"size_histogram\": [[16, 2], [32, 1]],\n"
        "    \"per\": {\"line\": {\"allocations\": 1.5, \"bytes_requested\": 0}}\n"
        "  },\n"
        "  \"phases\": [],\n"
        "  \"threads\": [],\n"
        "  \"processes\": [],\n"
        "  \"sites\": []\n"
        "}\n";
    cr_assert_str_eq(json_of(&record), expected, "written:\n%s", written);
}

Test(record_json, quotes_backslashes_and_control_bytes_are_escaped) {
    struct ca_record record = empty_record();
    record.name = "a\"b\\c\nd\x01\x1f\x7f/";
    assert_has(&record, "\"name\": \"a\\\"b\\\\c\\u000ad\\u0001\\u001f\\u007f/\",");
    json_t *root = parsed(&record);
    json_t *name = json_object_get(json_object_get(root, "program"), "name");
    cr_assert_str_eq(json_string_value(name), record.name);
    json_decref(root);
}

Test(record_json, names_of_units_are_escaped_too) {
    struct ca_record record = empty_record();
    record.total_units[0] = (struct ca_units){"a\"\xff\n", 1};
    record.total_units_count = 1;
    assert_has(&record, "\"per\": {\"a\\\"" FFFD "\\u000a\": {");
    json_decref(parsed(&record));
}

/* Each part that could not become a character is one U+FFFD: Unicode 15, tables 3-8 to 3-11. */
Test(record_json, each_maximal_part_that_is_not_utf8_becomes_one_replacement) {
    static const struct {
        const char *bytes;
        const char *expected;
    } cases[] = {
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"},
        {"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41",
         FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A"}, /* overlong */
        {"\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41",
         FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A"}, /* surrogates */
        {"\xf4\x91\x92\x93\xff\x41\x80\xbf\x42",
         FFFD FFFD FFFD FFFD FFFD "A" FFFD FFFD "B"},                      /* above U+10FFFF */
        {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", FFFD FFFD FFFD FFFD "A"}, /* cut short */
        {"\xc1\xbf\xf5\x80\xf8\x88", FFFD FFFD FFFD FFFD FFFD FFFD},
        {"x\xc3", "x" FFFD},
        {"x\xe2\x82", "x" FFFD},
        {"x\xf0\x9f\x98", "x" FFFD},
        {"\xe2\x82\"", FFFD "\""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct ca_record record = empty_record();
        record.executable = cases[i].bytes;
        json_t *root = parsed(&record);
        json_t *executable = json_object_get(json_object_get(root, "program"), "exe");
        cr_assert_str_eq(json_string_value(executable), cases[i].expected, "case %zu", i);
        json_decref(root);
    }
}

Test(record_json, arguments_that_were_cut_are_left_out) {
    struct ca_record record = empty_record();
    json_t *root;
    record.arguments = "one\0\0thr";
    record.argument_count = 5;
    record.argument_bytes = 8; /* ends before the NUL of "thr" */
    root = parsed(&record);
    assert_equal(json_object_get(json_object_get(root, "program"), "argv"), "[\"one\", \"\"]");
    json_decref(root);
    record.argument_count = 1;
    assert_has(&record, "\"argv\": [\"one\"],");
    record.arguments = NULL;
    record.argument_bytes = 0;
    record.argument_count = 5;
    assert_has(&record, "\"argv\": [],");
}

Test(record_json, strings_that_are_not_known_are_null) {
    struct ca_record record = empty_record();
    record.allocator = NULL;
    assert_has(&record, "\"allocator\": null\n");
}

Test(record_json, levels_have_names) {
    struct ca_record record = empty_record();
    record.level = CA_LEVEL_PARTIAL;
    assert_has(&record, "\"level\": \"partial\"");
    record.level = CA_LEVEL_FULL;
    assert_has(&record, "\"level\": \"full\"");
}

Test(record_json, largest_numbers_stay_integers) {
    struct ca_record record = empty_record();
    record.total.allocations = UINT64_MAX;
    record.total.bytes_requested = UINT64_MAX;
    record.total.live_blocks = INT64_MIN;
    record.total.has_live = record.total.has_peak = true;
    record.total.bytes_live = INT64_MIN;
    record.total.bytes_peak = INT64_MAX;
    record.total.bytes_peak_error = UINT64_MAX;
    record.total.size_class[CA_CLASSES - 2] = 1;
    record.total.size_class[CA_CLASSES - 1] = UINT64_MAX;
    record.total_units[0] = (struct ca_units){"line", 1};
    record.total_units[1] = (struct ca_units){"byte", UINT64_MAX};
    record.total_units_count = 2;
    assert_has(&record, "\"allocations\": 18446744073709551615,\n");
    assert_has(&record, "\"live_blocks\": -9223372036854775808,\n"
                        "    \"bytes_live\": -9223372036854775808,\n"
                        "    \"bytes_peak\": 9223372036854775807,\n"
                        "    \"bytes_peak_error\": 18446744073709551615,\n"
                        "    \"size_histogram\": [[2199023255552, 1], "
                        "[9223372036854775807, 18446744073709551615]],\n");
    assert_has(&record, "\"per\": {\"line\": {\"allocations\": 18446744073709551615, "
                        "\"bytes_requested\": 18446744073709551615}, "
                        "\"byte\": {\"allocations\": 1, \"bytes_requested\": 1}}\n");
}

Test(record_json, quotients_are_rounded_half_up_to_six_places) {
    static const struct {
        uint64_t number;
        uint64_t unit_count;
        const char *expected;
    } cases[] = {
        {0, 7, "0"},
        {1, 3, "0.333333"},
        {2, 3, "0.666667"},
        {5, 2, "2.5"},
        {21, 1, "21"},
        {100, 1, "100"},
        {9999996, 10000000, "1"},
        {9999994, 10000000, "0.999999"},
        {9999995, 10000000, "1"},
        {1, 2000000, "0.000001"},
        {1, 2000001, "0"},
        {1, 1000, "0.001"},
        {1010101, 1000000, "1.010101"},
        {21508562, 1000000, "21.508562"},
        {10000000000000000000u, 3, "3333333333333333333.333333"},
        {UINT64_MAX, 2, "9223372036854775807.5"},
        {UINT64_MAX - 1, UINT64_MAX, "1"},
        {1, UINT64_MAX, "0"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct ca_record record = empty_record();
        char expected[128];
        record.total.allocations = cases[i].number;
        record.total_units[0] = (struct ca_units){"line", cases[i].unit_count};
        record.total_units_count = 1;
        snprintf(expected, sizeof expected, "\"per\": {\"line\": {\"allocations\": %s, ",
                 cases[i].expected);
        assert_has(&record, expected);
    }
}

Test(record_json, a_unit_that_was_counted_to_zero_has_no_quotient) {
    struct ca_record record = empty_record();
    record.total_units[0] = (struct ca_units){"line", 0};
    record.total_units_count = 1;
    assert_has(&record, "\"per\": {}\n");
}
