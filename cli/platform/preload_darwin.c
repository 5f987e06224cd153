/* SPDX-License-Identifier: MIT */
#ifndef __APPLE__
#error "macOS only"
#endif

#include <errno.h>
#include <limits.h>
#include <mach-o/dyld.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/cli_platform.h"

#define LIBRARY_NAME "libcountalloc.dylib"
#define VARIABLE     "DYLD_INSERT_LIBRARIES"

extern char **environ;

static bool resolve(const char *path, char *ret_path) {
    char *resolved = realpath(path, NULL);
    bool fits = resolved != NULL && strlen(resolved) < CA_PATH_SIZE;
    if (fits)
        strcpy(ret_path, resolved);
    free(resolved);
    return fits && access(ret_path, R_OK) == 0;
}

enum ca_status ca_own_path(char *ret_path, struct ca_error *err) {
    char path[CA_PATH_SIZE];
    uint32_t size = sizeof path;
    if (_NSGetExecutablePath(path, &size) != 0 || !resolve(path, ret_path))
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot find the countalloc command itself");
    return CA_OK;
}

/* Because the variable has no quoting: dyld splits it at colons. */
static enum ca_status check_path(const char *path, struct ca_error *err) {
    if (strchr(path, ':') == NULL)
        return CA_OK;
    return ca_error_set(err, CA_ERROR_SYSTEM,
                        "the library's path '%s' holds a colon, which " VARIABLE " cannot carry; "
                        "install countalloc elsewhere, or set COUNTALLOC_LIBRARY to a copy of the "
                        "library",
                        path);
}

enum ca_status ca_preload_find(char *ret_path, struct ca_error *err) {
    const char *chosen = getenv("COUNTALLOC_LIBRARY");
    if (chosen != NULL && chosen[0] != '\0') {
        if (!resolve(chosen, ret_path))
            return ca_error_set(err, CA_ERROR_SYSTEM, "COUNTALLOC_LIBRARY: cannot read '%s': %s",
                                chosen, strerror(errno));
        return check_path(ret_path, err);
    }
    char own[CA_PATH_SIZE];
    enum ca_status status = ca_own_path(own, err);
    if (status != CA_OK)
        return status;
    *strrchr(own, '/') = '\0';
    /* In a build tree, and as installed. */
    static const char *const places[] = {"../lib", COUNTALLOC_LIBRARY_FROM_BIN, "."};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char candidate[CA_PATH_SIZE];
        int length = snprintf(candidate, sizeof candidate, "%s/%s/" LIBRARY_NAME, own, places[i]);
        if (length < CA_PATH_SIZE && resolve(candidate, ret_path))
            return check_path(ret_path, err);
    }
    return ca_error_set(err, CA_ERROR_SYSTEM,
                        "cannot find " LIBRARY_NAME
                        " in '%s/../lib' or '%s/%s'; set COUNTALLOC_LIBRARY to its path",
                        own, own, COUNTALLOC_LIBRARY_FROM_BIN);
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

static bool is_variable(const char *entry, const char *name) {
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* Ours first, then the user's. Allocated; NULL: no memory. */
static char *preload_variable(const char *const *libraries) {
    const char *users = getenv(VARIABLE);
    size_t size = sizeof VARIABLE "=" + (users != NULL ? strlen(users) + 1 : 0);
    for (size_t i = 0; libraries[i] != NULL; i++)
        size += strlen(libraries[i]) + 1;
    char *variable = malloc(size);
    if (variable == NULL)
        return NULL;
    char *at = stpcpy(variable, VARIABLE "=");
    for (size_t i = 0; libraries[i] != NULL; i++) {
        at = stpcpy(at, i > 0 ? ":" : "");
        at = stpcpy(at, libraries[i]);
    }
    if (users != NULL && users[0] != '\0')
        stpcpy(stpcpy(at, ":"), users);
    return variable;
}

enum ca_status ca_preload_environment(const char *const *libraries, bool is_padded,
                                      const char *region_path, char ***ret_environment,
                                      struct ca_error *err) {
    (void)is_padded; /* for comparing allocators, which are not exchanged here */
    size_t count = 0;
    while (environ[count] != NULL)
        count++;
    char **environment = calloc(count + 3, sizeof *environment);
    char *preload = NULL, *region = NULL;
    size_t region_size = strlen(region_path) + sizeof "COUNTALLOC_REGION=";
    if (environment == NULL || (preload = preload_variable(libraries)) == NULL ||
        (region = malloc(region_size)) == NULL) {
        free(environment);
        free(preload);
        return ca_error_memory(err);
    }
    snprintf(region, region_size, "COUNTALLOC_REGION=%s", region_path);
    environment[0] = preload;
    environment[1] = region;
    size_t filled = 2;
    for (size_t i = 0; i < count; i++)
        if (!is_variable(environ[i], VARIABLE) && !is_variable(environ[i], "COUNTALLOC_REGION"))
            environment[filled++] = environ[i];
    *ret_environment = environment;
    return CA_OK;
}

void ca_preload_environment_free(char **environment) {
    if (environment == NULL)
        return;
    free(environment[0]);
    free(environment[1]);
    free(environment);
}
