/* SPDX-License-Identifier: MIT */
#include "diff/site_chains.h"

#include <stdlib.h>
#include <string.h>

#include "diff/function_stem.h"
#include "interpose/plain.h"

/* The steps of a frame, in the steps of its side. */
struct frame_steps {
    size_t first;
    uint32_t count;
    uint64_t line;
    bool is_guess;
};

struct steps {
    uint32_t *numbers;
    size_t count;
    size_t capacity;
};

struct builder {
    struct ca_chains *chains;
    const struct ca_record *records[2];
    struct ca_name_table fileless; /* stems of functions that lack a file somewhere */
    struct ca_byte_buffer key;
    struct steps of_frames;
    struct steps of_sites;
    struct frame_steps *frames; /* of the record in hand */
};

/* ---- modules ---- */

const char *ca_module_stem(const struct ca_record *record, uint32_t module) {
    const char *path = record->modules[module].path;
    return strcmp(path, record->executable) == 0 ? "" : ca_plain_basename(path);
}

bool ca_module_is_in(const struct ca_record *record, uint32_t module, const struct ca_record *other,
                     bool *ret_same_build) {
    const struct ca_record_module *wanted = &record->modules[module];
    const char *stem = ca_module_stem(record, module);
    bool is_there = false;
    *ret_same_build = false;
    for (uint32_t i = 0; i < other->module_count; i++) {
        const struct ca_record_module *candidate = &other->modules[i];
        if (strcmp(stem, ca_module_stem(other, i)) != 0)
            continue;
        is_there = true;
        *ret_same_build |=
            wanted->build_id_bytes > 0 && wanted->build_id_bytes == candidate->build_id_bytes &&
            memcmp(wanted->build_id, candidate->build_id, wanted->build_id_bytes) == 0;
    }
    return is_there;
}

bool ca_module_has_functions(const struct ca_record *record, uint32_t module, bool *ret_unknown) {
    bool has_functions = false;
    *ret_unknown = false;
    for (uint32_t i = 0; i < record->frames_count; i++) {
        const struct ca_record_frame *frame = &record->frames[i];
        if (frame->module != module)
            continue;
        bool is_known = frame->function_count > 0 && frame->functions[0].name != NULL;
        has_functions |= is_known;
        *ret_unknown |= !is_known;
    }
    return has_functions;
}

/* ---- steps ---- */

static bool add_bytes(struct builder *builder, const void *bytes, size_t byte_count) {
    return ca_byte_buffer_add(&builder->key, bytes, byte_count);
}

static bool begin_key(struct builder *builder, char kind) {
    builder->key.byte_count = 0;
    return add_bytes(builder, &kind, 1);
}

static bool end_key(struct builder *builder, uint32_t *ret_number) {
    return ca_name_table_number(&builder->chains->names, builder->key.bytes,
                                builder->key.byte_count, ret_number);
}

static bool add_step(struct steps *steps, uint32_t number) {
    uint32_t *numbers =
        ca_array_grown(steps->numbers, steps->count, &steps->capacity, sizeof *numbers);
    if (numbers == NULL)
        return false;
    steps->numbers = numbers;
    numbers[steps->count++] = number;
    return true;
}

/* A name with a file in one record and without one in the other is still one function. */
static bool collect_fileless(struct builder *builder, const struct ca_record *record) {
    for (uint32_t i = 0; i < record->frames_count; i++)
        for (uint32_t k = 0; k < record->frames[i].function_count; k++) {
            const struct ca_record_function *function = &record->frames[i].functions[k];
            uint32_t number;
            if (function->name == NULL || function->file != NULL)
                continue;
            builder->key.byte_count = 0;
            if (!ca_function_stem_add(&builder->key, function->name) ||
                !ca_name_table_number(&builder->fileless, builder->key.bytes,
                                      builder->key.byte_count, &number))
                return false;
        }
    return true;
}

