/* SPDX-License-Identifier: MIT */
#ifndef __APPLE__
#error "macOS only"
#endif

#include "child_darwin.h"

#include <alloca.h>
#include <crt_externs.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "../child_environment.h"
#include "../mach_image.h"
#include "../plain.h"
#include "../shim_state.h"

static const struct ca_left_out own = {"DYLD_INSERT_LIBRARIES", "libcountalloc.dylib"};

#if defined(__arm64__)
static const bool is_arm64 = true;
#else
static const bool is_arm64 = false;
#endif

static bool is_arm64e_only(const char *path) {
    unsigned char bytes[CA_MACH_BEGINNING_BYTES];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, bytes, sizeof bytes);
    close(fd);
    return got > 0 && ca_mach_is_arm64e_only(bytes, (size_t)got, is_arm64);
}

static bool has_slash(const char *file) {
    while (*file != '\0' && *file != '/')
        file++;
    return *file == '/';
}

/* The first one that may be executed. */
static void search(struct ca_child *child, const char *file, const char *folders) {
    while (folders != NULL) {
        ca_child_next_path(child->found, sizeof child->found, &folders, file);
        if (access(child->found, X_OK) == 0) {
            child->path = child->found;
            return;
        }
    }
}

void ca_child_judge(struct ca_child *ret_child, const char *file, const char *folders,
                    char *const *environment) {
    ret_child->path = file;
    ret_child->is_left_alone = false;
    if (file == NULL || environment == NULL ||
        !ca_child_environment_room(environment, &own).has_library)
        return;
    int kept_errno = errno;
    if (folders != NULL && !has_slash(file))
        search(ret_child, file, folders);
    ret_child->is_left_alone = is_arm64e_only(ret_child->path);
    if (ret_child->is_left_alone && ca_shim.image != NULL)
        __atomic_fetch_or(&ca_shim.image->flags, CA_IMAGE_LEFT_ALONE, __ATOMIC_RELAXED);
    errno = kept_errno;
}

const char *ca_child_folders(void) {
    const char *folders = ca_plain_getenv(*_NSGetEnviron(), "PATH");
    return folders != NULL ? folders : "/usr/bin:/bin"; /* _PATH_DEFPATH */
}

int ca_child_execve(const struct ca_child *child, char *const argv[], char *const environment[]) {
    struct ca_environment_room room = ca_child_environment_room(environment, &own);
    char **copy = alloca(room.entry_count * sizeof *copy);
    ca_child_environment(copy, alloca(room.byte_count), environment, &own);
    return execve(child->path, argv, copy);
}

int ca_child_spawn(pid_t *ret_pid, const struct ca_child *child,
                   const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                   char *const argv[], char *const environment[]) {
    struct ca_environment_room room = ca_child_environment_room(environment, &own);
    char **copy = alloca(room.entry_count * sizeof *copy);
    ca_child_environment(copy, alloca(room.byte_count), environment, &own);
    return posix_spawn(ret_pid, child->path, actions, attributes, argv, copy);
}
