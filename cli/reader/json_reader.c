/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "reader/json_sites.h"
#include "reader/json_walk.h"

/* ---- counts ---- */

static const struct {
    const char *name;
    size_t offset;
} unsigned_counts[] = {
    {"allocations", offsetof(struct ca_counts, allocations)},
    {"frees", offsetof(struct ca_counts, frees)},
    {"malloc", offsetof(struct ca_counts, malloc_calls)},
    {"calloc", offsetof(struct ca_counts, calloc_calls)},
    {"realloc", offsetof(struct ca_counts, realloc_calls)},
    {"aligned", offsetof(struct ca_counts, aligned_calls)},
    {"free", offsetof(struct ca_counts, free_calls)},
    {"free_null", offsetof(struct ca_counts, free_null)},
    {"failed", offsetof(struct ca_counts, failed_calls)},
    {"realloc_in_place", offsetof(struct ca_counts, realloc_in_place)},
    {"realloc_moved", offsetof(struct ca_counts, realloc_moved)},
    {"realloc_grown", offsetof(struct ca_counts, realloc_grown)},
    {"realloc_shrunk", offsetof(struct ca_counts, realloc_shrunk)},
    {"bytes_requested", offsetof(struct ca_counts, bytes_requested)},
};

/* The class whose upper bound is `value`: null, or more than JSON's readers can hold, for the last
 * one. */
static uint32_t class_of(const json_t *value) {
    if (json_is_null(value))
        return CA_CLASSES - 1;
    json_int_t upper = json_integer_value(value);
    uint32_t class = upper >= 0 ? ca_size_class((uint64_t)upper) : CA_CLASSES;
    bool is_bound = json_is_integer(value) && class < CA_CLASSES &&
                    ca_class_upper_bytes(class) == (uint64_t)upper;
    return is_bound ? class : CA_CLASSES;
}

static void read_histogram(struct ca_walk *walk, const struct ca_place *place,
                           struct ca_counts *counts) {
    const char *member = "size_histogram";
    const json_t *array = ca_walk_array(walk, place, member);
    uint32_t previous = 0;
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *pair = json_array_get(array, i);
        uint32_t class =
            json_array_size(pair) == 2 ? class_of(json_array_get(pair, 0)) : CA_CLASSES;
        if (class == CA_CLASSES || (i > 0 && class <= previous)) {
            ca_walk_complain(
                walk, place, member,
                "has an element %zu that is no [upper_bytes, count] of a size class above the "
                "ones before",
                i);
            return;
        }
        counts->size_class[class] =
            (uint64_t)ca_walk_signed_of(walk, place, member, json_array_get(pair, 1), 0, INT64_MAX);
        previous = class;
    }
}

static struct ca_counts read_counts(struct ca_walk *walk, const struct ca_place *place) {
    struct ca_counts counts = {0};
    for (size_t i = 0; i < sizeof unsigned_counts / sizeof unsigned_counts[0]; i++)
        *(uint64_t *)(void *)((char *)&counts + unsigned_counts[i].offset) =
            ca_walk_number(walk, place, unsigned_counts[i].name);
    counts.live_blocks = ca_walk_signed(walk, place, "live_blocks");
    counts.has_live = ca_walk_is_given(walk, place, "bytes_live");
    counts.has_peak = ca_walk_is_given(walk, place, "bytes_peak");
    if (counts.has_live)
        counts.bytes_live = ca_walk_signed(walk, place, "bytes_live");
    if (counts.has_peak) {
        counts.bytes_peak = ca_walk_signed(walk, place, "bytes_peak");
        counts.bytes_peak_error = ca_walk_number(walk, place, "bytes_peak_error");
    } else {
        ca_walk_expect_null(walk, place, "bytes_peak_error");
    }
    read_histogram(walk, place, &counts);
    ca_walk_object(walk, place, "per"); /* computed anew from counts and units */
    return counts;
}

static uint32_t read_units(struct ca_walk *walk, const struct ca_place *place,
                           struct ca_units *ret_units) {
    struct ca_place units = ca_walk_object(walk, place, "units");
    const char *name;
    json_t *value;
    uint32_t count = 0;
    if (json_object_size(units.object) > CA_UNIT_CAPACITY) {
        ca_walk_complain(walk, &units, "", "has more than %u units", CA_UNIT_CAPACITY);
        return 0;
    }
    json_object_foreach((json_t *)(uintptr_t)units.object, name, value) ret_units[count++] =
        (struct ca_units){name,
                          (uint64_t)ca_walk_signed_of(walk, &units, name, value, 0, INT64_MAX)};
    return count;
}

/* ---- parts of the record ---- */

