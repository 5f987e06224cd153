/* SPDX-License-Identifier: MIT */
#include "symbols/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbols/perf_map.h"
#include "symbols/symbols_note.h"

struct ca_symbols {
    struct ca_symbol_memory memory;
};

struct resolver {
    struct ca_record *record;
    struct ca_symbols_work work;
    struct ca_record_frame **frames; /* frame_count, without functions yet, by module and offset */
    uint64_t frame_count;
    uint64_t done_count;
    struct ca_module_result *results; /* one for each module of the record */
};

/* ---- frames ---- */

static int order(const void *left, const void *right) {
    const struct ca_record_frame *a = *(const struct ca_record_frame *const *)left;
    const struct ca_record_frame *b = *(const struct ca_record_frame *const *)right;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static bool collect_frames(struct resolver *resolver) {
    struct ca_record *record = resolver->record;
    resolver->frames = calloc((size_t)record->frames_count + 1, sizeof(void *));
    resolver->results = calloc((size_t)record->module_count + 1, sizeof *resolver->results);
    if (resolver->frames == NULL || resolver->results == NULL)
        return false;
    for (uint32_t i = 0; i < record->frames_count; i++)
        if (record->frames[i].function_count == 0)
            resolver->frames[resolver->frame_count++] = &record->frames[i];
    qsort(resolver->frames, resolver->frame_count, sizeof(void *), order);
    return true;
}

static void frame_done(struct resolver *resolver) {
    const struct ca_symbols_options *options = resolver->work.options;
    resolver->done_count++;
    if (options->progress != NULL)
        options->progress(options->progress_target, resolver->done_count, resolver->frame_count);
}

/* ---- modules ---- */

static bool is_named(const struct ca_record_frame *frame) {
    return frame->function_count > 0 && frame->functions[frame->function_count - 1].name != NULL;
}

/* `frames`: frame_count of them, all of module `module`. */
static bool resolve_module(struct resolver *resolver, uint32_t module,
                           struct ca_record_frame **frames, uint32_t frame_count) {
    struct ca_module_result *result = &resolver->results[module];
    struct ca_module_symbols *symbols = NULL;
    result->outcome =
        ca_module_symbols_open(&resolver->work, &resolver->record->modules[module], &symbols);
    if (result->outcome == CA_MODULE_NO_MEMORY)
        return false;
    bool is_whole = symbols == NULL || ca_module_symbols_ask(symbols, frames, frame_count);
    result->frame_count = frame_count;
    for (uint32_t i = 0; i < frame_count && is_whole; i++) {
        if (symbols != NULL)
            is_whole = ca_module_symbols_name(symbols, frames[i]);
        result->unnamed_count += !is_named(frames[i]);
        frame_done(resolver);
    }
    if (symbols != NULL) {
        result->has_lines = ca_module_symbols_has_lines(symbols);
        snprintf(result->trouble, sizeof result->trouble, "%s", ca_module_symbols_trouble(symbols));
        ca_module_symbols_close(symbols);
    }
    return is_whole;
}

/* Code that was made at run time. */
static bool resolve_anonymous(struct resolver *resolver, struct ca_record_frame **frames,
                              uint64_t frame_count) {
    char path[64] = "";
    struct ca_perf_map map;
    if (resolver->work.options->perf_map_pid != 0)
        snprintf(path, sizeof path, "/tmp/perf-%" PRIu32 ".map",
                 resolver->work.options->perf_map_pid);
    bool is_whole = ca_perf_map_init(&map, path, resolver->work.memory);
    for (uint64_t i = 0; i < frame_count && is_whole; i++) {
        const char *name = ca_perf_map_find(&map, frames[i]->offset - 1);
        frame_done(resolver);
        if (name == NULL)
            continue;
        struct ca_record_function *function =
            ca_symbol_memory_take(resolver->work.memory, sizeof *function);
        is_whole = function != NULL;
        if (!is_whole)
            break;
        function->name = name;
        frames[i]->functions = function;
        frames[i]->function_count = 1;
    }
    ca_perf_map_release(&map);
    return is_whole;
}

static bool resolve_frames(struct resolver *resolver) {
    uint64_t end;
    for (uint64_t begin = 0; begin < resolver->frame_count; begin = end) {
        struct ca_record_frame **frames = &resolver->frames[begin];
        uint32_t module = frames[0]->module;
        for (end = begin; end < resolver->frame_count && resolver->frames[end]->module == module;)
            end++;
        bool is_anonymous = module >= resolver->record->module_count;
        bool is_whole = is_anonymous
                            ? resolve_anonymous(resolver, frames, end - begin)
                            : resolve_module(resolver, module, frames, (uint32_t)(end - begin));
        if (!is_whole)
            return false;
    }
    return true;
}

/* ---- the whole ---- */

static void give_note(const struct resolver *resolver, const char *text) {
    const struct ca_symbols_options *options = resolver->work.options;
    if (options->note != NULL)
        options->note(options->note_target, text);
    else
        ca_record_note(resolver->record, text);
}

static void give_notes(const struct resolver *resolver) {
    char text[CA_RECORD_NOTE_SIZE];
    if (ca_symbols_note(resolver->record, resolver->results, &resolver->work, text))
        give_note(resolver, text);
    if (ca_symbols_trouble_note(resolver->record, resolver->results, text))
        give_note(resolver, text);
}

static void forget_functions(const struct resolver *resolver) {
    for (uint64_t i = 0; i < resolver->frame_count; i++) {
        resolver->frames[i]->functions = NULL;
        resolver->frames[i]->function_count = 0;
    }
}

enum ca_status ca_symbols_resolve(struct ca_record *record,
                                  const struct ca_symbols_options *options, struct ca_symbols **ret,
                                  struct ca_error *err) {
    uint32_t seconds = options->download_seconds;
    struct ca_symbols *symbols = calloc(1, sizeof *symbols);
    if (symbols == NULL)
        return ca_error_memory(err);
    struct resolver resolver = {
        .record = record,
        .work = {.options = options, .memory = &symbols->memory},
    };
    ca_download_limit_init(&resolver.work.downloads, options->is_debuginfod_off,
                           seconds != 0 ? seconds : CA_SYMBOLS_DOWNLOAD_SECONDS);
    seconds = options->atos_seconds;
    ca_atos_init(&resolver.work.atos, options->atos_path,
                 seconds != 0 ? seconds : CA_SYMBOLS_ATOS_SECONDS);
    bool is_whole = collect_frames(&resolver) && resolve_frames(&resolver);
    if (is_whole)
        give_notes(&resolver);
    else
        forget_functions(&resolver);
    ca_download_limit_release(&resolver.work.downloads);
    free(resolver.frames);
    free(resolver.results);
    if (is_whole) {
        *ret = symbols;
        return CA_OK;
    }
    ca_symbols_release(symbols);
    return ca_error_memory(err);
}

void ca_symbols_release(struct ca_symbols *symbols) {
    if (symbols == NULL)
        return;
    ca_symbol_memory_release(&symbols->memory);
    free(symbols);
}
