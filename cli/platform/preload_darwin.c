/* SPDX-License-Identifier: MIT */
#ifndef __APPLE__
#error "macOS only"
#endif

#include <mach-o/dyld.h>
#include <string.h>

#include "platform/cli_platform.h"
#include "platform/preload_parts.h"

const char ca_preload_variable[] = "DYLD_INSERT_LIBRARIES";
const char ca_preload_file_name[] = "libcountalloc.dylib";

/* Because it is for comparing allocators, which are not exchanged here. */
const size_t ca_preload_padded_bytes = 0;

enum ca_status ca_own_path(char *ret_path, struct ca_error *err) {
    char path[CA_PATH_SIZE];
    uint32_t size = sizeof path;
    if (_NSGetExecutablePath(path, &size) != 0 || !ca_preload_resolve(path, ret_path))
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot find the countalloc command itself");
    return CA_OK;
}

/* Because the variable has no quoting: dyld splits it at colons. */
enum ca_status ca_preload_check_path(const char *path, struct ca_error *err) {
    if (strchr(path, ':') == NULL)
        return CA_OK;
    return ca_error_set(
        err, CA_ERROR_SYSTEM,
        "the library's path '%s' holds a colon, which DYLD_INSERT_LIBRARIES cannot carry; "
        "install countalloc elsewhere, or set COUNTALLOC_LIBRARY to a copy of the "
        "library",
        path);
}

enum ca_status ca_preload_find_unwinder(const char *library, char *ret_path, struct ca_error *err) {
    (void)library;
    (void)ret_path;
    return ca_error_set(err, CA_ERROR_SYSTEM,
                        "'--sample' is not there on macOS, whose programs have frame pointers; "
                        "--stacks takes every stack by them");
}

enum ca_status ca_preload_find_for(const struct ca_allocator *allocator, char *library,
                                   char *ret_operators, struct ca_error *err) {
    (void)allocator;
    (void)library;
    (void)ret_operators;
    (void)err;
    return CA_OK; /* ca_allocator_find has refused all but libc's own */
}
