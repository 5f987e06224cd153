/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "reader/record_reader.h"
#include "sites_record.h"

static struct sites_record made;
static struct ca_loaded_record loaded;
static struct ca_error err;

static void begin(void) {
    sites_record_init(&made);
}

static void end(void) {
    ca_loaded_record_release(&loaded);
}

TestSuite(json_sites, .init = begin, .fini = end);

struct text {
    char bytes[65536];
    size_t byte_count;
};

static void append(void *target, const char *bytes, size_t byte_count) {
    struct text *text = target;
    cr_assert_lt(text->byte_count + byte_count, sizeof text->bytes);
    memcpy(text->bytes + text->byte_count, bytes, byte_count);
    text->byte_count += byte_count;
    text->bytes[text->byte_count] = '\0';
}

static const char *written(const struct ca_record *record) {
    static struct text texts[2];
    static int turn;
    struct text *text = &texts[turn ^= 1];
    struct ca_out out;
    text->byte_count = 0;
    ca_out_init(&out, append, text);
    ca_record_write_json(record, &out);
    ca_out_flush(&out);
    return text->bytes;
}

static enum ca_status read_text(const char *text) {
    ca_loaded_record_release(&loaded);
    loaded = (struct ca_loaded_record){0};
    return ca_record_load_json(&loaded, text, strlen(text), "r.json", &err);
}

static void expect_read(const char *text) {
    cr_assert_eq(read_text(text), CA_OK, "%s", err.message);
}

static void expect_error(const char *message) {
    cr_assert_eq(read_text(written(&made.record)), CA_ERROR_INPUT);
    cr_assert_str_eq(err.message, message);
}

static void expect_text(const char *expected) {
    const char *text = written(&made.record);
    cr_assert_not_null(strstr(text, expected), "written:\n%s\nexpected in it:\n%s", text, expected);
}

/* The record with `old` in its text replaced. */
static const char *replaced(const char *old, const char *new) {
    static char text[65536];
    const char *before = written(&made.record), *at = strstr(before, old);
    cr_assert_not_null(at, "%s", old);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - before), before, new, at + strlen(old));
    return text;
}

static void expect_replaced_error(const char *old, const char *new, const char *message) {
    cr_assert_eq(read_text(replaced(old, new)), CA_ERROR_INPUT, "%s", new);
    cr_assert_str_eq(err.message, message);
}

Test(json_sites, a_frame_and_a_site_take_a_line_each) {
    expect_text("  \"stack_depth\": 8,\n"
                "  \"sample_bytes\": 1024,\n"
                "  \"modules\": [\n"
                "    {\"path\": \"/usr/bin/logstat\", \"build_id\": \"ab01\"},\n"
                "    {\"path\": \"/usr/lib/libc.so.6\", \"build_id\": null}\n"
                "  ],\n"
                "  \"frames\": [\n"
                "    {\"module\": 0, \"offset\": 4609, \"functions\": [{\"name\": \"copy_key\", "
                "\"file\": \"/src/tally.c\", \"line\": 41}, {\"name\": \"tally_add\", \"file\": "
                "\"/src/tally.c\", \"line\": 60}]},\n");
    expect_text("    {\"module\": null, \"offset\": 139637976731648, \"functions\": []}\n"
                "  ],\n"
                "  \"sites\": [\n"
                "    {\"phase\": \"startup\", \"frames\": [4], \"allocations\": 1, \"malloc\": 1, "
                "\"calloc\": 0, \"realloc\": 0, \"aligned\": 0, \"bytes_requested\": 72704},\n");
    expect_text("    {\"phase\": \"main\", \"frames\": [], \"allocations\": 1, ");
    expect_text("    {\"phase\": \"scan\", \"frames\": [5, 1], \"cut\": true, \"allocations\": 1, "
                "\"malloc\": 0, \"calloc\": 0, \"realloc\": 0, \"aligned\": 1, "
                "\"bytes_requested\": 64}\n"
                "  ],\n"
                "  \"samples\": [\n"
                "    {\"phase\": \"scan\", \"frames\": [0, 1, 2], \"samples\": 4, \"allocations\": "
                "11, \"bytes_requested\": 220},\n");
}

Test(json_sites, without_sites_an_empty_list_is_all_there_is) {
    made.record.stack_depth = 0;
    made.record.sample_bytes = 0;
    expect_text("  \"processes\": [],\n  \"sites\": []\n}\n");
    expect_read(written(&made.record));
    cr_assert_eq(loaded.record.stack_depth, 0);
    cr_assert_eq(loaded.record.site_count, 0);
}

Test(json_sites, samples_alone_have_frames_and_no_sites) {
    made.record.stack_depth = 0;
    const char *text = written(&made.record);
    cr_assert_null(strstr(text, "stack_depth"));
    expect_read(text);
    cr_assert_eq(loaded.record.site_count, 0);
    cr_assert_eq(loaded.record.frames_count, 6);
    cr_assert_eq(loaded.record.sample_count, 2);
    cr_assert_eq(loaded.record.samples[1].bytes_requested, 510);
}

Test(json_sites, what_was_written_is_read_and_written_the_same) {
    const char *first = written(&made.record);
    expect_read(first);
    cr_assert_str_eq(written(&loaded.record), first);
    cr_assert_eq(loaded.record.modules[0].build_id_bytes, 2);
    cr_assert_eq(loaded.record.modules[0].build_id[0], 0xab);
    cr_assert_eq(loaded.record.frames[5].module, CA_NO_MODULE);
    cr_assert_eq(loaded.record.sites[SITE_ANONYMOUS].frames[1], 1);
    cr_assert(loaded.record.sites[SITE_ANONYMOUS].is_cut);
}

