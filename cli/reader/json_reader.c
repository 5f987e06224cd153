/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "reader/record_reader.h"

/* A walk through the record. The first error stays; after it every reading function does nothing
 * and returns something harmless, so that the walk needs no branches. */
struct walk {
    struct ca_loaded_record *loaded;
    const char *shown;
    enum ca_status status;
    struct ca_error *err;
};

/* A JSON object and how to call it in a message. */
struct place {
    const json_t *object;
    char name[160]; /* "phases[3].threads[0]"; "" is the record */
};

__attribute__((format(printf, 4, 5))) static void complain(struct walk *walk,
                                                           const struct place *place,
                                                           const char *member, const char *format,
                                                           ...) {
    if (walk->status != CA_OK)
        return;
    char cause[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    walk->status =
        ca_error_set(walk->err, CA_ERROR_INPUT, "%s: member '%s%s%s' %s", walk->shown, place->name,
                     place->name[0] != '\0' && member[0] != '\0' ? "." : "", member, cause);
}

static void *take(struct walk *walk, size_t element_count, size_t element_bytes) {
    void *taken = ca_loaded_record_allocate(walk->loaded, element_count, element_bytes);
    if (taken == NULL && walk->status == CA_OK)
        walk->status = ca_error_memory(walk->err);
    return taken;
}

/* ---- values ---- */

static const json_t *member_of(struct walk *walk, const struct place *place, const char *member) {
    const json_t *value = json_object_get(place->object, member);
    if (value == NULL)
        complain(walk, place, member, "is missing");
    return value;
}

static struct place object_in(struct walk *walk, const struct place *place, const char *member) {
    struct place inner = {.object = member_of(walk, place, member)};
    snprintf(inner.name, sizeof inner.name, "%.100s%s%.50s", place->name,
             place->name[0] != '\0' ? "." : "", member);
    if (inner.object != NULL && !json_is_object(inner.object)) {
        complain(walk, place, member, "is not an object");
        inner.object = NULL;
    }
    return inner;
}

static const json_t *array_in(struct walk *walk, const struct place *place, const char *member) {
    const json_t *value = member_of(walk, place, member);
    if (value == NULL || json_is_array(value))
        return value;
    complain(walk, place, member, "is not an array");
    return NULL;
}

static struct place element_of(struct walk *walk, const struct place *place, const char *member,
                               const json_t *array, size_t index) {
    struct place inner = {.object = json_array_get(array, index)};
    snprintf(inner.name, sizeof inner.name, "%.100s%s%.30s[%zu]", place->name,
             place->name[0] != '\0' ? "." : "", member, index);
    if (!json_is_object(inner.object)) {
        complain(walk, &inner, "", "is not an object");
        inner.object = NULL;
    }
    return inner;
}

static const char *text_in(struct walk *walk, const struct place *place, const char *member) {
    const json_t *value = member_of(walk, place, member);
    if (value == NULL || json_is_string(value))
        return value != NULL ? json_string_value(value) : "";
    complain(walk, place, member, "is not a string");
    return "";
}

static bool truth_in(struct walk *walk, const struct place *place, const char *member) {
    const json_t *value = member_of(walk, place, member);
    if (value != NULL && !json_is_boolean(value))
        complain(walk, place, member, "is neither true nor false");
    return json_is_true(value);
}

static int64_t signed_of(struct walk *walk, const struct place *place, const char *member,
                         const json_t *value, int64_t lowest, int64_t highest) {
    int64_t number = json_integer_value(value);
    if (value == NULL)
        return 0;
    if (!json_is_integer(value))
        complain(walk, place, member, "is not an integer");
    else if (number < lowest || number > highest)
        complain(walk, place, member, "is out of range: %lld", (long long)number);
    else
        return number;
    return 0;
}

static int64_t signed_in(struct walk *walk, const struct place *place, const char *member) {
    return signed_of(walk, place, member, member_of(walk, place, member), INT64_MIN, INT64_MAX);
}

static uint64_t number_in(struct walk *walk, const struct place *place, const char *member) {
    return (uint64_t)signed_of(walk, place, member, member_of(walk, place, member), 0, INT64_MAX);
}

static uint32_t small_number_in(struct walk *walk, const struct place *place, const char *member) {
    return (uint32_t)signed_of(walk, place, member, member_of(walk, place, member), 0, UINT32_MAX);
}

/* False for null. */
static bool is_given(struct walk *walk, const struct place *place, const char *member) {
    const json_t *value = member_of(walk, place, member);
    return value != NULL && !json_is_null(value);
}

/* What belongs to a figure that was not taken. */
static void expect_null(struct walk *walk, const struct place *place, const char *member) {
    if (is_given(walk, place, member))
        complain(walk, place, member, "is not null, as what it belongs to");
}

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

static void read_histogram(struct walk *walk, const struct place *place, struct ca_counts *counts) {
    const char *member = "size_histogram";
    const json_t *array = array_in(walk, place, member);
    uint32_t previous = 0;
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *pair = json_array_get(array, i);
        uint32_t class =
            json_array_size(pair) == 2 ? class_of(json_array_get(pair, 0)) : CA_CLASSES;
        if (class == CA_CLASSES || (i > 0 && class <= previous)) {
            complain(walk, place, member,
                     "has an element %zu that is no [upper_bytes, count] of a size class above the "
                     "ones before",
                     i);
            return;
        }
        counts->size_class[class] =
            (uint64_t)signed_of(walk, place, member, json_array_get(pair, 1), 0, INT64_MAX);
        previous = class;
    }
}

