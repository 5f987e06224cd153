/* SPDX-License-Identifier: MIT */
#include "sites/record_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/frame_label.h"
#include "interpose/plain.h"

#define SEVERAL_MODULES (UINT32_MAX - 1)

struct builder {
    struct ca_stack_tree *tree;
    const struct ca_record *record;
    const struct ca_record_tree_options *options;
    struct ca_name_table functions; /* names of functions */
    uint32_t *modules; /* by number in `functions`: the module, SEVERAL_MODULES, CA_NO_MODULE */
    size_t module_capacity;
    struct ca_byte_buffer label;
    struct ca_byte_buffer text;
    uint32_t *first_names; /* by frame: index of its first name in `names`, outermost first */
    uint32_t *names;       /* numbers in the tree's table */
    uint32_t *phase_names;
    uint32_t no_site_name, cut_name;
    struct ca_error *err;
};

/* ---- names ---- */

static enum ca_status learn_function(struct builder *builder, const char *name, uint32_t module) {
    size_t known_count = builder->functions.name_count;
    uint32_t number;
    if (!ca_name_table_number(&builder->functions, name, strlen(name), &number))
        return ca_error_memory(builder->err);
    if (number < known_count) {
        if (builder->modules[number] != module)
            builder->modules[number] = SEVERAL_MODULES;
        return CA_OK;
    }
    uint32_t *modules =
        ca_array_grown(builder->modules, known_count, &builder->module_capacity, sizeof *modules);
    if (modules == NULL)
        return ca_error_memory(builder->err);
    builder->modules = modules;
    modules[number] = module;
    return CA_OK;
}

static enum ca_status learn_functions(struct builder *builder) {
    enum ca_status status = CA_OK;
    for (uint32_t i = 0; i < builder->record->frames_count; i++) {
        const struct ca_record_frame *frame = &builder->record->frames[i];
        for (uint32_t k = 0; status == CA_OK && k < frame->function_count; k++)
            if (frame->functions[k].name != NULL)
                status = learn_function(builder, frame->functions[k].name, frame->module);
    }
    return status;
}

static bool is_in_several_modules(struct builder *builder, const char *name) {
    uint32_t number;
    return ca_name_table_number(&builder->functions, name, strlen(name), &number) &&
           builder->modules[number] == SEVERAL_MODULES;
}

static bool make_text(struct builder *builder, const struct ca_record_frame *frame,
                      uint32_t function) {
    char buffer[CA_FUNCTION_NAME_SIZE];
    const char *name = ca_record_function_name(builder->record, frame, function, buffer);
    struct ca_byte_buffer *text = &builder->text;
    text->byte_count = 0;
    bool is_ok = ca_byte_buffer_add(text, name, strlen(name));
    if (!is_ok || name == buffer || frame->module == CA_NO_MODULE ||
        !is_in_several_modules(builder, name))
        return is_ok;
    const char *module = ca_plain_basename(builder->record->modules[frame->module].path);
    return ca_byte_buffer_add(text, " [", 2) && ca_byte_buffer_add(text, module, strlen(module)) &&
           ca_byte_buffer_add(text, "]", 1);
}

/* The tree's number of what lies in `text`, made fit for a folded line. */
static enum ca_status name_text(struct builder *builder, uint32_t *ret_name) {
    if (!ca_frame_label(&builder->label, builder->text.bytes, builder->text.byte_count))
        return ca_error_memory(builder->err);
    return ca_stack_tree_name(builder->tree, builder->label.bytes, builder->label.byte_count,
                              ret_name, builder->err);
}

static enum ca_status name_plain(struct builder *builder, const char *name, uint32_t *ret_name) {
    builder->text.byte_count = 0;
    if (!ca_byte_buffer_add(&builder->text, name, strlen(name)))
        return ca_error_memory(builder->err);
    return name_text(builder, ret_name);
}

static enum ca_status name_frames(struct builder *builder) {
    const struct ca_record *record = builder->record;
    size_t count = 0;
    for (uint32_t i = 0; i < record->frames_count; i++)
        count += ca_record_function_count(&record->frames[i]);
    builder->names = calloc(count + 1, sizeof *builder->names);
    builder->first_names = calloc((size_t)record->frames_count + 1, sizeof *builder->first_names);
    if (builder->names == NULL || builder->first_names == NULL)
        return ca_error_memory(builder->err);
    enum ca_status status = CA_OK;
    uint32_t at = 0;
    for (uint32_t i = 0; i < record->frames_count && status == CA_OK; i++) {
        builder->first_names[i] = at;
        for (uint32_t k = ca_record_function_count(&record->frames[i]); k-- > 0;) {
            if (!make_text(builder, &record->frames[i], k))
                return ca_error_memory(builder->err);
            status = name_text(builder, &builder->names[at++]);
            if (status != CA_OK)
                return status;
        }
    }
    return status;
}

