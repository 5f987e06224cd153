/* SPDX-License-Identifier: MIT
 *
 * Mach-O files: debug information by `atos`, which knows where Apple's compilers leave it, else the
 * symbol table. */
#include "symbols/module_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/macho_judge.h"
#include "platform/macho_mapped.h"
#include "platform/shared_cache.h"
#include "symbols/macho_symbols.h"
#include "symbols/symbol_name.h"

#define PATH_SIZE      4096u
#define FUNCTIONS_MAX  64u /* inlined into each other */
#define TROUBLE_BYTES  256u
#define BUNDLE_CONTENT ".dSYM/Contents/Resources/DWARF/"

struct ca_module_symbols {
    struct ca_symbols_work *work;
    struct ca_macho_mapped file;        /* nothing: it is in the shared cache */
    const struct ca_macho_slice *slice; /* that ran; NULL likewise */
    char debug_path[PATH_SIZE];         /* what atos is to read; "": nothing */
    struct ca_macho_mapped bundle;      /* debug information, if there is some of this build */
    struct ca_macho_view view;          /* of the image whose symbol table is used */
    struct ca_macho_symbols table;
    bool is_table_read;
    bool has_lines;
    char trouble[TROUBLE_BYTES];
};

bool ca_symbols_is_available(void) {
    return true;
}

/* ---- files ---- */

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool has_uuid(const struct ca_record_module *module) {
    return module->build_id_bytes == CA_MACHO_UUID_BYTES;
}

static enum ca_module_outcome choose_slice(struct ca_module_symbols *symbols,
                                           const struct ca_record_module *module) {
    const struct ca_macho_mapped *file = &symbols->file;
    if (file->slice_count == 0)
        return CA_MODULE_UNREADABLE;
    if (!has_uuid(module) && file->slice_count > 1)
        return CA_MODULE_UNCERTAIN;
    symbols->slice = has_uuid(module)
                         ? ca_macho_find_build(file->slices, file->slice_count, module->build_id)
                         : &file->slices[0];
    return symbols->slice != NULL ? CA_MODULE_OPEN : CA_MODULE_REPLACED;
}

/* A library of the system's that has no file. */
static enum ca_module_outcome open_cached(struct ca_module_symbols *symbols,
                                          const struct ca_record_module *module) {
    struct ca_macho_slice slices[CA_MACHO_SLICES];
    const void *header;
    uintptr_t slide;
    if (!ca_macho_is_protected_path(module->path))
        return CA_MODULE_ABSENT;
    if (!has_uuid(module) || !ca_shared_cache_find(module->path, &header, &slide) ||
        !ca_macho_view_of_loaded(header, slide, &symbols->view))
        return CA_MODULE_NOT_CACHED;
    const struct ca_macho_part *commands = &symbols->view.commands;
    uint32_t count = ca_macho_read(commands->bytes, commands->byte_count, slices);
    return ca_macho_find_build(slices, count, module->build_id) != NULL ? CA_MODULE_OPEN
                                                                        : CA_MODULE_NOT_CACHED;
}

/* The bundle that dsymutil(1) leaves beside a module. */
static void find_bundle(struct ca_module_symbols *symbols, const char *path) {
    char inside[PATH_SIZE];
    int length = snprintf(inside, sizeof inside, "%s" BUNDLE_CONTENT "%s", path, base_of(path));
    snprintf(symbols->debug_path, sizeof symbols->debug_path, "%s", path);
    if (length >= (int)sizeof inside || ca_macho_map(inside, &symbols->bundle) != 0)
        return;
    const struct ca_macho_slice *slice =
        symbols->slice->has_uuid
            ? ca_macho_find_build(symbols->bundle.slices, symbols->bundle.slice_count,
                                  symbols->slice->uuid)
            : NULL;
    if (slice == NULL) {
        snprintf(symbols->trouble, sizeof symbols->trouble, "its .dSYM is of another build");
        return;
    }
    memcpy(symbols->debug_path, inside, sizeof inside);
    symbols->view = ca_macho_view_of_file(symbols->bundle.bytes, slice);
}

static enum ca_module_outcome open_file(struct ca_module_symbols *symbols,
                                        const struct ca_record_module *module) {
    int error_number = ca_macho_map(module->path, &symbols->file);
    if (error_number == ENOENT || error_number == ENOTDIR)
        return open_cached(symbols, module);
    if (error_number != 0)
        return CA_MODULE_UNREADABLE;
    enum ca_module_outcome outcome = choose_slice(symbols, module);
    if (outcome != CA_MODULE_OPEN)
        return outcome;
    symbols->view = ca_macho_view_of_file(symbols->file.bytes, symbols->slice);
    find_bundle(symbols, module->path);
    return CA_MODULE_OPEN;
}

enum ca_module_outcome ca_module_symbols_open(struct ca_symbols_work *work,
                                              const struct ca_record_module *module,
                                              struct ca_module_symbols **ret) {
    struct ca_module_symbols *symbols = calloc(1, sizeof *symbols);
    if (symbols == NULL)
        return CA_MODULE_NO_MEMORY;
    symbols->work = work;
    enum ca_module_outcome outcome = open_file(symbols, module);
    if (outcome == CA_MODULE_OPEN)
        *ret = symbols;
    else
        ca_module_symbols_close(symbols);
    return outcome;
}

