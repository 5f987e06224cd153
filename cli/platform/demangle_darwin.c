/* SPDX-License-Identifier: MIT
 *
 * By the demangler of the system's C++ runtime, because macOS has no libiberty. It knows C++ only.
 */
#ifndef __APPLE__
#error "macOS only"
#endif

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "fold/demangle.h"

typedef char *demangler(const char *symbol, char *buffer, size_t *buffer_bytes, int *ret_status);

/* NULL: there is none. Loaded when it is wanted, because the command itself needs libSystem only.
 */
static demangler *find_demangler(void) {
    void *library = dlopen("/usr/lib/libc++abi.dylib", RTLD_LAZY | RTLD_LOCAL);
    demangler *found = NULL;
    if (library != NULL)
        *(void **)&found = dlsym(library, "__cxa_demangle");
    return found;
}

/* Because Rust's v0 scheme is not C++'s. */
bool ca_demangle_is_available(void) {
    return false;
}

char *ca_demangle(const char *symbol, size_t byte_count) {
    /* Behind one '_' of Mach-O. */
    size_t begin = byte_count > 1 && symbol[0] == '_' && symbol[1] == '_' ? 1 : 0;
    if (byte_count < begin + 3 || byte_count > CA_DEMANGLE_LENGTH_MAX || symbol[begin] != '_' ||
        symbol[begin + 1] != 'Z' || memchr(symbol, '\0', byte_count) != NULL)
        return NULL;
    demangler *demangle = find_demangler();
    char *copy = demangle != NULL ? strndup(symbol + begin, byte_count - begin) : NULL;
    int status = 0;
    char *name = copy != NULL ? demangle(copy, NULL, NULL, &status) : NULL;
    free(copy);
    return name;
}
