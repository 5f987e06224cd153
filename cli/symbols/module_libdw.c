/* SPDX-License-Identifier: MIT */
#include "symbols/module_symbols.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/dwarf_lookup.h"
#include "symbols/elf_symbols.h"
#include "symbols/symbol_name.h"

#define BUILD_ID_BYTES_MAX 64u
#define DEBUG_PATH         ":.debug:/usr/lib/debug"

struct ca_module_symbols {
    struct ca_symbols_work *work;
    Dwfl_Callbacks callbacks;
    char *debug_path;
    Dwfl *dwfl;
    Dwfl_Module *module;
    Dwarf_Addr bias; /* of the DWARF: subtracted from the module's addresses */
    struct ca_dwarf_lookup dwarf;
    bool has_dwarf;
    struct ca_elf_symbols elf;
    bool is_elf_read;
};

bool ca_symbols_is_available(void) {
    return true;
}

/* ---- files ---- */

static int find_debug_file(Dwfl_Module *module, void **userdata, const char *module_name,
                           Dwarf_Addr base, const char *file_name, const char *link,
                           GElf_Word link_crc, char **ret_path) {
    struct ca_module_symbols *symbols = *userdata;
    ca_download_limit_begin(&symbols->work->downloads);
    int fd = dwfl_standard_find_debuginfo(module, userdata, module_name, base, file_name, link,
                                          link_crc, ret_path);
    ca_download_limit_end(&symbols->work->downloads);
    return fd;
}

static bool is_same_build(Dwfl_Module *module, const struct ca_record_module *wanted) {
    const unsigned char *id = NULL;
    GElf_Addr address;
    int byte_count = dwfl_module_build_id(module, &id, &address);
    if (wanted->build_id_bytes == 0)
        return true;
    return byte_count == (int)wanted->build_id_bytes &&
           memcmp(id, wanted->build_id, wanted->build_id_bytes) == 0;
}

static enum ca_module_outcome outcome_of(int error_number) {
    return error_number == ENOENT || error_number == ENOTDIR ? CA_MODULE_ABSENT
                                                             : CA_MODULE_UNREADABLE;
}

static enum ca_module_outcome report_file(struct ca_module_symbols *symbols, const char *path,
                                          const struct ca_record_module *wanted) {
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return outcome_of(errno);
    symbols->dwfl =
        fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) ? dwfl_begin(&symbols->callbacks) : NULL;
    if (symbols->dwfl == NULL) {
        close(fd);
        return CA_MODULE_UNREADABLE;
    }
    /* At 0, so that addresses are those of the file; it owns `fd` when it succeeds. */
    symbols->module = dwfl_report_elf(symbols->dwfl, path, path, fd, 0, true);
    if (symbols->module == NULL) {
        close(fd);
        return CA_MODULE_UNREADABLE;
    }
    dwfl_report_end(symbols->dwfl, NULL, NULL);
    void **userdata;
    dwfl_module_info(symbols->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
    *userdata = symbols;
    return is_same_build(symbols->module, wanted) ? CA_MODULE_OPEN : CA_MODULE_REPLACED;
}

static void end_dwfl(struct ca_module_symbols *symbols) {
    if (symbols->dwfl != NULL)
        dwfl_end(symbols->dwfl);
    symbols->dwfl = NULL;
}

/* The debug file of a module that is gone is as good as the module: it has the same addresses. */
static enum ca_module_outcome report_debug_file(struct ca_module_symbols *symbols,
                                                const struct ca_record_module *wanted) {
    char id[2 * BUILD_ID_BYTES_MAX + 1];
    if (wanted->build_id_bytes < 2 || wanted->build_id_bytes > BUILD_ID_BYTES_MAX)
        return CA_MODULE_ABSENT;
    for (uint32_t i = 0; i < wanted->build_id_bytes; i++)
        snprintf(id + 2 * i, 3, "%02x", wanted->build_id[i]);
    enum ca_module_outcome outcome = CA_MODULE_ABSENT;
    const char *folder = symbols->debug_path;
    while (folder != NULL && outcome != CA_MODULE_OPEN) {
        size_t length = strcspn(folder, ":");
        const char *begin = folder[0] == '+' || folder[0] == '-' ? folder + 1 : folder;
        char path[4096];
        int path_length = snprintf(path, sizeof path, "%.*s/.build-id/%.2s/%s.debug",
                                   (int)(folder + length - begin), begin, id, id + 2);
        if (begin[0] == '/' && path_length > 0 && (size_t)path_length < sizeof path) {
            end_dwfl(symbols);
            outcome = report_file(symbols, path, wanted);
        }
        folder = folder[length] == ':' ? folder + length + 1 : NULL;
    }
    return outcome;
}

