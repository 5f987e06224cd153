/* SPDX-License-Identifier: MIT */
#include "fold/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

bool ca_demangle_is_available(void) {
    return true;
}

/* Where the mangled name begins: behind one '_' of Mach-O; NULL: not mangled. */
static const char *beginning(const char *symbol) {
    const char *at = symbol[0] == '_' && symbol[1] == '_' ? symbol + 1 : symbol;
    return at[0] == '_' && (at[1] == 'Z' || at[1] == 'R') ? at : NULL;
}

char *ca_demangle(const char *symbol, size_t byte_count) {
    if (byte_count < 3 || byte_count > CA_DEMANGLE_LENGTH_MAX || symbol[0] != '_' ||
        memchr(symbol, '\0', byte_count) != NULL)
        return NULL;
    char *copy = malloc(byte_count + 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, symbol, byte_count);
    copy[byte_count] = '\0';
    const char *from = beginning(copy);
    char *name = NULL;
    if (from != NULL)
        name = cplus_demangle(from, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
    free(copy);
    return name;
}
