/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/record_reader.h"

struct text {
    char *bytes;
    size_t byte_count;
};

static struct ca_loaded_record loaded;
static struct ca_error err;

static void append(void *target, const char *bytes, size_t byte_count) {
    struct text *text = target;
    text->bytes = realloc(text->bytes, text->byte_count + byte_count + 1);
    memcpy(text->bytes + text->byte_count, bytes, byte_count);
    text->byte_count += byte_count;
    text->bytes[text->byte_count] = '\0';
}

static struct text written(const struct ca_record *record) {
    static struct ca_out out;
    struct text text = {0};
    ca_out_init(&out, append, &text);
    ca_record_write_json(record, &out);
    ca_out_flush(&out);
    return text;
}

static struct ca_counts counts_from(uint64_t seed) {
    struct ca_counts counts = {
        .allocations = seed + 40,
        .frees = seed + 1,
        .malloc_calls = seed + 2,
        .calloc_calls = seed + 3,
        .realloc_calls = seed + 4,
        .aligned_calls = seed + 5,
        .free_calls = seed + 6,
        .free_null = seed + 7,
        .failed_calls = seed + 8,
        .realloc_in_place = seed + 9,
        .realloc_moved = seed + 10,
        .realloc_grown = seed + 11,
        .realloc_shrunk = seed + 12,
        .bytes_requested = INT64_MAX - seed,
        .live_blocks = -(int64_t)seed,
        .has_live = true,
        .has_peak = seed % 2 == 0,
        .bytes_live = -9,
        .bytes_peak = seed % 2 == 0 ? 99 : 0,
        .bytes_peak_error = seed % 2 == 0 ? 65536 : 0,
    };
    counts.size_class[0] = seed + 1;
    counts.size_class[64] = seed + 2;
    counts.size_class[65] = seed + 3;
    counts.size_class[CA_CLASSES - 1] = seed + 4;
    return counts;
}

/* A record with something in every part. */
static const struct ca_record *full_record(void) {
    static struct ca_record record;
    static struct ca_share shares[] = {{.thread = 1, .opened = 2},
                                       {.thread = 2, .is_adopted = true}};
    static struct ca_record_phase phases[2];
    static struct ca_record_thread threads[2];
    static struct ca_record_process processes[1];
    static const char arguments[] = "prog\0-x\0\xff\xfe \"quoted\"\0";
    shares[0].counts = counts_from(3);
    shares[1].counts = counts_from(4);
    phases[0] = (struct ca_record_phase){
        .name = "startup", .is_process_phase = true, .counts = counts_from(5)};
    phases[1] = (struct ca_record_phase){.name = "sc\xc3\xa4n\x01",
                                         .opened = 2,
                                         .units = {{"line", 1000000}, {"byte", 0}},
                                         .units_count = 2,
                                         .counts = counts_from(6),
                                         .shares = shares,
                                         .share_count = 2};
    threads[0] =
        (struct ca_record_thread){.number = 0, .thread_count = 5, .counts = counts_from(7)};
    threads[1] = (struct ca_record_thread){
        .number = 1, .name = "worker", .thread_count = 1, .counts = counts_from(8)};
    processes[0] = (struct ca_record_process){.pid = 4294967295u,
                                              .parent_pid = 1,
                                              .executable = "/bin/prog",
                                              .arguments = arguments,
                                              .argument_bytes = sizeof arguments,
                                              .argument_count = 3,
                                              .is_complete = true,
                                              .counts = counts_from(9)};
    record = (struct ca_record){.version = "0.1.0",
                                .rules = 1,
                                .name = "prog",
                                .executable = "/bin/prog",
                                .arguments = arguments,
                                .argument_bytes = sizeof arguments,
                                .argument_count = 3,
                                .pid = 77,
                                .signal = 9,
                                .platform_key = "linux-x86_64-glibc2.36-glibc",
                                .os = "linux",
                                .arch = "x86_64",
                                .libc = "glibc 2.36",
                                .allocator = "glibc",
                                .is_attached = true,
                                .level = CA_LEVEL_PARTIAL,
                                .has_resources = true,
                                .wall_ns = 1,
                                .user_ns = 2,
                                .system_ns = 3,
                                .max_rss_bytes = 4096,
                                .total = counts_from(2),
                                .total_units = {{"line", 5}},
                                .total_units_count = 1,
                                .phases = phases,
                                .phase_count = 2,
                                .threads = threads,
                                .thread_count = 2,
                                .processes = processes,
                                .process_count = 1};
    ca_record_note(&record, "something was not seen");
    ca_record_note(&record, "");
    return &record;
}

static enum ca_status read_text(const char *bytes, size_t byte_count) {
    ca_loaded_record_release(&loaded);
    loaded = (struct ca_loaded_record){0};
    return ca_record_load_json(&loaded, bytes, byte_count, "r.json", &err);
}

static void expect_error(const char *text, const char *message) {
    cr_assert_eq(read_text(text, strlen(text)), CA_ERROR_INPUT, "%s", text);
    cr_assert_str_eq(err.message, message);
}

