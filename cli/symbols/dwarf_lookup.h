/* SPDX-License-Identifier: MIT
 *
 * What DWARF says about an address: the function, the functions inlined there, their lines. */
#ifndef CA_DWARF_LOOKUP_H
#define CA_DWARF_LOOKUP_H

#include "interpose/report/record.h"

#include "symbols/dwarf_units.h"

struct ca_dwarf_lookup {
    struct ca_dwarf_units units;
    struct ca_symbol_memory own;     /* until it is released */
    struct ca_symbol_memory *memory; /* for what the record will point to; kept */
    struct ca_pointer_map names;     /* by Dwarf_Die.addr of a function */
    struct ca_pointer_map files;     /* by libdw's copy of a file's name */
};

/* False when there is no memory; then there is nothing to release. */
bool ca_dwarf_lookup_init(struct ca_dwarf_lookup *lookup, Dwarf *dwarf,
                          struct ca_symbol_memory *memory);
void ca_dwarf_lookup_release(struct ca_dwarf_lookup *lookup);

/* Fills `functions` and `function_count` of `frame` with what is known about `address`, one of the
 * DWARF; the outermost may be without name. False when there is no memory. */
bool ca_dwarf_lookup_frame(struct ca_dwarf_lookup *lookup, uint64_t address,
                           struct ca_record_frame *frame);

#endif
