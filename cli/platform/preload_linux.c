/* SPDX-License-Identifier: MIT */
#ifndef __linux__
#error "Linux only"
#endif

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "platform/cli_platform.h"
#include "platform/preload_parts.h"

#define UNWINDER_NAME  "libcountalloc-unwind.so"
#define OPERATORS_NAME "libcountalloc-operators.so"
#define INSIDE_NAME    "libcountalloc-jemalloc.so"

const char ca_preload_variable[] = "LD_PRELOAD";
const char ca_preload_file_name[] = "libcountalloc.so";

/* Because ld.so skips empty names, and --allocator compares programs whose environments differ. */
const size_t ca_preload_padded_bytes = 1024;

enum ca_status ca_own_path(char *ret_path, struct ca_error *err) {
    ssize_t length = readlink("/proc/self/exe", ret_path, CA_PATH_SIZE - 1);
    if (length <= 0)
        return ca_error_set(err, CA_ERROR_SYSTEM,
                            "cannot find the countalloc command itself: /proc/self/exe: %s",
                            strerror(errno));
    ret_path[length] = '\0';
    return CA_OK;
}

/* Because LD_PRELOAD has no quoting: ld.so splits it at these, and expands '$'. */
enum ca_status ca_preload_check_path(const char *path, struct ca_error *err) {
    if (strpbrk(path, " :$") == NULL)
        return CA_OK;
    return ca_error_set(
        err, CA_ERROR_SYSTEM,
        "the library's path '%s' holds a space, colon or dollar sign, which LD_PRELOAD cannot "
        "carry; "
        "install countalloc elsewhere, or set COUNTALLOC_LIBRARY to a copy of the library",
        path);
}

enum ca_status ca_preload_find_unwinder(const char *library, char *ret_path, struct ca_error *err) {
    if (ca_preload_find_beside(library, UNWINDER_NAME, ret_path))
        return ca_preload_check_path(ret_path, err);
    return ca_error_set(
        err, CA_ERROR_SYSTEM,
        "'--sample' needs " UNWINDER_NAME " beside '%s': this countalloc was built "
        "without libunwind (Debian: libunwind-dev); --sites and --stacks do without",
        library);
}

enum ca_status ca_preload_find_for(const struct ca_allocator *allocator, char *library,
                                   char *ret_operators, struct ca_error *err) {
    char inside[CA_PATH_SIZE];
    if (allocator->kind == CA_ALLOCATOR_INSIDE) {
        if (!ca_preload_find_beside(library, INSIDE_NAME, inside))
            return ca_error_set(err, CA_ERROR_SYSTEM,
                                "--allocator jemalloc-inside needs " INSIDE_NAME
                                " beside '%s': this countalloc was built without it (Debian: "
                                "libjemalloc-dev); --allocator jemalloc does without",
                                library);
        strcpy(library, inside);
        return CA_OK;
    }
    if (allocator->kind != CA_ALLOCATOR_PRELOADED)
        return CA_OK;
    if (!ca_preload_find_beside(library, OPERATORS_NAME, ret_operators))
        return ca_error_set(
            err, CA_ERROR_SYSTEM,
            "--allocator needs " OPERATORS_NAME " beside '%s'; install countalloc whole", library);
    return ca_preload_check_path(allocator->path, err);
}
