/* SPDX-License-Identifier: MIT
 *
 * The name of a function in DWARF. */
#ifndef CA_DWARF_NAMES_H
#define CA_DWARF_NAMES_H

#include "symbols/dwarf_units.h"

/* The same for every copy of a function, inlined or not: its linkage name demangled, else what the
 * source calls it, behind the namespaces and classes around it. Returned: free() it. NULL: it has
 * none, or there is no memory. */
char *ca_dwarf_name(struct ca_dwarf_units *units, const Dwarf_Die *function);

/* What `function`, a copy, was made from: itself when it is no copy. */
Dwarf_Die ca_dwarf_origin(const Dwarf_Die *function);

#endif
