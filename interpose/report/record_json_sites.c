/* SPDX-License-Identifier: MIT */
#include "record_json_sites.h"

static void put_build_id(struct ca_json *json, const struct ca_record_module *module) {
    const char *digits = "0123456789abcdef";
    char text[2 * CA_BUILD_ID_SIZE + 1];
    size_t length = 0;
    for (uint32_t i = 0; i < module->build_id_bytes && i < CA_BUILD_ID_SIZE; i++) {
        text[length++] = digits[module->build_id[i] / 16];
        text[length++] = digits[module->build_id[i] % 16];
    }
    text[length] = '\0';
    ca_json_text(json, "build_id", length > 0 ? text : NULL);
}

static void put_modules(struct ca_json *json, const struct ca_record *record) {
    ca_json_open(json, "modules", "[");
    for (uint32_t i = 0; i < record->module_count; i++) {
        ca_json_open_line(json, NULL, "{");
        ca_json_text(json, "path", record->modules[i].path);
        put_build_id(json, &record->modules[i]);
        ca_json_close(json, "}");
    }
    ca_json_close(json, "]");
}

/* The offset as a signed number: readers of JSON have no more than 63 bits, and a damaged stack may
 * hold any address. */
static void put_frame(struct ca_json *json, const struct ca_record_frame *frame) {
    ca_json_open_line(json, NULL, "{");
    ca_json_number_if(json, "module", frame->module != CA_NO_MODULE, frame->module);
    ca_json_signed(json, "offset", (int64_t)frame->offset);
    ca_json_open(json, "functions", "[");
    for (uint32_t i = 0; i < frame->function_count; i++) {
        ca_json_open(json, NULL, "{");
        ca_json_text(json, "name", frame->functions[i].name);
        ca_json_text(json, "file", frame->functions[i].file);
        ca_json_number(json, "line", frame->functions[i].line);
        ca_json_close(json, "}");
    }
    ca_json_close(json, "]");
    ca_json_close(json, "}");
}

static void put_frames(struct ca_json *json, const struct ca_record *record) {
    ca_json_open(json, "frames", "[");
    for (uint32_t i = 0; i < record->frames_count; i++)
        put_frame(json, &record->frames[i]);
    ca_json_close(json, "]");
}

/* What a site and a sample begin with; the object stays open. */
static void open_stack(struct ca_json *json, const struct ca_record *record, uint32_t phase,
                       const uint32_t *frames, uint32_t frame_count, bool is_cut) {
    ca_json_open_line(json, NULL, "{");
    ca_json_text(json, "phase", record->phases[phase].name);
    ca_json_open(json, "frames", "[");
    for (uint32_t i = 0; i < frame_count; i++)
        ca_json_number(json, NULL, frames[i]);
    ca_json_close(json, "]");
    if (is_cut)
        ca_json_bool(json, "cut", true);
}

static void put_site(struct ca_json *json, const struct ca_record *record,
                     const struct ca_record_site *site) {
    open_stack(json, record, site->phase, site->frames, site->frame_count, site->is_cut);
    ca_json_number(json, "allocations", site->allocations);
    ca_json_number(json, "malloc", site->malloc_calls);
    ca_json_number(json, "calloc", site->calloc_calls);
    ca_json_number(json, "realloc", site->realloc_calls);
    ca_json_number(json, "aligned", site->aligned_calls);
    ca_json_number(json, "bytes_requested", site->bytes_requested);
    ca_json_close(json, "}");
}

static void put_sample(struct ca_json *json, const struct ca_record *record,
                       const struct ca_record_sample *sample) {
    open_stack(json, record, sample->phase, sample->frames, sample->frame_count, sample->is_cut);
    ca_json_number(json, "samples", sample->samples);
    ca_json_number(json, "allocations", sample->allocations);
    ca_json_number(json, "bytes_requested", sample->bytes_requested);
    ca_json_close(json, "}");
}

void ca_record_put_sites(struct ca_json *json, const struct ca_record *record) {
    bool has_sites = record->stack_depth > 0, has_samples = record->sample_bytes > 0;
    if (has_sites)
        ca_json_number(json, "stack_depth", record->stack_depth);
    if (has_samples)
        ca_json_number(json, "sample_bytes", record->sample_bytes);
    if (has_sites || has_samples) {
        put_modules(json, record);
        put_frames(json, record);
    }
    ca_json_open(json, "sites", "[");
    for (uint32_t i = 0; has_sites && i < record->site_count; i++)
        put_site(json, record, &record->sites[i]);
    ca_json_close(json, "]");
    if (!has_samples)
        return;
    ca_json_open(json, "samples", "[");
    for (uint32_t i = 0; i < record->sample_count; i++)
        put_sample(json, record, &record->samples[i]);
    ca_json_close(json, "]");
}
