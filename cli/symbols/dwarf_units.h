/* SPDX-License-Identifier: MIT
 *
 * The units of a file's DWARF, versions 2 to 5, and the functions in each. A unit is walked once,
 * in full, when the first address in it is looked up: the index of addresses (.debug_aranges) is
 * optional and clang leaves it out, and a walk for each address takes minutes for a large unit.
 *
 * Addresses are those of the DWARF. Values of libdw (Dwarf_Die and what it points to) are valid as
 * long as its Dwarf is open. */
#ifndef CA_DWARF_UNITS_H
#define CA_DWARF_UNITS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbols/address_spans.h"
#include "symbols/symbol_memory.h"

struct ca_dwarf_unit {
    Dwarf_Die die; /* has the line table; of a split unit its skeleton */
    Dwarf_Die
        root; /* has the functions; of a split unit in its .dwo file, else the same as `die` */
    bool is_walked;
    struct ca_address_spans spans; /* of functions: index into `functions` */
    Dwarf_Die *functions;          /* function_count, those that have code */
    size_t function_count;
    size_t function_capacity;
    struct ca_pointer_map scopes; /* by Dwarf_Die.addr of functions, classes, namespaces: the
                                     Dwarf_Die of that which they stand in; absent: the unit */
};

struct ca_dwarf_units {
    struct ca_dwarf_unit **units; /* unit_count; some have no code and serve for names only */
    size_t unit_count;
    size_t unit_capacity;
    struct ca_address_spans spans;   /* index into `units` */
    struct ca_pointer_map by_root;   /* by Dwarf_Die.addr of `root` */
    struct ca_symbol_memory *memory; /* kept */
};

/* Finds the units and where their code is. False when there is no memory; ca_dwarf_units_release()
 * in any case. */
bool ca_dwarf_units_init(struct ca_dwarf_units *units, Dwarf *dwarf,
                         struct ca_symbol_memory *memory);
void ca_dwarf_units_release(struct ca_dwarf_units *units);

/* The unit that the code at `address` belongs to, walked; NULL: none, or no memory. */
struct ca_dwarf_unit *ca_dwarf_units_find(struct ca_dwarf_units *units, uint64_t address);

/* The unit that `die` stands in, walked; it may be one of another file. NULL: no memory, or
 * damaged. */
struct ca_dwarf_unit *ca_dwarf_units_of(struct ca_dwarf_units *units, const Dwarf_Die *die);

/* The innermost function at `address`; false: there is none. */
bool ca_dwarf_unit_function(const struct ca_dwarf_unit *unit, uint64_t address,
                            Dwarf_Die *ret_function);

#endif
