/* SPDX-License-Identifier: MIT
 *
 * Runs a program and keeps what it said. Standard output and standard error go to unlinked
 * temporary files, so that a program sees the same kind of file in every run and nothing here
 * depends on who reads first.
 *
 * The child begins with descriptors 0 to 2 only, and without the preload and COUNTALLOC_* variables
 * of the tests themselves. */
#ifndef CA_SPAWN_H
#define CA_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ca_spawn {
    const char *const *argv; /* NULL-ended; argv[0] is looked up in PATH when it has no slash */
    const char *const
        *environment; /* NULL-ended or NULL: "NAME=VALUE" sets, "NAME" unsets; later entries win */
    bool has_fresh_environment; /* nothing is inherited */
    const char *stdin_path;     /* NULL: /dev/null */
    const char *stdout_path;    /* NULL: kept in `out` */
    const char *directory;      /* NULL: where the test runs */
    unsigned hang_limit_s;      /* then the child and its group are killed; 0: 60 */
};

struct ca_spawned {
    int exit_status; /* -1 when a signal ended it */
    int signal;      /* 0 when none did */
    bool is_hung;
    long long cpu_ns; /* user and system time of it and its children */
    char *out;        /* NUL-terminated; "" when it went to a file */
    size_t out_bytes;
    char *err;
    size_t err_bytes;
};

/* Runs it to its end. Returns false, with errno, when it could not be started at all; a program
 * that is not there gives exit status 127. Otherwise ca_spawned_release() must follow. */
bool ca_spawn_run(const struct ca_spawn *spawn, struct ca_spawned *ret_spawned);

void ca_spawned_release(struct ca_spawned *spawned);

/* The whole of `path`, NUL-terminated, to be freed; NULL when it cannot be read. */
char *ca_spawn_read_file(const char *path, size_t *ret_bytes);

/* Path of `program` in PATH, to be freed, or NULL. */
char *ca_spawn_find(const char *program);

/* A new directory, to be freed after ca_spawn_remove_directory(), which removes it with all that is
 * in it. */
char *ca_spawn_make_directory(void);
void ca_spawn_remove_directory(char *directory);

#endif
