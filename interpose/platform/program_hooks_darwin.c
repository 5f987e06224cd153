/* SPDX-License-Identifier: MIT
 *
 * Where the program ends, names its threads and becomes another program. Nobody sees where main
 * begins: dyld calls it by itself, so `startup` ends with the shim's initialiser. */
#include <alloca.h>
#include <crt_externs.h>
#include <stdarg.h>

#include "../count.h"
#include "../exec_note.h"
#include "../lifecycle.h"
#include "../process_phase.h"
#include "../site.h"
#include "../thread.h"
#include "child_darwin.h"
#include "hooks_darwin.h"

void ca_hook_exit(int status) {
    ca_lifecycle_resolve();
    ca_process_phase_begin(CA_PHASE_EXIT);
    exit(status);
}

/* The calling thread's own name: there is no other way on macOS. */
int ca_hook_pthread_setname_np(const char *name) {
    int status = pthread_setname_np(name);
    if (status == 0)
        ca_thread_set_name((uint64_t)(uintptr_t)&ca_row_here, name);
    return status;
}

int ca_hook_dlclose(void *object) {
    ca_lifecycle_resolve();
    int status = dlclose(object);
    ca_site_forget_gone();
    return status;
}

/* ---- exec (exec_note.h), in place, and of children that must not have the library
 * (child_darwin.h) ---- */

int ca_hook_execve(const char *path, char *const argv[], char *const envp[]) {
    bool is_noted = ca_exec_note(path);
    struct ca_child child;
    ca_child_judge(&child, path, NULL, envp);
    return ca_exec_forget(is_noted, child.is_left_alone ? ca_child_execve(&child, argv, envp)
                                                        : execve(path, argv, envp));
}

int ca_hook_execv(const char *path, char *const argv[]) {
    bool is_noted = ca_exec_note(path);
    struct ca_child child;
    ca_child_judge(&child, path, NULL, *_NSGetEnviron());
    return ca_exec_forget(is_noted, child.is_left_alone
                                        ? ca_child_execve(&child, argv, *_NSGetEnviron())
                                        : execv(path, argv));
}

int ca_hook_execvp(const char *file, char *const argv[]) {
    bool is_noted = ca_exec_note(file);
    struct ca_child child;
    ca_child_judge(&child, file, ca_child_folders(), *_NSGetEnviron());
    return ca_exec_forget(is_noted, child.is_left_alone
                                        ? ca_child_execve(&child, argv, *_NSGetEnviron())
                                        : execvp(file, argv));
}

int ca_hook_execvP(const char *file, const char *search_path, char *const argv[]) {
    bool is_noted = ca_exec_note(file);
    struct ca_child child;
    ca_child_judge(&child, file, search_path, *_NSGetEnviron());
    return ca_exec_forget(is_noted, child.is_left_alone
                                        ? ca_child_execve(&child, argv, *_NSGetEnviron())
                                        : execvP(file, search_path, argv));
}

/* Because the list forms may run in a vfork child, their arrays are on the stack. */

int ca_hook_execl(const char *path, const char *first, ...) {
    CA_EXEC_ARGUMENTS_OF(first, (void)0);
    return ca_hook_execv(path, argv);
}

int ca_hook_execlp(const char *file, const char *first, ...) {
    CA_EXEC_ARGUMENTS_OF(first, (void)0);
    return ca_hook_execvp(file, argv);
}

int ca_hook_execle(const char *path, const char *first, ...) {
    CA_EXEC_ARGUMENTS_OF(first, char **envp = va_arg(arguments, char **));
    return ca_hook_execve(path, argv, envp);
}

/* ---- posix_spawn, which becomes another program instead when its attributes say so ---- */

static bool note_in_place(const posix_spawnattr_t *attributes, const char *path) {
    short flags = 0;
    return attributes != NULL && posix_spawnattr_getflags(attributes, &flags) == 0 &&
           (flags & POSIX_SPAWN_SETEXEC) != 0 && ca_exec_note(path);
}

int ca_hook_posix_spawn(pid_t *ret_pid, const char *path, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const argv[],
                        char *const envp[]) {
    bool is_noted = note_in_place(attributes, path);
    struct ca_child child;
    ca_child_judge(&child, path, NULL, envp);
    return ca_exec_forget(is_noted,
                          child.is_left_alone
                              ? ca_child_spawn(ret_pid, &child, actions, attributes, argv, envp)
                              : posix_spawn(ret_pid, path, actions, attributes, argv, envp));
}

int ca_hook_posix_spawnp(pid_t *ret_pid, const char *file,
                         const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes, char *const argv[],
                         char *const envp[]) {
    bool is_noted = note_in_place(attributes, file);
    struct ca_child child;
    ca_child_judge(&child, file, ca_child_folders(), envp);
    return ca_exec_forget(is_noted,
                          child.is_left_alone
                              ? ca_child_spawn(ret_pid, &child, actions, attributes, argv, envp)
                              : posix_spawnp(ret_pid, file, actions, attributes, argv, envp));
}
