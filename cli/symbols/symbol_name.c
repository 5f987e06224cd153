/* SPDX-License-Identifier: MIT */
#include "symbols/symbol_name.h"

#include <stdlib.h>
#include <string.h>

#include "fold/demangle.h"

const char *ca_symbol_name(const char *symbol, struct ca_symbol_memory *memory) {
    char *demangled = ca_demangle(symbol, strlen(symbol));
    const char *text = demangled != NULL ? demangled : symbol;
    const char *name = ca_symbol_memory_text(memory, text, strlen(text));
    free(demangled);
    return name;
}
