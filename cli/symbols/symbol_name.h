/* SPDX-License-Identifier: MIT */
#ifndef CA_SYMBOL_NAME_H
#define CA_SYMBOL_NAME_H

#include "symbols/symbol_memory.h"

/* `symbol` demangled, or as it is, in `memory`; NULL: there is none left. */
const char *ca_symbol_name(const char *symbol, struct ca_symbol_memory *memory);

#endif