static void comes_back_the_same(const struct ca_record *record) {
    struct text first = written(record);
    cr_assert_eq(read_text(first.bytes, first.byte_count), CA_OK, "%s", err.message);
    struct text second = written(&loaded.record);
    cr_assert_eq(first.byte_count, second.byte_count);
    cr_assert_str_eq(first.bytes, second.bytes);
}

Test(json_reader, record_written_read_and_written_is_the_same) {
    comes_back_the_same(full_record());
}

Test(json_reader, record_of_nothing_measured_is_the_same) {
    struct ca_record record = *full_record();
    record.is_attached = false;
    record.level = CA_LEVEL_NONE;
    record.has_resources = false;
    record.has_exit_status = true;
    record.exit_status = 125;
    record.signal = 0;
    record.phase_count = record.thread_count = record.process_count = 0;
    record.total = (struct ca_counts){0};
    record.total_units_count = 0;
    record.argument_count = 0;
    comes_back_the_same(&record);
}

Test(json_reader, syntax_errors_name_line_and_column) {
    expect_error("{\n  \"schema\": oops}", "r.json:2:16: invalid token near 'oops'");
    expect_error("{\"a\": 1, \"a\": 2}", "r.json:1:12: duplicate object key near '\"a\"'");
    expect_error("[1]", "r.json: no record: it is not a JSON object");
    expect_error("{\"a\": 1} x", "r.json:1:10: end of file expected near 'x'");
}

Test(json_reader, other_schemas_are_refused) {
    cr_assert_eq(read_text("{\"schema\": \"countalloc.record/2\"}", 33), CA_ERROR_INPUT);
    cr_assert_str_eq(err.message, "r.json: member 'schema' is 'countalloc.record/2'; this "
                                  "countalloc reads 'countalloc.record/1'");
}

/* Objects whose members are data, not structure. */
static bool is_free_form(const char *name) {
    return strcmp(name, "units") == 0 || strcmp(name, "per") == 0;
}

static json_t *root;

/* What is in the record must be needed: dumps it and reads it. */
static enum ca_status read_root(void) {
    char *text = json_dumps(root, 0);
    enum ca_status status = read_text(text, strlen(text));
    free(text);
    return status;
}

static int tried_count;

#define MEMBERS 64u

/* Names first: a member that is put back goes to the end. */
static void try_every_member(json_t *value, void (*try)(json_t *object, const char *name)) {
    size_t index, count = 0;
    const char *name, *names[MEMBERS];
    json_t *inner;
    json_array_foreach(value, index, inner) try_every_member(inner, try);
    json_object_foreach(value, name, inner) {
        cr_assert_lt(count, MEMBERS);
        names[count++] = strdup(name);
    }
    for (size_t i = 0; i < count; i++) {
        inner = json_incref(json_object_get(value, names[i]));
        if (!is_free_form(names[i]))
            try_every_member(inner, try);
        try(value, names[i]);
        json_object_set_new(value, names[i], inner);
        free((void *)(uintptr_t)names[i]);
        tried_count++;
    }
}

static void remove_it(json_t *object, const char *name) {
    json_object_del(object, name);
    if (strcmp(name, "timed_out") == 0) { /* the first records had none */
        cr_assert_eq(read_root(), CA_OK, "%s", err.message);
        return;
    }
    cr_assert_eq(read_root(), CA_ERROR_INPUT, "without %s", name);
    char quoted[80];
    snprintf(quoted, sizeof quoted, "%s' is missing", name);
    cr_assert_not_null(strstr(err.message, quoted), "%s", err.message);
}

static void replace_it(json_t *object, const char *name) {
    json_object_set_new(object, name, json_pack("{s:[f]}", "x", 1.5));
    enum ca_status status = read_root();
    cr_assert_eq(status, is_free_form(name) && strcmp(name, "per") == 0 ? CA_OK : CA_ERROR_INPUT,
                 "%s", name);
    json_object_set_new(object, name, json_integer(-3));
    read_root();
    json_object_set_new(object, name, json_string("text"));
    read_root();
}

static void load_root(void) {
    struct text text = written(full_record());
    root = json_loadb(text.bytes, text.byte_count, 0, NULL);
    cr_assert_not_null(root);
    cr_assert_eq(read_root(), CA_OK, "%s", err.message);
}

Test(json_reader, every_member_is_needed) {
    load_root();
    try_every_member(root, remove_it);
    cr_assert_gt(tried_count, 200);
}

Test(json_reader, every_member_has_its_type) {
    load_root();
    try_every_member(root, replace_it);
}

Test(json_reader, members_that_are_not_known_are_passed_over) {
    load_root();
    json_object_set_new(root, "later", json_true());
    cr_assert_eq(read_root(), CA_OK);
}

Test(json_reader, every_beginning_of_a_record_is_an_error) {
    struct text text = written(full_record());
    for (size_t length = 0; length + 1 < text.byte_count; length += 7) {
        char *exact = malloc(length + 1);
        memcpy(exact, text.bytes, length);
        cr_assert_eq(read_text(exact, length), CA_ERROR_INPUT);
        free(exact);
    }
}