static enum ca_status name_phases(struct builder *builder) {
    const struct ca_record *record = builder->record;
    builder->phase_names = calloc((size_t)record->phase_count + 1, sizeof *builder->phase_names);
    if (builder->phase_names == NULL)
        return ca_error_memory(builder->err);
    enum ca_status status = name_plain(builder, "[no site]", &builder->no_site_name);
    if (status == CA_OK)
        status = name_plain(builder, "[cut]", &builder->cut_name);
    for (uint32_t i = 0; i < record->phase_count && status == CA_OK; i++)
        status = name_plain(builder, record->phases[i].name, &builder->phase_names[i]);
    return status;
}

/* ---- stacks ---- */

struct stack {
    uint32_t phase;
    const uint32_t *frames; /* the innermost first */
    uint32_t frame_count;
    bool is_cut;
    uint64_t count;
};

static enum ca_status descend(struct builder *builder, uint32_t *node, uint32_t name) {
    return ca_stack_tree_child(builder->tree, *node, name, node, builder->err);
}

static enum ca_status add_stack(struct builder *builder, const struct stack *stack) {
    uint32_t node = CA_STACK_ROOT;
    enum ca_status status = CA_OK;
    if (!builder->options->is_without_phase)
        status = descend(builder, &node, builder->phase_names[stack->phase]);
    if (status == CA_OK && stack->is_cut)
        status = descend(builder, &node, builder->cut_name);
    if (status == CA_OK && stack->frame_count == 0)
        status = descend(builder, &node, builder->no_site_name);
    for (uint32_t i = stack->frame_count; status == CA_OK && i-- > 0;) {
        uint32_t frame = stack->frames[i];
        uint32_t count = ca_record_function_count(&builder->record->frames[frame]);
        for (uint32_t k = 0; status == CA_OK && k < count; k++)
            status = descend(builder, &node, builder->names[builder->first_names[frame] + k]);
    }
    if (status == CA_OK)
        status = ca_stack_tree_add(builder->tree, node, CA_STACK_NEW, stack->count, builder->err);
    return status;
}

static enum ca_status add_samples(struct builder *builder) {
    const struct ca_record *record = builder->record;
    enum ca_status status = CA_OK;
    for (uint32_t i = 0; i < record->sample_count && status == CA_OK; i++) {
        const struct ca_record_sample *sample = &record->samples[i];
        status = add_stack(builder,
                           &(struct stack){sample->phase, sample->frames, sample->frame_count,
                                           sample->is_cut,
                                           builder->options->is_by_bytes ? sample->bytes_requested
                                                                         : sample->allocations});
    }
    return status;
}

static enum ca_status add_sites(struct builder *builder) {
    const struct ca_record *record = builder->record;
    enum ca_status status = CA_OK;
    for (uint32_t i = 0; i < record->site_count && status == CA_OK; i++) {
        const struct ca_record_site *site = &record->sites[i];
        status = add_stack(
            builder, &(struct stack){site->phase, site->frames, site->frame_count, site->is_cut,
                                     builder->options->is_by_bytes ? site->bytes_requested
                                                                   : site->allocations});
    }
    return status;
}

/* ---- the whole ---- */

static enum ca_status check(const struct ca_record *record,
                            const struct ca_record_tree_options *options, const char *shown,
                            struct ca_error *err) {
    if (options->is_sampled && record->sample_bytes == 0)
        return ca_error_set(err, CA_ERROR_INPUT,
                            "'%s' has no samples: measure them with 'countalloc run --sample'",
                            shown);
    if (record->stack_depth > 0 || record->sample_bytes > 0)
        return CA_OK;
    return ca_error_set(err, CA_ERROR_INPUT,
                        "'%s' has no call stacks: measure them with 'countalloc run --stacks' (for "
                        "programs built with frame pointers) or '--sample' (an estimate, for any "
                        "program); '--sites' has the callers of the allocator",
                        shown);
}

bool ca_record_tree_is_estimate(const struct ca_record *record,
                                const struct ca_record_tree_options *options) {
    return options->is_sampled || record->stack_depth == 0;
}

enum ca_status ca_record_tree_add(struct ca_stack_tree *tree, const struct ca_record *record,
                                  const struct ca_record_tree_options *options, const char *shown,
                                  struct ca_error *err) {
    struct builder builder = {.tree = tree, .record = record, .options = options, .err = err};
    enum ca_status status = check(record, options, shown, err);
    if (status == CA_OK)
        status = learn_functions(&builder);
    if (status == CA_OK)
        status = name_frames(&builder);
    if (status == CA_OK)
        status = name_phases(&builder);
    if (status == CA_OK)
        status = ca_record_tree_is_estimate(record, options) ? add_samples(&builder)
                                                             : add_sites(&builder);
    free(builder.phase_names);
    free(builder.names);
    free(builder.first_names);
    free(builder.modules);
    ca_name_table_release(&builder.functions);
    ca_byte_buffer_release(&builder.label);
    ca_byte_buffer_release(&builder.text);
    return status;
}
