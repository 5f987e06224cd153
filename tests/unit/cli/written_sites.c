/* SPDX-License-Identifier: MIT */
#include "written_sites.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static uint32_t phase_called(struct written_sites *made, const char *name) {
    struct ca_record *record = &made->record;
    for (uint32_t i = 0; i < record->phase_count; i++)
        if (strcmp(made->phases[i].name, name) == 0)
            return i;
    cr_assert_lt(record->phase_count, WRITTEN_MAX);
    made->phases[record->phase_count] = (struct ca_record_phase){.name = name, .opened = 1};
    return record->phase_count++;
}

static uint32_t module_called(struct written_sites *made, const char *name) {
    struct ca_record *record = &made->record;
    for (uint32_t i = 0; i < record->module_count; i++)
        if (strcmp(made->modules[i].path, name) == 0)
            return i;
    cr_assert_lt(record->module_count, WRITTEN_MAX);
    made->modules[record->module_count] = (struct ca_record_module){.path = name};
    return record->module_count++;
}

/* Cuts `text` at the first `mark`; returns what stands behind it, or NULL. */
static char *cut(char *text, const char *mark) {
    char *at = strstr(text, mark);
    if (at == NULL)
        return NULL;
    *at = '\0';
    return at + strlen(mark);
}

static void add_function(struct written_sites *made, struct ca_record_frame *frame, char *text) {
    char *offset = cut(text, "+0x"), *file = cut(text, "@");
    char *line = file != NULL ? cut(file, ":") : NULL;
    if (offset != NULL) {
        frame->module = module_called(made, text);
        frame->offset = strtoull(offset, NULL, 16);
    } else if (strcmp(text, "?") == 0) {
        frame->module = CA_NO_MODULE;
        frame->offset = (uint64_t)(uintptr_t)text;
    } else {
        cr_assert_lt(made->function_count, WRITTEN_MAX);
        made->functions[made->function_count++] =
            (struct ca_record_function){text, file, line != NULL ? (uint32_t)atoi(line) : 0};
        frame->function_count++;
    }
}

static void add_frame(struct written_sites *made, char *text) {
    uint32_t index = made->record.frames_count++;
    cr_assert_lt(index, WRITTEN_MAX);
    made->frames[index] = (struct ca_record_frame){
        .offset = 0x1000u + index, .functions = &made->functions[made->function_count]};
    made->stacks[made->stack_count++] = index;
    for (char *next; text != NULL; text = next) {
        next = cut(text, " | ");
        add_function(made, &made->frames[index], text);
    }
}

static void add_site(struct written_sites *made, char *phase) {
    struct ca_record *record = &made->record;
    struct ca_record_site *site = &made->sites[record->site_count++];
    char *numbers = cut(phase, " "), *stack = cut(numbers, " "), *bytes = cut(numbers, "/");
    cr_assert_leq(record->site_count, WRITTEN_MAX);
    *site = (struct ca_record_site){
        .phase = phase_called(made, phase),
        .frames = &made->stacks[made->stack_count],
        .allocations = strtoull(numbers, NULL, 10),
        .malloc_calls = strtoull(numbers, NULL, 10),
        .bytes_requested = strtoull(bytes, NULL, 10),
    };
    for (char *next; strcmp(stack, "-") != 0; stack = next) {
        next = cut(stack, " < ");
        site->frame_count++;
        add_frame(made, stack);
        if (next == NULL)
            break;
        record->stack_depth = 8;
    }
    made->phases[site->phase].counts.allocations += site->allocations;
    made->phases[site->phase].counts.bytes_requested += site->bytes_requested;
    record->total.allocations += site->allocations;
    record->total.bytes_requested += site->bytes_requested;
}

void written_sites_init(struct written_sites *made, const char *text) {
    memset(made, 0, sizeof *made);
    cr_assert_lt(strlen(text), sizeof made->text);
    strcpy(made->text, text);
    made->record = (struct ca_record){
        .version = "1",
        .rules = CA_COUNTING_RULES,
        .name = "p",
        .executable = "program",
        .arguments = "",
        .platform_key = "k",
        .is_attached = true,
        .level = CA_LEVEL_FULL,
        .is_complete = true,
        .has_exit_status = true,
        .stack_depth = 1,
        .phases = made->phases,
        .modules = made->modules,
        .frames = made->frames,
        .sites = made->sites,
    };
    module_called(made, "program");
    for (char *line = made->text, *next; line != NULL && *line != '\0'; line = next) {
        next = cut(line, "\n");
        add_site(made, line);
    }
}

void written_sites_build(struct written_sites *made, const char *name, const uint8_t *build_id) {
    struct ca_record_module *module = &made->modules[module_called(made, name)];
    module->build_id = build_id;
    module->build_id_bytes = 1;
}
