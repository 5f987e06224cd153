/* SPDX-License-Identifier: MIT
 *
 * Finding a program and the binary that will run for it, as execve(2) and execvp(3) do. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/cli_platform.h"
#include "platform/target_parts.h"

/* What of a script's first line the kernel looks at (BINPRM_BUF_SIZE since Linux 5.1). */
#define SCRIPT_LINE_SIZE 256
/* Interpreters that are scripts themselves: the kernel gives up at this depth. */
#define SCRIPT_DEPTH 4

/* ---- finding ---- */

static bool is_executable_file(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) &&
           faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

static enum ca_status explain_path(const char *program, const char *path, struct ca_error *err) {
    struct stat facts;
    if (stat(path, &facts) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return ca_error_set(err, CA_ERROR_PROGRAM_ABSENT,
                                "'%s': no such program; check the name and the current directory",
                                program);
        return ca_error_set(err, CA_ERROR_UNEXECUTABLE, "'%s': %s", program, strerror(errno));
    }
    if (S_ISDIR(facts.st_mode))
        return ca_error_set(err, CA_ERROR_UNEXECUTABLE, "'%s' is a directory; name a program in it",
                            program);
    if (!S_ISREG(facts.st_mode))
        return ca_error_set(err, CA_ERROR_UNEXECUTABLE, "'%s' is not a regular file", program);
    if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0)
        return ca_error_set(
            err, CA_ERROR_UNEXECUTABLE,
            "'%s' cannot be executed: %s; try 'chmod +x', or name the program that reads it",
            program, strerror(errno));
    return CA_OK;
}

/* As execvp: a name with a slash is a path, any other is looked for in PATH. */
static enum ca_status find_program(const char *program, char *ret_path, struct ca_error *err) {
    if (program[0] == '\0')
        return ca_error_set(err, CA_ERROR_PROGRAM_ABSENT, "the program's name is empty");
    if (strchr(program, '/') != NULL) {
        if ((size_t)snprintf(ret_path, CA_PATH_SIZE, "%s", program) >= CA_PATH_SIZE)
            return ca_error_set(err, CA_ERROR_UNEXECUTABLE, "the program's path is too long");
        return explain_path(program, ret_path, err);
    }
    const char *directories = getenv("PATH");
    if (directories == NULL)
        directories = "/bin:/usr/bin";
    bool is_seen = false;
    for (const char *at = directories;; at++) {
        size_t length = strcspn(at, ":");
        int needed = snprintf(ret_path, CA_PATH_SIZE, "%.*s%s%s", (int)length, at,
                              length > 0 ? "/" : "", program);
        struct stat facts;
        if (needed > 0 && needed < CA_PATH_SIZE) {
            if (is_executable_file(ret_path))
                return CA_OK;
            is_seen |= stat(ret_path, &facts) == 0 && S_ISREG(facts.st_mode);
        }
        at += length;
        if (*at == '\0')
            break;
    }
    if (is_seen)
        return ca_error_set(err, CA_ERROR_UNEXECUTABLE,
                            "'%s' is in PATH, but without the right to execute it", program);
    return ca_error_set(err, CA_ERROR_PROGRAM_ABSENT,
                        "'%s': not found in PATH; give its path if it is elsewhere", program);
}

/* ---- scripts ---- */

static char *next_word(char **rest) {
    char *word = *rest + strspn(*rest, " \t");
    char *end = word + strcspn(word, " \t");
    *rest = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return word;
}

/* The interpreter that a line after "#!" names: what `env` would start, when it is env's and that
 * is no hindrance. */
static enum ca_status script_interpreter(char *line, const char *script, char *ret_path,
                                         struct ca_error *err) {
    line[strcspn(line, "\n")] = '\0';
    char *rest = line;
    const char *interpreter = next_word(&rest);
    if (interpreter[0] == '\0')
        return ca_error_set(err, CA_ERROR_UNEXECUTABLE, "'%s' names no interpreter after '#!'",
                            script);
    const char *base = strrchr(interpreter, '/');
    if (ca_target_env_passes_preload && strcmp(base != NULL ? base + 1 : interpreter, "env") == 0) {
        const char *word = next_word(&rest);
        while (word[0] == '-' || strchr(word, '=') != NULL)
            word = next_word(&rest);
        if (word[0] != '\0')
            return find_program(word, ret_path, err);
    }
    struct ca_error cause;
    enum ca_status status = explain_path(interpreter, interpreter, &cause);
    if (status != CA_OK)
        return ca_error_set(err, CA_ERROR_UNEXECUTABLE,
                            "'%s' cannot be executed: its interpreter %s", script, cause.message);
    snprintf(ret_path, CA_PATH_SIZE, "%s", interpreter);
    return CA_OK;
}

/* ---- reading ---- */

/* Reads one file: a binary into `target`, or a script's first line into `ret_line`.
 * `*ret_privilege` as ca_target_privilege. */
static enum ca_status read_file(struct ca_target *target, char *ret_line,
                                const char **ret_privilege, struct ca_error *err) {
    const char *path = target->image_path;
    ret_line[0] = '\0';
    *ret_privilege = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        /* One may execute a file without being allowed to read it. Nothing is known then; the
         * handshake will tell. */
        target->image = (struct ca_image_facts){.kind = CA_IMAGE_KIND_DYNAMIC};
        snprintf(target->warning, sizeof target->warning,
                 "'%.300s' cannot be read (%s), so it was not inspected before it ran", path,
                 strerror(errno));
        return CA_OK;
    }
    struct stat facts;
    enum ca_status status = CA_OK;
    if (fstat(fd, &facts) != 0) {
        status =
            ca_error_set(err, CA_ERROR_SYSTEM, "cannot inspect '%s': %s", path, strerror(errno));
        goto out;
    }
    *ret_privilege = ca_target_privilege(fd, &facts);
    target->image = (struct ca_image_facts){.kind = CA_IMAGE_KIND_OTHER};
    ssize_t got = pread(fd, ret_line, SCRIPT_LINE_SIZE - 1, 0);
    ret_line[got > 0 ? got : 0] = '\0';
    if (got <= 0 || strncmp(ret_line, "#!", 2) == 0)
        goto out;
    ret_line[0] = '\0';
    size_t byte_count = (size_t)facts.st_size;
    void *bytes = mmap(NULL, byte_count, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) {
        status =
            ca_error_set(err, CA_ERROR_SYSTEM, "cannot inspect '%s': %s", path, strerror(errno));
        goto out;
    }
    ca_image_read(bytes, byte_count, &target->image);
    munmap(bytes, byte_count);
out:
    close(fd);
    return status;
}

enum ca_status ca_target_inspect(const char *program, struct ca_target *ret_target,
                                 struct ca_error *err) {
    struct ca_target *target = ret_target;
    *target = (struct ca_target){0};
    enum ca_status status = find_program(program, target->path, err);
    if (status != CA_OK)
        return status;
    memcpy(target->image_path, target->path, sizeof target->image_path);
    for (int depth = 0; depth <= SCRIPT_DEPTH; depth++) {
        char line[SCRIPT_LINE_SIZE];
        char next[CA_PATH_SIZE];
        const char *privilege;
        status = read_file(target, line, &privilege, err);
        if (status != CA_OK)
            return status;
        if (line[0] == '\0')
            return ca_target_judge(target, privilege, err);
        status = script_interpreter(line + 2, target->image_path, next, err);
        if (status != CA_OK)
            return status;
        memcpy(target->image_path, next, sizeof target->image_path);
    }
    return ca_error_set(err, CA_ERROR_UNEXECUTABLE,
                        "'%s': too many scripts that are each other's interpreters", program);
}
