/* SPDX-License-Identifier: MIT */
#include "symbols/dwarf_lookup.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf_names.h"

#define CHAIN_MAX 64u /* functions inlined into each other */
#define DEPTH_MAX 200u

bool ca_dwarf_lookup_init(struct ca_dwarf_lookup *lookup, Dwarf *dwarf,
                          struct ca_symbol_memory *memory) {
    *lookup = (struct ca_dwarf_lookup){.memory = memory};
    if (ca_dwarf_units_init(&lookup->units, dwarf, &lookup->own))
        return true;
    ca_dwarf_lookup_release(lookup);
    return false;
}

void ca_dwarf_lookup_release(struct ca_dwarf_lookup *lookup) {
    ca_dwarf_units_release(&lookup->units);
    ca_pointer_map_release(&lookup->names);
    ca_pointer_map_release(&lookup->files);
    ca_symbol_memory_release(&lookup->own);
}

/* ---- texts ---- */

/* Each is made once. NULL: it has none, or no memory. */
static const char *name_of(struct ca_dwarf_lookup *lookup, const Dwarf_Die *function) {
    Dwarf_Die origin = ca_dwarf_origin(function);
    const char *known = ca_pointer_map_find(&lookup->names, origin.addr);
    if (known != NULL)
        return known;
    char *name = ca_dwarf_name(&lookup->units, &origin);
    char *kept = name == NULL ? NULL : ca_symbol_memory_text(lookup->memory, name, strlen(name));
    free(name);
    if (kept != NULL && !ca_pointer_map_add(&lookup->names, origin.addr, kept))
        return NULL;
    return kept;
}

/* Behind the compiler's working folder, where libdw left a name relative. */
static char *whole_path(struct ca_dwarf_lookup *lookup, struct ca_dwarf_unit *unit,
                        const char *file) {
    Dwarf_Attribute attribute;
    const char *folder = dwarf_formstring(dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute));
    if (file[0] == '/' || folder == NULL || folder[0] != '/')
        return ca_symbol_memory_text(lookup->memory, file, strlen(file));
    size_t folder_bytes = strlen(folder);
    while (folder_bytes > 0 && folder[folder_bytes - 1] == '/')
        folder_bytes--;
    size_t file_bytes = strlen(file);
    char *path = ca_symbol_memory_take(lookup->memory, folder_bytes + 1 + file_bytes + 1);
    if (path == NULL)
        return NULL;
    memcpy(path, folder, folder_bytes);
    path[folder_bytes] = '/';
    memcpy(path + folder_bytes + 1, file, file_bytes);
    return path;
}

/* `file` is libdw's, one for each unit. */
static const char *file_of(struct ca_dwarf_lookup *lookup, struct ca_dwarf_unit *unit,
                           const char *file) {
    if (file == NULL || file[0] == '\0' || strcmp(file, "???") == 0)
        return NULL;
    const char *known = ca_pointer_map_find(&lookup->files, file);
    if (known != NULL)
        return known;
    char *kept = whole_path(lookup, unit, file);
    if (kept != NULL && !ca_pointer_map_add(&lookup->files, file, kept))
        return NULL;
    return kept;
}

/* ---- lines ---- */

static void set_line_of_address(struct ca_dwarf_lookup *lookup, struct ca_dwarf_unit *unit,
                                uint64_t address, struct ca_record_function *function) {
    Dwarf_Line *line = dwarf_getsrc_die(&unit->die, address);
    int number = 0;
    if (line == NULL)
        return;
    function->file = file_of(lookup, unit, dwarf_linesrc(line, NULL, NULL));
    if (function->file != NULL && dwarf_lineno(line, &number) == 0 && number > 0)
        function->line = (uint32_t)number;
}

static bool number_of(Dwarf_Die *die, unsigned attribute_name, Dwarf_Word *ret_number) {
    Dwarf_Attribute attribute;
    return dwarf_attr(die, attribute_name, &attribute) != NULL &&
           dwarf_formudata(&attribute, ret_number) == 0;
}

/* Where the function that was inlined as `inlined` was called. */
static void set_line_of_call(struct ca_dwarf_lookup *lookup, struct ca_dwarf_unit *unit,
                             Dwarf_Die *inlined, struct ca_record_function *function) {
    Dwarf_Files *files;
    size_t file_count;
    Dwarf_Word file;
    Dwarf_Word line;
    if (number_of(inlined, DW_AT_call_file, &file) &&
        dwarf_getsrcfiles(&unit->root, &files, &file_count) == 0 && file < file_count)
        function->file = file_of(lookup, unit, dwarf_filesrc(files, (size_t)file, NULL, NULL));
    if (number_of(inlined, DW_AT_call_line, &line) && line <= UINT32_MAX)
        function->line = (uint32_t)line;
}

/* ---- functions ---- */

/* The function at an address, then those inlined there, the innermost last. */
struct chain {
    Dwarf_Die functions[CHAIN_MAX];
    uint32_t count;
};

static bool is_block(int tag) {
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
           tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* The block among the children of `parent` that holds `address`. */
static bool block_at(Dwarf_Die *parent, uint64_t address, Dwarf_Die *ret_block) {
    Dwarf_Die child;
    if (dwarf_child(parent, &child) != 0)
        return false;
    do
        if (is_block(dwarf_tag(&child)) && dwarf_haspc(&child, address) > 0) {
            *ret_block = child;
            return true;
        }
    while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static void find_chain(const struct ca_dwarf_unit *unit, uint64_t address, struct chain *chain) {
    Dwarf_Die die;
    chain->count = 0;
    if (!ca_dwarf_unit_function(unit, address, &die))
        return;
    chain->functions[chain->count++] = die;
    for (unsigned depth = 0; depth < DEPTH_MAX && block_at(&die, address, &die); depth++)
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine && chain->count < CHAIN_MAX)
            chain->functions[chain->count++] = die;
}

bool ca_dwarf_lookup_frame(struct ca_dwarf_lookup *lookup, uint64_t address,
                           struct ca_record_frame *frame) {
    struct chain chain;
    struct ca_dwarf_unit *unit = ca_dwarf_units_find(&lookup->units, address);
    if (unit == NULL)
        return true;
    find_chain(unit, address, &chain);
    uint32_t count = chain.count == 0 ? 1 : chain.count;
    struct ca_record_function *functions =
        ca_symbol_memory_take(lookup->memory, count * sizeof *functions);
    if (functions == NULL)
        return false;
    set_line_of_address(lookup, unit, address, &functions[0]);
    for (uint32_t i = 0; i < chain.count; i++) {
        Dwarf_Die *function = &chain.functions[chain.count - 1 - i];
        functions[i].name = name_of(lookup, function);
        if (i > 0)
            set_line_of_call(lookup, unit, function + 1, &functions[i]);
    }
    if (chain.count == 0 && functions[0].file == NULL)
        return true;
    frame->functions = functions;
    frame->function_count = count;
    return true;
}
