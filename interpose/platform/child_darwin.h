/* SPDX-License-Identifier: MIT
 *
 * Programs for arm64e only, with signed pointers, are left alone: dyld would look for such a slice
 * in the library, find none and end them. They are started with an environment that does not name
 * it. Which these are is read from the file's beginning; of a script, whose interpreter the system
 * starts, that says nothing. Nothing here allocates, because a vfork child may be who starts it. */
#ifndef CA_CHILD_DARWIN_H
#define CA_CHILD_DARWIN_H

#include <spawn.h>
#include <stdbool.h>

/* A program that is about to be started. */
struct ca_child {
    const char *path; /* its file, or the name that was not found */
    bool is_left_alone;
    char found[1024]; /* where `path` is, when it was searched for */
};

/* Judges the program that `file` names, where `environment` (NULL: none) is to be its own.
 * `folders`: a list to search for a name without a slash, or NULL. Notes in the region that there
 * was one to be left alone. errno stays. */
void ca_child_judge(struct ca_child *ret_child, const char *file, const char *folders,
                    char *const *environment);

/* PATH, as execvp and posix_spawnp take it. */
const char *ca_child_folders(void);

/* For a child that is left alone: execve and posix_spawn, with `environment` but for the library.
 */
int ca_child_execve(const struct ca_child *child, char *const argv[], char *const environment[]);
int ca_child_spawn(pid_t *ret_pid, const struct ca_child *child,
                   const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                   char *const argv[], char *const environment[]);

#endif