static struct ca_counts read_counts(struct walk *walk, const struct place *place) {
    struct ca_counts counts = {0};
    for (size_t i = 0; i < sizeof unsigned_counts / sizeof unsigned_counts[0]; i++)
        *(uint64_t *)(void *)((char *)&counts + unsigned_counts[i].offset) =
            number_in(walk, place, unsigned_counts[i].name);
    counts.live_blocks = signed_in(walk, place, "live_blocks");
    counts.has_live = is_given(walk, place, "bytes_live");
    counts.has_peak = is_given(walk, place, "bytes_peak");
    if (counts.has_live)
        counts.bytes_live = signed_in(walk, place, "bytes_live");
    if (counts.has_peak) {
        counts.bytes_peak = signed_in(walk, place, "bytes_peak");
        counts.bytes_peak_error = number_in(walk, place, "bytes_peak_error");
    } else {
        expect_null(walk, place, "bytes_peak_error");
    }
    read_histogram(walk, place, &counts);
    object_in(walk, place, "per"); /* computed anew from counts and units */
    return counts;
}

static uint32_t read_units(struct walk *walk, const struct place *place,
                           struct ca_units *ret_units) {
    struct place units = object_in(walk, place, "units");
    const char *name;
    json_t *value;
    uint32_t count = 0;
    if (json_object_size(units.object) > CA_UNIT_CAPACITY) {
        complain(walk, &units, "", "has more than %u units", CA_UNIT_CAPACITY);
        return 0;
    }
    json_object_foreach((json_t *)(uintptr_t)units.object, name, value) ret_units[count++] =
        (struct ca_units){name, (uint64_t)signed_of(walk, &units, name, value, 0, INT64_MAX)};
    return count;
}

/* ---- parts of the record ---- */

/* `*ret_argument_bytes` bytes: the strings of an array, a NUL after each. */
static const char *read_arguments(struct walk *walk, const struct place *place,
                                  size_t *ret_argument_bytes, uint32_t *ret_argument_count) {
    const json_t *array = array_in(walk, place, "argv");
    size_t bytes = 0, count = json_array_size(array);
    for (size_t i = 0; i < count; i++) {
        if (!json_is_string(json_array_get(array, i))) {
            complain(walk, place, "argv", "has an element that is not a string");
            return "";
        }
        bytes += json_string_length(json_array_get(array, i)) + 1;
    }
    char *arguments = take(walk, bytes + 1, 1);
    if (arguments == NULL)
        return "";
    char *at = arguments;
    for (size_t i = 0; i < count; i++)
        at = stpcpy(at, json_string_value(json_array_get(array, i))) + 1;
    *ret_argument_bytes = bytes;
    *ret_argument_count = (uint32_t)count;
    return arguments;
}