/* `*ret_argument_bytes` bytes: the strings of an array, a NUL after each. */
static const char *read_arguments(struct ca_walk *walk, const struct ca_place *place,
                                  size_t *ret_argument_bytes, uint32_t *ret_argument_count) {
    const json_t *array = ca_walk_array(walk, place, "argv");
    size_t bytes = 0, count = json_array_size(array);
    for (size_t i = 0; i < count; i++) {
        if (!json_is_string(json_array_get(array, i))) {
            ca_walk_complain(walk, place, "argv", "has an element that is not a string");
            return "";
        }
        bytes += json_string_length(json_array_get(array, i)) + 1;
    }
    char *arguments = ca_walk_take(walk, bytes + 1, 1);
    if (arguments == NULL)
        return "";
    char *at = arguments;
    for (size_t i = 0; i < count; i++)
        at = stpcpy(at, json_string_value(json_array_get(array, i))) + 1;
    *ret_argument_bytes = bytes;
    *ret_argument_count = (uint32_t)count;
    return arguments;
}

static void read_program(struct ca_walk *walk, const struct ca_place *root,
                         struct ca_record *record) {
    struct ca_place program = ca_walk_object(walk, root, "program");
    record->name = ca_walk_text(walk, &program, "name");
    record->executable = ca_walk_text(walk, &program, "exe");
    record->arguments =
        read_arguments(walk, &program, &record->argument_bytes, &record->argument_count);
    record->pid = ca_walk_small_number(walk, &program, "pid");
    record->has_exit_status = ca_walk_is_given(walk, &program, "exit_status");
    if (record->has_exit_status)
        record->exit_status = (int)ca_walk_signed_of(
            walk, &program, "exit_status", ca_walk_member(walk, &program, "exit_status"), 0, 255);
    if (ca_walk_is_given(walk, &program, "signal"))
        record->signal = (int)ca_walk_signed_of(walk, &program, "signal",
                                                ca_walk_member(walk, &program, "signal"), 1, 127);
    record->is_complete = ca_walk_truth(walk, &program, "complete");
    record->is_timed_out = ca_walk_truth_if_any(walk, &program, "timed_out");
}

static void read_platform(struct ca_walk *walk, const struct ca_place *root,
                          struct ca_record *record) {
    struct ca_place platform = ca_walk_object(walk, root, "platform");
    record->platform_key = ca_walk_text(walk, &platform, "key");
    record->os = ca_walk_text(walk, &platform, "os");
    record->arch = ca_walk_text(walk, &platform, "arch");
    record->libc = ca_walk_text(walk, &platform, "libc");
    record->allocator = ca_walk_text(walk, &platform, "allocator");
    if (json_is_string(json_object_get(platform.object, "allocator_path")))
        record->allocator_path = ca_walk_text(walk, &platform, "allocator_path");
    record->has_allocator_bytes = json_object_get(platform.object, "allocator_held_bytes") != NULL;
    if (record->has_allocator_bytes) {
        record->allocator_used_bytes = ca_walk_number(walk, &platform, "allocator_used_bytes");
        record->allocator_held_bytes = ca_walk_number(walk, &platform, "allocator_held_bytes");
        if (json_is_integer(json_object_get(platform.object, "allocator_active_bytes")))
            record->allocator_active_bytes =
                ca_walk_number(walk, &platform, "allocator_active_bytes");
    }
}

static void read_coverage(struct ca_walk *walk, const struct ca_place *root,
                          struct ca_record *record) {
    static const char *const levels[] = {
        [CA_LEVEL_NONE] = "none", [CA_LEVEL_PARTIAL] = "partial", [CA_LEVEL_FULL] = "full"};
    struct ca_place coverage = ca_walk_object(walk, root, "coverage");
    record->is_attached = ca_walk_truth(walk, &coverage, "attached");
    const char *name = ca_walk_text(walk, &coverage, "level");
    uint32_t level = 0;
    while (level <= CA_LEVEL_FULL && strcmp(levels[level], name) != 0)
        level++;
    if (level > CA_LEVEL_FULL)
        ca_walk_complain(walk, &coverage, "level", "is none of full, partial, none");
    else
        record->level = (enum ca_level)level;
    const json_t *notes = ca_walk_array(walk, &coverage, "notes");
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const char *note = json_string_value(json_array_get(notes, i));
        if (note == NULL)
            ca_walk_complain(walk, &coverage, "notes", "has an element that is not a string");
        else
            ca_record_note(record, note);
    }
}

static void read_resources(struct ca_walk *walk, const struct ca_place *root,
                           struct ca_record *record) {
    struct ca_place resources = ca_walk_object(walk, root, "resources");
    record->has_resources = ca_walk_is_given(walk, &resources, "wall_ns");
    if (!record->has_resources) {
        ca_walk_expect_null(walk, &resources, "user_ns");
        ca_walk_expect_null(walk, &resources, "system_ns");
        ca_walk_expect_null(walk, &resources, "max_rss_bytes");
        return;
    }
    record->wall_ns = ca_walk_number(walk, &resources, "wall_ns");
    record->user_ns = ca_walk_number(walk, &resources, "user_ns");
    record->system_ns = ca_walk_number(walk, &resources, "system_ns");
    record->max_rss_bytes = ca_walk_number(walk, &resources, "max_rss_bytes");
}