static bool known_key(struct builder *builder, const struct ca_record_function *function,
                      size_t fileless_count, uint32_t *ret_number) {
    if (!begin_key(builder, 'f') || !ca_function_stem_add(&builder->key, function->name))
        return false;
    uint32_t place;
    /* What the question adds to the table lies beyond those that were collected. */
    if (!ca_name_table_number(&builder->fileless, builder->key.bytes + 1,
                              builder->key.byte_count - 1, &place))
        return false;
    bool has_file = function->file != NULL && place >= fileless_count;
    const char *file = has_file ? ca_plain_basename(function->file) : "";
    return add_bytes(builder, "", 1) && add_bytes(builder, file, strlen(file)) &&
           end_key(builder, ret_number);
}

static bool unknown_key(struct builder *builder, bool is_after, const struct ca_record_frame *frame,
                        struct frame_steps *steps, uint32_t *ret_number) {
    if (frame->module == CA_NO_MODULE)
        return begin_key(builder, 'a') && end_key(builder, ret_number);
    const struct ca_record *record = builder->records[is_after];
    const char *stem = ca_module_stem(record, frame->module);
    bool is_same_build;
    bool is_there =
        ca_module_is_in(record, frame->module, builder->records[!is_after], &is_same_build);
    if (steps->count == 0 && !is_same_build) {
        steps->line = frame->offset;
        steps->is_guess = is_there;
    }
    return begin_key(builder, is_same_build ? 'o' : 'm') &&
           add_bytes(builder, stem, strlen(stem) + 1) &&
           (!is_same_build || add_bytes(builder, &frame->offset, sizeof frame->offset)) &&
           end_key(builder, ret_number);
}

static bool add_frame(struct builder *builder, bool is_after, size_t fileless_count,
                      uint32_t index) {
    const struct ca_record_frame *frame = &builder->records[is_after]->frames[index];
    struct frame_steps *steps = &builder->frames[index];
    uint32_t number, function_count = ca_record_function_count(frame);
    *steps = (struct frame_steps){.first = builder->of_frames.count};
    for (uint32_t i = 0; i < function_count; i++) {
        bool is_known = i < frame->function_count && frame->functions[i].name != NULL;
        if (is_known && i == 0)
            steps->line = frame->functions[i].line;
        bool is_ok = is_known ? known_key(builder, &frame->functions[i], fileless_count, &number)
                              : unknown_key(builder, is_after, frame, steps, &number);
        if (!is_ok || !add_step(&builder->of_frames, number))
            return false;
        steps->count++;
    }
    return true;
}

/* ---- sites ---- */

static bool add_steps_of(struct builder *builder, const struct ca_record_site *site,
                         uint32_t *ret_count) {
    size_t first = builder->of_sites.count;
    uint32_t number;
    if (site->frame_count == 0 && (!begin_key(builder, 'n') || !end_key(builder, &number) ||
                                   !add_step(&builder->of_sites, number)))
        return false;
    for (uint32_t i = 0; i < site->frame_count; i++) {
        const struct frame_steps *steps = &builder->frames[site->frames[i]];
        for (uint32_t k = 0; k < steps->count; k++) {
            number = builder->of_frames.numbers[steps->first + k];
            bool is_again = builder->of_sites.count > first &&
                            builder->of_sites.numbers[builder->of_sites.count - 1] == number;
            if (!is_again && !add_step(&builder->of_sites, number))
                return false;
        }
    }
    *ret_count = (uint32_t)(builder->of_sites.count - first);
    return true;
}

static bool add_site(struct builder *builder, bool is_after, const struct ca_record_site *site) {
    const char *phase = builder->records[is_after]->phases[site->phase].name;
    struct ca_chain *chain = &builder->chains->chains[builder->chains->chain_count++];
    *chain = (struct ca_chain){
        .is_after = is_after,
        .site = site,
        .allocations = site->allocations,
        .bytes_requested = site->bytes_requested,
    };
    if (site->frame_count > 0) {
        chain->line = builder->frames[site->frames[0]].line;
        chain->is_guess = builder->frames[site->frames[0]].is_guess;
    }
    return begin_key(builder, 'p') && add_bytes(builder, phase, strlen(phase)) &&
           end_key(builder, &chain->phase) && add_steps_of(builder, site, &chain->step_count);
}