static void read_program(struct walk *walk, const struct place *root, struct ca_record *record) {
    struct place program = object_in(walk, root, "program");
    record->name = text_in(walk, &program, "name");
    record->executable = text_in(walk, &program, "exe");
    record->arguments =
        read_arguments(walk, &program, &record->argument_bytes, &record->argument_count);
    record->pid = small_number_in(walk, &program, "pid");
    record->has_exit_status = is_given(walk, &program, "exit_status");
    if (record->has_exit_status)
        record->exit_status = (int)signed_of(walk, &program, "exit_status",
                                             member_of(walk, &program, "exit_status"), 0, 255);
    if (is_given(walk, &program, "signal"))
        record->signal =
            (int)signed_of(walk, &program, "signal", member_of(walk, &program, "signal"), 1, 127);
    record->is_complete = truth_in(walk, &program, "complete");
    if (json_object_get(program.object, "timed_out") != NULL)
        record->is_timed_out = truth_in(walk, &program, "timed_out");
}

static void read_platform(struct walk *walk, const struct place *root, struct ca_record *record) {
    struct place platform = object_in(walk, root, "platform");
    record->platform_key = text_in(walk, &platform, "key");
    record->os = text_in(walk, &platform, "os");
    record->arch = text_in(walk, &platform, "arch");
    record->libc = text_in(walk, &platform, "libc");
    record->allocator = text_in(walk, &platform, "allocator");
    record->has_allocator_bytes = json_object_get(platform.object, "allocator_held_bytes") != NULL;
    if (record->has_allocator_bytes) {
        record->allocator_used_bytes = number_in(walk, &platform, "allocator_used_bytes");
        record->allocator_held_bytes = number_in(walk, &platform, "allocator_held_bytes");
    }
}

static void read_coverage(struct walk *walk, const struct place *root, struct ca_record *record) {
    static const char *const levels[] = {
        [CA_LEVEL_NONE] = "none", [CA_LEVEL_PARTIAL] = "partial", [CA_LEVEL_FULL] = "full"};
    struct place coverage = object_in(walk, root, "coverage");
    record->is_attached = truth_in(walk, &coverage, "attached");
    const char *name = text_in(walk, &coverage, "level");
    uint32_t level = 0;
    while (level <= CA_LEVEL_FULL && strcmp(levels[level], name) != 0)
        level++;
    if (level > CA_LEVEL_FULL)
        complain(walk, &coverage, "level", "is none of full, partial, none");
    else
        record->level = (enum ca_level)level;
    const json_t *notes = array_in(walk, &coverage, "notes");
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const char *note = json_string_value(json_array_get(notes, i));
        if (note == NULL)
            complain(walk, &coverage, "notes", "has an element that is not a string");
        else
            ca_record_note(record, note);
    }
}

static void read_resources(struct walk *walk, const struct place *root, struct ca_record *record) {
    struct place resources = object_in(walk, root, "resources");
    record->has_resources = is_given(walk, &resources, "wall_ns");
    if (!record->has_resources) {
        expect_null(walk, &resources, "user_ns");
        expect_null(walk, &resources, "system_ns");
        expect_null(walk, &resources, "max_rss_bytes");
        return;
    }
    record->wall_ns = number_in(walk, &resources, "wall_ns");
    record->user_ns = number_in(walk, &resources, "user_ns");
    record->system_ns = number_in(walk, &resources, "system_ns");
    record->max_rss_bytes = number_in(walk, &resources, "max_rss_bytes");
}

