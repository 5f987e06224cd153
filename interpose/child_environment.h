/* SPDX-License-Identifier: MIT
 *
 * The environment of a program that the library must not be loaded into: the parent's without the
 * library's own entry in the preload variable. What others have put there stays. In the caller's
 * frame, because it may be that of a vfork child, which must not allocate. */
#ifndef CA_CHILD_ENVIRONMENT_H
#define CA_CHILD_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* What is left out: the entries of `variable`, a list with colons, whose base name is `library`. */
struct ca_left_out {
    const char *variable;
    const char *library;
};

/* Room that a copy of `environment` (borrowed, NULL-terminated) needs. */
struct ca_environment_room {
    size_t entry_count; /* with the NULL */
    size_t byte_count;  /* of the variable as it will be */
    bool has_library;   /* else the copy would be the same */
};

struct ca_environment_room ca_child_environment_room(char *const *environment,
                                                     const struct ca_left_out *left_out);

/* Fills `ret_environment` (`entry_count` pointers, which borrow from `environment` and `ret_bytes`)
 * and `ret_bytes` (`byte_count`). A variable that has nothing left is left out itself. */
void ca_child_environment(char **ret_environment, char *ret_bytes, char *const *environment,
                          const struct ca_left_out *left_out);

/* The path of `file` in the folder that `*folders` (a list with colons) begins with, "" being the
 * current one, cut to `size`; `*folders` goes on to the next, NULL behind the last. */
void ca_child_next_path(char *ret_path, size_t size, const char **folders, const char *file);

#endif