static bool add_record(struct builder *builder, bool is_after, size_t fileless_count) {
    const struct ca_record *record = builder->records[is_after];
    bool is_ok = true;
    free(builder->frames);
    builder->of_frames.count = 0;
    builder->frames = calloc((size_t)record->frames_count + 1, sizeof *builder->frames);
    if (builder->frames == NULL)
        return false;
    for (uint32_t i = 0; i < record->frames_count && is_ok; i++)
        is_ok = add_frame(builder, is_after, fileless_count, i);
    for (uint32_t i = 0; i < record->site_count && is_ok; i++)
        is_ok = add_site(builder, is_after, &record->sites[i]);
    return is_ok;
}

/* ---- order ---- */

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare_chains(const void *left, const void *right) {
    const struct ca_chain *a = left, *b = right;
    int order = compare_numbers(a->phase, b->phase);
    uint32_t common = a->step_count < b->step_count ? a->step_count : b->step_count;
    for (uint32_t i = 0; i < common && order == 0; i++)
        order = compare_numbers(a->steps[i], b->steps[i]);
    if (order == 0)
        order = compare_numbers(a->step_count, b->step_count);
    if (order == 0)
        order = compare_numbers(a->is_after, b->is_after);
    if (order == 0)
        order = compare_numbers(a->line, b->line);
    /* Of those that become one, the largest is shown. */
    if (order == 0)
        order = compare_numbers(b->allocations, a->allocations);
    return order != 0 ? order : (a->site > b->site) - (a->site < b->site);
}

static bool is_same_site(const struct ca_chain *a, const struct ca_chain *b) {
    return a->phase == b->phase && a->is_after == b->is_after && a->line == b->line &&
           a->step_count == b->step_count &&
           memcmp(a->steps, b->steps, a->step_count * sizeof *a->steps) == 0;
}

static void merge_chains(struct ca_chains *chains) {
    size_t kept_count = 0;
    for (size_t i = 0; i < chains->chain_count; i++) {
        struct ca_chain *last = kept_count > 0 ? &chains->chains[kept_count - 1] : NULL;
        if (last == NULL || !is_same_site(last, &chains->chains[i])) {
            chains->chains[kept_count++] = chains->chains[i];
            continue;
        }
        last->allocations += chains->chains[i].allocations;
        last->bytes_requested += chains->chains[i].bytes_requested;
    }
    chains->chain_count = kept_count;
}

static void put_in_order(struct ca_chains *chains) {
    const uint32_t *steps = chains->steps;
    for (size_t i = 0; i < chains->chain_count; i++) {
        chains->chains[i].steps = steps;
        steps += chains->chains[i].step_count;
    }
    if (chains->chain_count > 0)
        qsort(chains->chains, chains->chain_count, sizeof *chains->chains, compare_chains);
    merge_chains(chains);
}

enum ca_status ca_chains_init(struct ca_chains *chains, const struct ca_record *before,
                              const struct ca_record *after, struct ca_error *err) {
    struct builder builder = {.chains = chains, .records = {before, after}};
    size_t most = (size_t)before->site_count + after->site_count + 1;
    *chains = (struct ca_chains){.chains = calloc(most, sizeof *chains->chains)};
    bool is_ok = chains->chains != NULL && collect_fileless(&builder, before) &&
                 collect_fileless(&builder, after);
    size_t fileless_count = builder.fileless.name_count;
    is_ok = is_ok && add_record(&builder, false, fileless_count) &&
            add_record(&builder, true, fileless_count);
    chains->steps = builder.of_sites.numbers;
    chains->step_count = builder.of_sites.count;
    if (is_ok)
        put_in_order(chains);
    free(builder.of_frames.numbers);
    free(builder.frames);
    ca_name_table_release(&builder.fileless);
    ca_byte_buffer_release(&builder.key);
    return is_ok ? CA_OK : ca_error_memory(err);
}

void ca_chains_release(struct ca_chains *chains) {
    free(chains->chains);
    free(chains->steps);
    ca_name_table_release(&chains->names);
    *chains = (struct ca_chains){0};
}