static void read_shares(struct walk *walk, const struct place *place,
                        struct ca_record_phase *phase) {
    const json_t *array = array_in(walk, place, "threads");
    size_t count = json_array_size(array);
    phase->shares = take(walk, count, sizeof *phase->shares);
    for (size_t i = 0; i < count && walk->status == CA_OK; i++) {
        struct place share = element_of(walk, place, "threads", array, i);
        phase->shares[i] = (struct ca_share){
            .thread = small_number_in(walk, &share, "number"),
            .is_adopted = truth_in(walk, &share, "adopted"),
            .opened = number_in(walk, &share, "opened"),
            .counts = read_counts(walk, &share),
        };
    }
    phase->share_count = (uint32_t)count;
}

static void read_phases(struct walk *walk, const struct place *root, struct ca_record *record) {
    const json_t *array = array_in(walk, root, "phases");
    size_t count = json_array_size(array);
    record->phases = take(walk, count, sizeof *record->phases);
    for (size_t i = 0; i < count && walk->status == CA_OK; i++) {
        struct place place = element_of(walk, root, "phases", array, i);
        struct ca_record_phase *phase = &record->phases[i];
        phase->name = text_in(walk, &place, "name");
        phase->opened = number_in(walk, &place, "opened");
        phase->is_process_phase = truth_in(walk, &place, "process_phase");
        phase->units_count = read_units(walk, &place, phase->units);
        phase->counts = read_counts(walk, &place);
        read_shares(walk, &place, phase);
    }
    record->phase_count = (uint32_t)count;
}

static void read_threads(struct walk *walk, const struct place *root, struct ca_record *record) {
    const json_t *array = array_in(walk, root, "threads");
    size_t count = json_array_size(array);
    record->threads = take(walk, count, sizeof *record->threads);
    for (size_t i = 0; i < count && walk->status == CA_OK; i++) {
        struct place place = element_of(walk, root, "threads", array, i);
        record->threads[i] = (struct ca_record_thread){
            .number = small_number_in(walk, &place, "number"),
            .name = is_given(walk, &place, "name") ? text_in(walk, &place, "name") : NULL,
            .thread_count = small_number_in(walk, &place, "thread_count"),
            .counts = read_counts(walk, &place),
        };
    }
    record->thread_count = (uint32_t)count;
}

static void read_processes(struct walk *walk, const struct place *root, struct ca_record *record) {
    const json_t *array = array_in(walk, root, "processes");
    size_t count = json_array_size(array);
    record->processes = take(walk, count, sizeof *record->processes);
    for (size_t i = 0; i < count && walk->status == CA_OK; i++) {
        struct place place = element_of(walk, root, "processes", array, i);
        struct ca_record_process *process = &record->processes[i];
        process->pid = small_number_in(walk, &place, "pid");
        process->parent_pid = small_number_in(walk, &place, "ppid");
        process->executable = text_in(walk, &place, "exe");
        process->arguments =
            read_arguments(walk, &place, &process->argument_bytes, &process->argument_count);
        process->is_complete = truth_in(walk, &place, "complete");
        process->counts = read_counts(walk, &place);
    }
    record->process_count = (uint32_t)count;
}

static void read_root(struct walk *walk, const struct place *root, struct ca_record *record) {
    const char *schema = text_in(walk, root, "schema");
    if (strcmp(schema, CA_RECORD_SCHEMA) != 0)
        complain(walk, root, "schema", "is '%.60s'; this countalloc reads '" CA_RECORD_SCHEMA "'",
                 schema);
    record->rules = small_number_in(walk, root, "rules");
    record->version = text_in(walk, root, "countalloc");
    read_program(walk, root, record);
    read_platform(walk, root, record);
    read_coverage(walk, root, record);
    read_resources(walk, root, record);
    struct place total = object_in(walk, root, "total");
    record->total_units_count = read_units(walk, &total, record->total_units);
    record->total = read_counts(walk, &total);
    read_phases(walk, root, record);
    read_threads(walk, root, record);
    read_processes(walk, root, record);
    array_in(walk, root, "sites");
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
    struct walk walk = {.loaded = loaded, .shown = shown, .err = err};
    struct place root = {.object = json};
    read_root(&walk, &root, &loaded->record);
    return walk.status;
}