static void read_shares(struct ca_walk *walk, const struct ca_place *place,
                        struct ca_record_phase *phase) {
    struct ca_walk_list list = ca_walk_list(walk, place, "threads");
    struct ca_place share;
    phase->shares = ca_walk_take(walk, list.count, sizeof *phase->shares);
    while (ca_walk_next(walk, &list, &share)) {
        phase->shares[list.index] = (struct ca_share){
            .thread = ca_walk_small_number(walk, &share, "number"),
            .is_adopted = ca_walk_truth(walk, &share, "adopted"),
            .opened = ca_walk_number(walk, &share, "opened"),
            .counts = read_counts(walk, &share),
        };
    }
    phase->share_count = list.count;
}

static void read_phases(struct ca_walk *walk, const struct ca_place *root,
                        struct ca_record *record) {
    struct ca_walk_list list = ca_walk_list(walk, root, "phases");
    struct ca_place place;
    record->phases = ca_walk_take(walk, list.count, sizeof *record->phases);
    while (ca_walk_next(walk, &list, &place)) {
        struct ca_record_phase *phase = &record->phases[list.index];
        phase->name = ca_walk_text(walk, &place, "name");
        phase->opened = ca_walk_number(walk, &place, "opened");
        phase->is_process_phase = ca_walk_truth(walk, &place, "process_phase");
        phase->units_count = read_units(walk, &place, phase->units);
        phase->counts = read_counts(walk, &place);
        read_shares(walk, &place, phase);
    }
    record->phase_count = list.count;
}

static void read_threads(struct ca_walk *walk, const struct ca_place *root,
                         struct ca_record *record) {
    struct ca_walk_list list = ca_walk_list(walk, root, "threads");
    struct ca_place place;
    record->threads = ca_walk_take(walk, list.count, sizeof *record->threads);
    while (ca_walk_next(walk, &list, &place)) {
        record->threads[list.index] = (struct ca_record_thread){
            .number = ca_walk_small_number(walk, &place, "number"),
            .name = ca_walk_text_or_null(walk, &place, "name"),
            .thread_count = ca_walk_small_number(walk, &place, "thread_count"),
            .counts = read_counts(walk, &place),
        };
    }
    record->thread_count = list.count;
}

static void read_processes(struct ca_walk *walk, const struct ca_place *root,
                           struct ca_record *record) {
    struct ca_walk_list list = ca_walk_list(walk, root, "processes");
    struct ca_place place;
    record->processes = ca_walk_take(walk, list.count, sizeof *record->processes);
    while (ca_walk_next(walk, &list, &place)) {
        struct ca_record_process *process = &record->processes[list.index];
        process->pid = ca_walk_small_number(walk, &place, "pid");
        process->parent_pid = ca_walk_small_number(walk, &place, "ppid");
        process->executable = ca_walk_text(walk, &place, "exe");
        process->arguments =
            read_arguments(walk, &place, &process->argument_bytes, &process->argument_count);
        process->is_complete = ca_walk_truth(walk, &place, "complete");
        process->counts = read_counts(walk, &place);
    }
    record->process_count = list.count;
}

static void read_root(struct ca_walk *walk, const struct ca_place *root, struct ca_record *record) {
    const char *schema = ca_walk_text(walk, root, "schema");
    if (strcmp(schema, CA_RECORD_SCHEMA) != 0)
        ca_walk_complain(walk, root, "schema",
                         "is '%.60s'; this countalloc reads '" CA_RECORD_SCHEMA "'", schema);
    record->rules = ca_walk_small_number(walk, root, "rules");
    record->version = ca_walk_text(walk, root, "countalloc");
    read_program(walk, root, record);
    read_platform(walk, root, record);
    read_coverage(walk, root, record);
    read_resources(walk, root, record);
    struct ca_place total = ca_walk_object(walk, root, "total");
    record->total_units_count = read_units(walk, &total, record->total_units);
    record->total = read_counts(walk, &total);
    read_phases(walk, root, record);
    read_threads(walk, root, record);
    read_processes(walk, root, record);
    if (walk->status == CA_OK)
        ca_json_read_sites(walk, root, record);
}

enum ca_status ca_record_load_json(struct ca_loaded_record *loaded, const char *bytes,
                                   size_t byte_count, const char *shown, struct ca_error *err) {
    json_error_t cause;
    json_t *json = json_loadb(bytes, byte_count, JSON_REJECT_DUPLICATES, &cause);
    loaded->json = json;
    if (json == NULL)
        return ca_error_set(err, CA_ERROR_INPUT, "%s:%d:%d: %s", shown, cause.line, cause.column,
                            cause.text);
    if (!json_is_object(json))
        return ca_error_set(err, CA_ERROR_INPUT, "%s: no record: it is not a JSON object", shown);
    struct ca_walk walk = {.loaded = loaded, .shown = shown, .err = err};
    struct ca_place root = {.object = json};
    read_root(&walk, &root, &loaded->record);
    return walk.status;
}
