/* SPDX-License-Identifier: MIT
 *
 * The functions in the symbol table of a Mach-O slice, or of an image that was loaded from one.
 * Formats: mach-o/loader.h (LC_SYMTAB, LC_FUNCTION_STARTS), mach-o/nlist.h. */
#ifndef CA_MACHO_SYMBOLS_H
#define CA_MACHO_SYMBOLS_H

#include "platform/macho_bytes.h"
#include "platform/macho_file.h"
#include "symbols/address_spans.h"

/* Where the parts of an image are; kept. In a file both are all of the slice. */
struct ca_macho_view {
    struct ca_macho_part commands; /* the header and the load commands behind it */
    struct ca_macho_part tables;   /* the symbol table, its names, the beginnings of functions */
    uint64_t tables_offset;        /* of `tables`, in the file */
};

/* The view of `slice` of the file at `file_bytes`. */
struct ca_macho_view ca_macho_view_of_file(const unsigned char *file_bytes,
                                           const struct ca_macho_slice *slice);

/* The view of a loaded image: its header is at `header`, with the load commands behind it, and
 * `slide` is added to its addresses. Only what the loader has accepted is to be read: sizes are
 * believed. False when it is none, or has no segment __LINKEDIT. */
bool ca_macho_view_of_loaded(const void *header, uintptr_t slide, struct ca_macho_view *ret_view);

/* All zero is an empty table. */
struct ca_macho_symbols {
    const char **names; /* name_count, in the view */
    size_t name_count;
    size_t name_capacity;
    struct ca_address_spans spans; /* index into `names` */
};

/* Reads them; none is no error, nor is a damaged table. Mach-O symbols have no size: a function
 * extends to the next symbol, the next beginning of a function or the end of its section. False
 * when there is no memory; ca_macho_symbols_release() in any case. */
bool ca_macho_symbols_init(struct ca_macho_symbols *symbols, const struct ca_macho_view *view);
void ca_macho_symbols_release(struct ca_macho_symbols *symbols);

/* The symbol of the function at `address`, one of the file, as the linker has it: with the '_' that
 * C names have in front. NULL: a function without name, as in stripped files, or none. */
const char *ca_macho_symbols_find(const struct ca_macho_symbols *symbols, uint64_t address);

#endif
