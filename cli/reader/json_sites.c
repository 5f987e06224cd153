/* SPDX-License-Identifier: MIT */
#include "reader/json_sites.h"

#include <inttypes.h>
#include <string.h>

#define BUILD_ID_BYTES_MAX 64u

/* ---- modules ---- */

static int hex_value(char digit) {
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

static void read_build_id(struct ca_walk *walk, const struct ca_place *place,
                          struct ca_record_module *module) {
    if (!ca_walk_is_given(walk, place, "build_id"))
        return;
    const char *text = ca_walk_text(walk, place, "build_id");
    size_t length = strlen(text);
    bool is_hex = length > 0 && length % 2 == 0 && length / 2 <= BUILD_ID_BYTES_MAX;
    for (size_t i = 0; i < length; i++)
        is_hex &= hex_value(text[i]) >= 0;
    uint8_t *bytes = is_hex ? ca_walk_take(walk, length / 2, 1) : NULL;
    if (!is_hex)
        ca_walk_complain(walk, place, "build_id",
                         "is no build id: an even number of digits 0 to 9 and a to f, at most %u",
                         2 * BUILD_ID_BYTES_MAX);
    if (bytes == NULL)
        return;
    for (size_t i = 0; i < length / 2; i++)
        bytes[i] = (uint8_t)(hex_value(text[2 * i]) * 16 + hex_value(text[2 * i + 1]));
    module->build_id = bytes;
    module->build_id_bytes = (uint32_t)(length / 2);
}

static void read_modules(struct ca_walk *walk, const struct ca_place *root,
                         struct ca_record *record) {
    struct ca_walk_list list = ca_walk_list(walk, root, "modules");
    struct ca_place place;
    record->modules = ca_walk_take(walk, list.count, sizeof *record->modules);
    while (ca_walk_next(walk, &list, &place)) {
        record->modules[list.index].path = ca_walk_text(walk, &place, "path");
        read_build_id(walk, &place, &record->modules[list.index]);
    }
    record->module_count = list.count;
}

/* ---- frames ---- */

static void read_functions(struct ca_walk *walk, const struct ca_place *place,
                           struct ca_record_frame *frame) {
    struct ca_walk_list list = ca_walk_list(walk, place, "functions");
    struct ca_place function;
    frame->functions = ca_walk_take(walk, list.count, sizeof *frame->functions);
    while (ca_walk_next(walk, &list, &function)) {
        frame->functions[list.index] = (struct ca_record_function){
            .name = ca_walk_text_or_null(walk, &function, "name"),
            .file = ca_walk_text_or_null(walk, &function, "file"),
            .line = ca_walk_small_number(walk, &function, "line"),
        };
    }
    frame->function_count = list.count;
}

/* An index below `count`; 0 when it is none. */
static uint32_t index_of(struct ca_walk *walk, const struct ca_place *place, const char *member,
                         const json_t *value, uint32_t count, const char *things) {
    int64_t index = ca_walk_signed_of(walk, place, member, value, 0, UINT32_MAX - 1);
    if (walk->status == CA_OK && index >= count) {
        ca_walk_complain(walk, place, member,
                         "has the index %" PRId64 ", and there are %" PRIu32 " %s", index, count,
                         things);
        return 0;
    }
    return (uint32_t)index;
}

static void read_frames(struct ca_walk *walk, const struct ca_place *root,
                        struct ca_record *record) {
    struct ca_walk_list list = ca_walk_list(walk, root, "frames");
    struct ca_place place;
    record->frames = ca_walk_take(walk, list.count, sizeof *record->frames);
    while (ca_walk_next(walk, &list, &place)) {
        struct ca_record_frame *frame = &record->frames[list.index];
        frame->module = CA_NO_MODULE;
        if (ca_walk_is_given(walk, &place, "module"))
            frame->module = index_of(walk, &place, "module", ca_walk_member(walk, &place, "module"),
                                     record->module_count, "modules");
        frame->offset = (uint64_t)ca_walk_signed(walk, &place, "offset");
        read_functions(walk, &place, frame);
    }
    record->frames_count = list.count;
}

/* ---- what sites and samples have in common ---- */

/* Phases come in their order, so that of two with one name the right one is found. */
static uint32_t read_phase(struct ca_walk *walk, const struct ca_place *place,
                           const struct ca_record *record, uint32_t first) {
    const char *name = ca_walk_text(walk, place, "phase");
    for (uint32_t i = first; i < record->phase_count && walk->status == CA_OK; i++)
        if (strcmp(record->phases[i].name, name) == 0)
            return i;
    ca_walk_complain(walk, place, "phase",
                     "is '%.60s', which is no phase of the record, or one before that of the "
                     "element before",
                     name);
    return 0;
}

static uint32_t *read_stack(struct ca_walk *walk, const struct ca_place *place,
                            const struct ca_record *record, uint32_t *ret_frame_count) {
    const json_t *array = ca_walk_array(walk, place, "frames");
    size_t count = json_array_size(array);
    uint32_t *frames = ca_walk_take(walk, count, sizeof *frames);
    for (size_t i = 0; i < count && walk->status == CA_OK; i++)
        frames[i] = index_of(walk, place, "frames", json_array_get(array, i), record->frames_count,
                             "frames");
    *ret_frame_count = (uint32_t)count;
    return frames;
}

/* ---- sites ---- */

static void check_kinds(struct ca_walk *walk, const struct ca_place *place,
                        const struct ca_record_site *site) {
    uint64_t sum =
        site->malloc_calls + site->calloc_calls + site->realloc_calls + site->aligned_calls;
    if (walk->status == CA_OK && sum != site->allocations)
        ca_walk_complain(walk, place, "allocations",
                         "is %" PRIu64 ", but malloc, calloc, realloc and aligned make %" PRIu64,
                         site->allocations, sum);
}

static void read_site_list(struct ca_walk *walk, const struct ca_place *root,
                           struct ca_record *record) {
    struct ca_walk_list list = ca_walk_list(walk, root, "sites");
    struct ca_place place;
    uint32_t phase = 0;
    record->sites = ca_walk_take(walk, list.count, sizeof *record->sites);
    while (ca_walk_next(walk, &list, &place)) {
        struct ca_record_site *site = &record->sites[list.index];
        site->phase = phase = read_phase(walk, &place, record, phase);
        site->frames = read_stack(walk, &place, record, &site->frame_count);
        site->is_cut = ca_walk_truth_if_any(walk, &place, "cut");
        site->allocations = ca_walk_number(walk, &place, "allocations");
        site->malloc_calls = ca_walk_number(walk, &place, "malloc");
        site->calloc_calls = ca_walk_number(walk, &place, "calloc");
        site->realloc_calls = ca_walk_number(walk, &place, "realloc");
        site->aligned_calls = ca_walk_number(walk, &place, "aligned");
        site->bytes_requested = ca_walk_number(walk, &place, "bytes_requested");
        check_kinds(walk, &place, site);
    }
    record->site_count = list.count;
}

static bool has_one_thread(const struct ca_record *record) {
    return record->thread_count == 0 ||
           (record->thread_count == 1 && record->threads[0].thread_count <= 1);
}

/* The sites of a process phase may have a little more than the phase: what other threads were in
 * the middle of when it changed. The same goes for every phase of a program that was still running
 * when it was read. */
static void check_sums(struct ca_walk *walk, const struct ca_place *root,
                       const struct ca_record *record) {
    bool is_one_thread = has_one_thread(record);
    for (uint32_t i = 0, site = 0; i < record->phase_count && walk->status == CA_OK; i++) {
        const struct ca_record_phase *phase = &record->phases[i];
        uint64_t allocations = 0, bytes = 0;
        for (; site < record->site_count && record->sites[site].phase == i; site++) {
            allocations += record->sites[site].allocations;
            bytes += record->sites[site].bytes_requested;
        }
        bool is_exact = record->is_complete && (!phase->is_process_phase || is_one_thread);
        if (allocations < phase->counts.allocations ||
            (is_exact && allocations > phase->counts.allocations))
            ca_walk_complain(walk, root, "sites",
                             "does not add up: phase '%.60s' has %" PRIu64
                             " allocations, its sites have %" PRIu64,
                             phase->name, phase->counts.allocations, allocations);
        else if (is_exact && bytes != phase->counts.bytes_requested)
            ca_walk_complain(walk, root, "sites",
                             "does not add up: phase '%.60s' requested %" PRIu64
                             " bytes, its sites %" PRIu64,
                             phase->name, phase->counts.bytes_requested, bytes);
    }
}

/* ---- samples ---- */

static void read_samples(struct ca_walk *walk, const struct ca_place *root,
                         struct ca_record *record) {
    struct ca_walk_list list = ca_walk_list(walk, root, "samples");
    struct ca_place place;
    uint32_t phase = 0;
    record->samples = ca_walk_take(walk, list.count, sizeof *record->samples);
    while (ca_walk_next(walk, &list, &place)) {
        struct ca_record_sample *sample = &record->samples[list.index];
        sample->phase = phase = read_phase(walk, &place, record, phase);
        sample->frames = read_stack(walk, &place, record, &sample->frame_count);
        sample->is_cut = ca_walk_truth_if_any(walk, &place, "cut");
        sample->samples = ca_walk_number(walk, &place, "samples");
        sample->allocations = ca_walk_number(walk, &place, "allocations");
        sample->bytes_requested = ca_walk_number(walk, &place, "bytes_requested");
    }
    record->sample_count = list.count;
}

/* A number from 1, or 0 without the member. */
static uint64_t optional_number(struct ca_walk *walk, const struct ca_place *root,
                                const char *member, int64_t highest) {
    const json_t *value = json_object_get(root->object, member);
    return value == NULL ? 0 : (uint64_t)ca_walk_signed_of(walk, root, member, value, 1, highest);
}

void ca_json_read_sites(struct ca_walk *walk, const struct ca_place *root,
                        struct ca_record *record) {
    record->stack_depth = (uint32_t)optional_number(walk, root, "stack_depth", UINT32_MAX);
    record->sample_bytes = optional_number(walk, root, "sample_bytes", INT64_MAX);
    if (record->stack_depth > 0 || record->sample_bytes > 0) {
        read_modules(walk, root, record);
        read_frames(walk, root, record);
    }
    if (record->stack_depth > 0) {
        read_site_list(walk, root, record);
        check_sums(walk, root, record);
    } else if (json_array_size(ca_walk_array(walk, root, "sites")) > 0) {
        ca_walk_complain(walk, root, "sites", "has elements, but there is no 'stack_depth'");
    }
    if (record->sample_bytes > 0)
        read_samples(walk, root, record);
}