Test(json_sites, any_address_comes_back) {
    made.frames[5].offset = UINT64_MAX - 4;
    expect_text("{\"module\": null, \"offset\": -5, \"functions\": []}");
    expect_read(written(&made.record));
    cr_assert_eq(loaded.record.frames[5].offset, UINT64_MAX - 4);
}

Test(json_sites, functions_may_lack_everything) {
    made.functions[4] = (struct ca_record_function){NULL, NULL, 0};
    expect_text("\"functions\": [{\"name\": null, \"file\": null, \"line\": 0}]");
    expect_read(written(&made.record));
    cr_assert_null(loaded.record.frames[3].functions[0].name);
}

Test(json_sites, sites_that_do_not_add_up_are_an_error) {
    made.phases[2].counts.allocations = 19;
    expect_error("r.json: member 'sites' does not add up: phase 'scan' has 19 allocations, its "
                 "sites have 18");
    made.phases[2].counts.allocations = 17;
    expect_error("r.json: member 'sites' does not add up: phase 'scan' has 17 allocations, its "
                 "sites have 18");
    made.phases[2].counts.allocations = 18;
    made.phases[2].counts.bytes_requested = 805;
    expect_error("r.json: member 'sites' does not add up: phase 'scan' requested 805 bytes, its "
                 "sites 804");
}

/* What other threads were in the middle of when it changed. */
Test(json_sites, a_process_phase_of_several_threads_may_have_less_than_its_sites) {
    made.phases[1].counts.allocations = 3;
    expect_error("r.json: member 'sites' does not add up: phase 'main' has 3 allocations, its "
                 "sites have 4");
    made.threads[0].thread_count = 2;
    expect_read(written(&made.record));
    made.phases[1].counts.allocations = 5;
    expect_error("r.json: member 'sites' does not add up: phase 'main' has 5 allocations, its "
                 "sites have 4");
}

Test(json_sites, kinds_of_calls_make_the_allocations) {
    made.sites[SITE_GROW].malloc_calls = 1;
    expect_error("r.json: member 'sites[4].allocations' is 5, but malloc, calloc, realloc and "
                 "aligned make 6");
}

Test(json_sites, indices_lead_somewhere) {
    expect_replaced_error("\"frames\": [5, 1]", "\"frames\": [6, 1]",
                          "r.json: member 'sites[5].frames' has the index 6, and there are 6 "
                          "frames");
    expect_replaced_error("\"frames\": [5, 1]", "\"frames\": [-1]",
                          "r.json: member 'sites[5].frames' is out of range: -1");
    expect_replaced_error("\"module\": 1", "\"module\": 2",
                          "r.json: member 'frames[4].module' has the index 2, and there are 2 "
                          "modules");
    expect_replaced_error("\"frames\": [0, 1, 2], \"samples\"", "\"frames\": [7], \"samples\"",
                          "r.json: member 'samples[0].frames' has the index 7, and there are 6 "
                          "frames");
}

Test(json_sites, phases_are_known_and_in_their_order) {
    expect_replaced_error("\"phase\": \"scan\", \"frames\": [3",
                          "\"phase\": \"scam\", \"frames\": [3",
                          "r.json: member 'sites[4].phase' is 'scam', which is no phase of the "
                          "record, or one before that of the element before");
    expect_replaced_error("\"phase\": \"scan\", \"frames\": [3",
                          "\"phase\": \"main\", \"frames\": [3",
                          "r.json: member 'sites[4].phase' is 'main', which is no phase of the "
                          "record, or one before that of the element before");
}

Test(json_sites, build_ids_are_pairs_of_hexadecimal_digits) {
    static const char *const wrong[] = {"\"abc\"", "\"AB\"", "\"\"", "\"zz\""};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_replaced_error("\"ab01\"", wrong[i],
                              "r.json: member 'modules[0].build_id' is no build id: an even number "
                              "of digits 0 to 9 and a to f, at most 128");
}

Test(json_sites, sites_without_a_depth_are_an_error) {
    expect_replaced_error("  \"stack_depth\": 8,\n", "",
                          "r.json: member 'sites' has elements, but there is no 'stack_depth'");
    expect_replaced_error("\"stack_depth\": 8", "\"stack_depth\": 0",
                          "r.json: member 'stack_depth' is out of range: 0");
}

/* Every member of every frame, site and sample is needed, but for "cut". */
Test(json_sites, every_member_is_needed) {
    static const char *const lists[] = {"modules", "frames", "sites", "samples"};
    size_t tried_count = 0;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        json_t *sample = json_loads(written(&made.record), 0, NULL), *value;
        const char *name;
        json_object_foreach(json_array_get(json_object_get(sample, lists[i]), 0), name, value) {
            json_t *root = json_loads(written(&made.record), 0, NULL);
            json_object_del(json_array_get(json_object_get(root, lists[i]), 0), name);
            char *text = json_dumps(root, 0), quoted[80];
            cr_assert_eq(read_text(text), CA_ERROR_INPUT, "%s without %s", lists[i], name);
            snprintf(quoted, sizeof quoted, "'%s[0].%s' is missing", lists[i], name);
            cr_assert_not_null(strstr(err.message, quoted), "%s", err.message);
            free(text);
            json_decref(root);
            tried_count++;
        }
        json_decref(sample);
    }
    cr_assert_eq(tried_count, 2 + 3 + 8 + 5);
}