static enum ca_module_outcome report_any_file(struct ca_module_symbols *symbols,
                                              const struct ca_record_module *wanted) {
    enum ca_module_outcome outcome = report_file(symbols, wanted->path, wanted);
    if (outcome == CA_MODULE_OPEN || report_debug_file(symbols, wanted) == CA_MODULE_OPEN)
        return CA_MODULE_OPEN;
    return outcome;
}

/* ---- a module ---- */

enum ca_module_outcome ca_module_symbols_open(struct ca_symbols_work *work,
                                              const struct ca_record_module *module,
                                              struct ca_module_symbols **ret) {
    const char *path = work->options->debug_path;
    struct ca_module_symbols *symbols = calloc(1, sizeof *symbols);
    if (symbols == NULL)
        return CA_MODULE_NO_MEMORY;
    symbols->work = work;
    symbols->debug_path = strdup(path != NULL ? path : DEBUG_PATH);
    symbols->callbacks = (Dwfl_Callbacks){
        .find_debuginfo = find_debug_file,
        .debuginfo_path = &symbols->debug_path,
    };
    enum ca_module_outcome outcome =
        symbols->debug_path == NULL ? CA_MODULE_NO_MEMORY : report_any_file(symbols, module);
    if (outcome == CA_MODULE_OPEN) {
        Dwarf *dwarf = dwfl_module_getdwarf(symbols->module, &symbols->bias);
        symbols->has_dwarf = dwarf != NULL;
        if (dwarf != NULL && !ca_dwarf_lookup_init(&symbols->dwarf, dwarf, work->memory))
            outcome = CA_MODULE_NO_MEMORY;
    }
    if (outcome == CA_MODULE_OPEN)
        *ret = symbols;
    else
        ca_module_symbols_close(symbols);
    return outcome;
}

void ca_module_symbols_close(struct ca_module_symbols *symbols) {
    if (symbols->has_dwarf)
        ca_dwarf_lookup_release(&symbols->dwarf);
    ca_elf_symbols_release(&symbols->elf);
    end_dwfl(symbols);
    free(symbols->debug_path);
    free(symbols);
}

bool ca_module_symbols_has_lines(const struct ca_module_symbols *symbols) {
    return symbols->has_dwarf;
}

const char *ca_module_symbols_trouble(const struct ca_module_symbols *symbols) {
    (void)symbols;
    return "";
}

const char *ca_module_symbols_advice(const struct ca_symbols_work *work) {
    return work->downloads.is_on ? NULL
                                 : "install debug symbols (packages named -dbgsym, -dbg or "
                                   "-debuginfo), or set DEBUGINFOD_URLS";
}

/* ---- a frame ---- */

bool ca_module_symbols_ask(struct ca_module_symbols *symbols, struct ca_record_frame **frames,
                           uint32_t frame_count) {
    (void)symbols;
    (void)frames;
    (void)frame_count;
    return true;
}

/* Adds the symbol's name where DWARF has none. */
static bool name_by_symbol(struct ca_module_symbols *symbols, struct ca_record_frame *frame,
                           uint64_t address) {
    struct ca_record_function *outermost =
        frame->function_count == 0 ? NULL : &frame->functions[frame->function_count - 1];
    if (outermost != NULL && outermost->name != NULL)
        return true;
    if (!symbols->is_elf_read && !ca_elf_symbols_init(&symbols->elf, symbols->module))
        return false;
    symbols->is_elf_read = true;
    const char *symbol = ca_elf_symbols_find(&symbols->elf, address);
    if (symbol == NULL)
        return true;
    const char *name = ca_symbol_name(symbol, symbols->work->memory);
    if (outermost == NULL)
        outermost = ca_symbol_memory_take(symbols->work->memory, sizeof *outermost);
    if (name == NULL || outermost == NULL)
        return false;
    outermost->name = name;
    if (frame->function_count == 0) {
        frame->functions = outermost;
        frame->function_count = 1;
    }
    return true;
}

bool ca_module_symbols_name(struct ca_module_symbols *symbols, struct ca_record_frame *frame) {
    if (frame->offset == 0)
        return true;
    uint64_t address = frame->offset - 1;
    if (symbols->has_dwarf &&
        !ca_dwarf_lookup_frame(&symbols->dwarf, address - symbols->bias, frame))
        return false;
    return name_by_symbol(symbols, frame, address);
}
