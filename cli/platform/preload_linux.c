/* SPDX-License-Identifier: MIT */
#ifndef __linux__
#error "Linux only"
#endif

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/cli_platform.h"

#define LIBRARY_NAME   "libcountalloc.so"
#define UNWINDER_NAME  "libcountalloc-unwind.so"
#define OPERATORS_NAME "libcountalloc-operators.so"
#define INSIDE_NAME    "libcountalloc-jemalloc.so"

/* A multiple that LD_PRELOAD is lengthened to, so that programs which copy their environment ask
 * for the same bytes whichever allocator is named in it. */
#define PADDED_BYTES 1024u

extern char **environ;

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
static enum ca_status check_path(const char *path, struct ca_error *err) {
    if (strpbrk(path, " :$") == NULL)
        return CA_OK;
    return ca_error_set(
        err, CA_ERROR_SYSTEM,
        "the library's path '%s' holds a space, colon or dollar sign, which LD_PRELOAD cannot "
        "carry; "
        "install countalloc elsewhere, or set COUNTALLOC_LIBRARY to a copy of the library",
        path);
}

static bool resolve(const char *path, char *ret_path) {
    char *resolved = realpath(path, NULL);
    bool fits = resolved != NULL && strlen(resolved) < CA_PATH_SIZE;
    if (fits)
        strcpy(ret_path, resolved);
    free(resolved);
    return fits && access(ret_path, R_OK) == 0;
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

static bool find_beside(const char *library, const char *name, char *ret_path) {
    char candidate[CA_PATH_SIZE];
    const char *slash = strrchr(library, '/');
    int length =
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)(slash - library), library, name);
    return length < CA_PATH_SIZE && resolve(candidate, ret_path);
}

enum ca_status ca_preload_find_unwinder(const char *library, char *ret_path, struct ca_error *err) {
    if (find_beside(library, UNWINDER_NAME, ret_path))
        return check_path(ret_path, err);
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
        if (!find_beside(library, INSIDE_NAME, inside))
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
    if (!find_beside(library, OPERATORS_NAME, ret_operators))
        return ca_error_set(
            err, CA_ERROR_SYSTEM,
            "--allocator needs " OPERATORS_NAME " beside '%s'; install countalloc whole", library);
    return check_path(allocator->path, err);
}

static bool is_variable(const char *entry, const char *name) {
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* "LD_PRELOAD=A:B:...", allocated. NULL: no memory. */
static char *preload_variable(const char *const *libraries, bool is_padded) {
    const char *users = getenv("LD_PRELOAD");
    size_t size = sizeof "LD_PRELOAD=" + (users != NULL ? strlen(users) + 1 : 0);
    for (size_t i = 0; libraries[i] != NULL; i++)
        size += strlen(libraries[i]) + 1;
    size_t whole = is_padded ? (size + PADDED_BYTES - 1) / PADDED_BYTES * PADDED_BYTES : size;
    char *variable = malloc(whole);
    if (variable == NULL)
        return NULL;
    char *at = stpcpy(variable, "LD_PRELOAD=");
    /* Ours first: an allocator that the user preloads serves our calls then, instead of hiding the
     * program's from us. */
    for (size_t i = 0; libraries[i] != NULL; i++) {
        at = stpcpy(at, i > 0 ? ":" : "");
        at = stpcpy(at, libraries[i]);
    }
    if (users != NULL && users[0] != '\0')
        at = stpcpy(stpcpy(at, ":"), users);
    /* The loader skips empty names. */
    if (is_padded)
        memset(at, ':', whole - 1 - (size_t)(at - variable));
    if (is_padded)
        variable[whole - 1] = '\0';
    return variable;
}

enum ca_status ca_preload_environment(const char *const *libraries, bool is_padded,
                                      const char *region_path, char ***ret_environment,
                                      struct ca_error *err) {
    size_t count = 0;
    while (environ != NULL && environ[count] != NULL)
        count++;
    char **environment = calloc(count + 3, sizeof *environment);
    char *preload = NULL, *region = NULL;
    size_t region_size = strlen(region_path) + sizeof "COUNTALLOC_REGION=";
    if (environment == NULL || (preload = preload_variable(libraries, is_padded)) == NULL ||
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
        if (!is_variable(environ[i], "LD_PRELOAD") && !is_variable(environ[i], "COUNTALLOC_REGION"))
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
