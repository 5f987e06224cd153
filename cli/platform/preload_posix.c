/* SPDX-License-Identifier: MIT
 *
 * Finding the shim, and the environment that preloads it. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/cli_platform.h"
#include "platform/preload_parts.h"

extern char **environ;

/* ---- files ---- */

bool ca_preload_resolve(const char *path, char *ret_path) {
    char *resolved = realpath(path, NULL);
    bool fits = resolved != NULL && strlen(resolved) < CA_PATH_SIZE;
    if (fits)
        strcpy(ret_path, resolved);
    free(resolved);
    return fits && access(ret_path, R_OK) == 0;
}

bool ca_preload_find_beside(const char *library, const char *name, char *ret_path) {
    char candidate[CA_PATH_SIZE];
    const char *slash = strrchr(library, '/');
    int length =
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)(slash - library), library, name);
    return length < CA_PATH_SIZE && ca_preload_resolve(candidate, ret_path);
}

enum ca_status ca_preload_find(char *ret_path, struct ca_error *err) {
    const char *chosen = getenv("COUNTALLOC_LIBRARY");
    if (chosen != NULL && chosen[0] != '\0') {
        if (!ca_preload_resolve(chosen, ret_path))
            return ca_error_set(err, CA_ERROR_SYSTEM, "COUNTALLOC_LIBRARY: cannot read '%s': %s",
                                chosen, strerror(errno));
        return ca_preload_check_path(ret_path, err);
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
        int length =
            snprintf(candidate, sizeof candidate, "%s/%s/%s", own, places[i], ca_preload_file_name);
        if (length < CA_PATH_SIZE && ca_preload_resolve(candidate, ret_path))
            return ca_preload_check_path(ret_path, err);
    }
    return ca_error_set(err, CA_ERROR_SYSTEM,
                        "cannot find %s in '%s/../lib' or '%s/%s'; set COUNTALLOC_LIBRARY to its "
                        "path",
                        ca_preload_file_name, own, own, COUNTALLOC_LIBRARY_FROM_BIN);
}

/* ---- the environment ---- */

static bool is_variable(const char *entry, const char *name) {
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* "LD_PRELOAD=A:B:...", allocated. NULL: no memory. */
static char *preload_variable(const char *const *libraries, bool is_padded) {
    const char *users = getenv(ca_preload_variable);
    size_t size =
        strlen(ca_preload_variable) + sizeof "=" + (users != NULL ? strlen(users) + 1 : 0);
    for (size_t i = 0; libraries[i] != NULL; i++)
        size += strlen(libraries[i]) + 1;
    is_padded &= ca_preload_padded_bytes != 0;
    size_t whole = is_padded ? (size + ca_preload_padded_bytes - 1) / ca_preload_padded_bytes *
                                   ca_preload_padded_bytes
                             : size;
    char *variable = malloc(whole);
    if (variable == NULL)
        return NULL;
    char *at = stpcpy(stpcpy(variable, ca_preload_variable), "=");
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
        if (!is_variable(environ[i], ca_preload_variable) &&
            !is_variable(environ[i], "COUNTALLOC_REGION"))
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