void ca_module_symbols_close(struct ca_module_symbols *symbols) {
    ca_macho_symbols_release(&symbols->table);
    ca_macho_unmap(&symbols->bundle);
    ca_macho_unmap(&symbols->file);
    free(symbols);
}

bool ca_module_symbols_has_lines(const struct ca_module_symbols *symbols) {
    return symbols->has_lines;
}

const char *ca_module_symbols_trouble(const struct ca_module_symbols *symbols) {
    return symbols->has_lines ? "" : symbols->trouble;
}

const char *ca_module_symbols_advice(const struct ca_symbols_work *work) {
    (void)work;
    return "keep the .dSYM bundle beside a stripped program (dsymutil makes it)";
}

/* ---- by atos ---- */

static bool keep_function(struct ca_module_symbols *symbols, const struct ca_atos_function *found,
                          struct ca_record_function *ret_function) {
    struct ca_symbol_memory *memory = symbols->work->memory;
    char *name = ca_symbol_memory_text(memory, found->name, found->name_bytes);
    ret_function->name = name;
    ret_function->line = found->line;
    if (found->file != NULL)
        ret_function->file = ca_symbol_memory_text(memory, found->file, found->file_bytes);
    symbols->has_lines |= found->line != 0;
    return name != NULL && (found->file == NULL || ret_function->file != NULL);
}

/* `lines`: of one address. */
static bool keep_lines(struct ca_module_symbols *symbols, const char *lines, size_t bytes,
                       struct ca_record_frame *frame) {
    struct ca_atos_function found[FUNCTIONS_MAX];
    uint32_t count = 0;
    const char *module = base_of(symbols->debug_path);
    const char *line;
    for (size_t left = bytes; left > 0 && count < FUNCTIONS_MAX;) {
        size_t length = ca_atos_take_line(&lines, &left, &line);
        if (!ca_atos_line_read(line, length, module, &found[count]))
            return true; /* half a chain is none */
        count++;
    }
    if (count == 0)
        return true;
    struct ca_record_function *functions =
        ca_symbol_memory_take(symbols->work->memory, count * sizeof *functions);
    if (functions == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!keep_function(symbols, &found[i], &functions[i]))
            return false;
    frame->functions = functions;
    frame->function_count = count;
    return true;
}

static bool keep_reply(struct ca_module_symbols *symbols, struct ca_atos_answer *answer,
                       struct ca_record_frame **frames, uint32_t frame_count) {
    for (uint32_t i = 0; i < frame_count; i++) {
        size_t bytes;
        const char *lines = ca_atos_answer_next(answer, &bytes);
        if (lines == NULL)
            return true;
        if (!keep_lines(symbols, lines, bytes, frames[i]))
            return false;
    }
    return true;
}

bool ca_module_symbols_ask(struct ca_module_symbols *symbols, struct ca_record_frame **frames,
                           uint32_t frame_count) {
    if (symbols->slice == NULL || frame_count == 0)
        return true;
    uint64_t *addresses = calloc(frame_count, sizeof *addresses);
    if (addresses == NULL)
        return false;
    for (uint32_t i = 0; i < frame_count; i++)
        addresses[i] = frames[i]->offset - (frames[i]->offset > 0);
    struct ca_atos_question question = {
        .path = symbols->debug_path,
        .arch = ca_macho_arch_name(symbols->slice->arch),
        .load_address = symbols->slice->text_address,
        .addresses = addresses,
        .address_count = frame_count,
    };
    struct ca_atos_reply reply;
    struct ca_error err;
    bool is_whole = true;
    if (ca_atos_ask(&symbols->work->atos, &question, &reply, &err) == CA_OK) {
        is_whole = keep_reply(symbols, &reply.answer, frames, frame_count);
        ca_atos_reply_release(&reply);
    } else
        snprintf(symbols->trouble, sizeof symbols->trouble, "%.*s", (int)TROUBLE_BYTES - 1,
                 err.message);
    free(addresses);
    return is_whole;
}

/* ---- by the symbol table ---- */

bool ca_module_symbols_name(struct ca_module_symbols *symbols, struct ca_record_frame *frame) {
    struct ca_symbol_memory *memory = symbols->work->memory;
    if (frame->function_count > 0 || frame->offset == 0)
        return true;
    if (!symbols->is_table_read && !ca_macho_symbols_init(&symbols->table, &symbols->view))
        return false;
    symbols->is_table_read = true;
    const char *symbol = ca_macho_symbols_find(&symbols->table, frame->offset - 1);
    if (symbol == NULL)
        return true;
    struct ca_record_function *function = ca_symbol_memory_take(memory, sizeof *function);
    const char *name = ca_symbol_name(symbol, memory);
    if (function == NULL || name == NULL)
        return false;
    /* Without the '_' that the compiler put in front, unless that was understood. */
    function->name = name[0] == '_' && strcmp(name, symbol) == 0 ? name + 1 : name;
    frame->functions = function;
    frame->function_count = 1;
    return true;
}
