/* SPDX-License-Identifier: MIT
 *
 * What the command on macOS says about addresses of a Mach-O file, on any system:
 *
 *   macho_names FILE ARCH ATOS <ADDRESSES
 *
 * A line for each address (a return address, as FILE has it): the functions, innermost first, each
 * with its file and line, a tab before and between; "-" where that is unknown. On standard error,
 * the notes. Its test is tests/scripts/test_darwin_symbols.py. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/macho_mapped.h"
#include "platform/shared_cache.h"
#include "symbols/symbols.h"

bool ca_shared_cache_find(const char *path, const void **ret_header, uintptr_t *ret_slide) {
    (void)path;
    (void)ret_header;
    (void)ret_slide;
    return false;
}

static uint8_t *uuid_of(const char *path, const char *arch) {
    static uint8_t uuid[CA_MACHO_UUID_BYTES];
    struct ca_macho_slice slices[CA_MACHO_SLICES];
    uint32_t count = ca_macho_read_file(path, slices);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(ca_macho_arch_name(slices[i].arch), arch) == 0)
            return memcpy(uuid, slices[i].uuid, sizeof uuid);
    return NULL;
}

static struct ca_record_frame *read_frames(uint32_t *ret_count) {
    struct ca_record_frame *frames = NULL;
    uint64_t address;
    *ret_count = 0;
    while (scanf("%" SCNx64, &address) == 1) {
        frames = realloc(frames, (*ret_count + 1) * sizeof *frames);
        if (frames == NULL)
            exit(1);
        frames[(*ret_count)++] = (struct ca_record_frame){.offset = address};
    }
    return frames;
}

static void print_note(void *target, const char *text) {
    (void)target;
    fprintf(stderr, "%s\n", text);
}

static void print_frame(const struct ca_record_frame *frame) {
    printf("0x%" PRIx64, frame->offset);
    for (uint32_t i = 0; i < frame->function_count; i++) {
        const struct ca_record_function *function = &frame->functions[i];
        printf("\t%s\t%s\t%" PRIu32, function->name != NULL ? function->name : "-",
               function->file != NULL ? function->file : "-", function->line);
    }
    puts("");
}

int main(int argc, char **argv) {
    if (argc != 4 || uuid_of(argv[1], argv[2]) == NULL)
        return 2;
    struct ca_record_module module = {argv[1], uuid_of(argv[1], argv[2]), CA_MACHO_UUID_BYTES};
    struct ca_record record = {.modules = &module, .module_count = 1};
    struct ca_symbols_options options = {.atos_path = argv[3], .note = print_note};
    struct ca_symbols *symbols;
    struct ca_error err;
    record.frames = read_frames(&record.frames_count);
    if (ca_symbols_resolve(&record, &options, &symbols, &err) != CA_OK)
        return 1;
    for (uint32_t i = 0; i < record.frames_count; i++)
        print_frame(&record.frames[i]);
    ca_symbols_release(symbols);
    free(record.frames);
    return 0;
}
