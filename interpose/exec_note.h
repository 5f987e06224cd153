/* SPDX-License-Identifier: MIT
 *
 * exec: nothing is changed on the way; the region only notes what the process is about to become. A
 * vfork child, which shares our memory, is told by its pid. */
#ifndef CA_EXEC_NOTE_H
#define CA_EXEC_NOTE_H

#include <stdbool.h>

/* Before an exec of `path`. Returns whether it was noted. */
bool ca_exec_note(const char *path);

/* After one that failed. Returns `status`. */
int ca_exec_forget(bool is_noted, int status);

/* The arguments from `first` to the NULL that ends them, as `argv` in the caller's frame, because
 * an exec may come from a vfork child; `after` runs with `arguments` behind that. */
#define CA_EXEC_ARGUMENTS_OF(first, after)                                                         \
    size_t argument_count = 0;                                                                     \
    va_list arguments;                                                                             \
    va_start(arguments, first);                                                                    \
    for (const char *a = first; a != NULL; a = va_arg(arguments, const char *))                    \
        argument_count++;                                                                          \
    va_end(arguments);                                                                             \
    char **argv = alloca((argument_count + 1) * sizeof *argv);                                     \
    argv[0] = (char *)(uintptr_t)(first);                                                          \
    va_start(arguments, first);                                                                    \
    for (size_t i = 1; i <= argument_count; i++)                                                   \
        argv[i] = va_arg(arguments, char *);                                                       \
    after;                                                                                         \
    va_end(arguments)

#endif
