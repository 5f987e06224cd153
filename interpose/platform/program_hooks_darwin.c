/* SPDX-License-Identifier: MIT
 *
 * Where the program ends, names its threads and becomes another program. Nobody sees where main
 * begins: dyld calls it by itself, so `startup` ends with the shim's initialiser. */
#include <alloca.h>
#include <stdarg.h>

#include "../count.h"
#include "../exec_note.h"
#include "../lifecycle.h"
#include "../process_phase.h"
#include "../site.h"
#include "../thread.h"
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

int ca_hook_execve(const char *path, char *const argv[], char *const envp[]) {
    bool is_noted = ca_exec_note(path);
    return ca_exec_forget(is_noted, execve(path, argv, envp));
}

int ca_hook_execv(const char *path, char *const argv[]) {
    bool is_noted = ca_exec_note(path);
    return ca_exec_forget(is_noted, execv(path, argv));
}

int ca_hook_execvp(const char *file, char *const argv[]) {
    bool is_noted = ca_exec_note(file);
    return ca_exec_forget(is_noted, execvp(file, argv));
}

int ca_hook_execvP(const char *file, const char *search_path, char *const argv[]) {
    bool is_noted = ca_exec_note(file);
    return ca_exec_forget(is_noted, execvP(file, search_path, argv));
}

/* Because the list forms may run in a vfork child, their arrays are on the stack. */

int ca_hook_execl(const char *path, const char *first, ...) {
    CA_EXEC_ARGUMENTS_OF(first, (void)0);
    bool is_noted = ca_exec_note(path);
    return ca_exec_forget(is_noted, execv(path, argv));
}

int ca_hook_execlp(const char *file, const char *first, ...) {
    CA_EXEC_ARGUMENTS_OF(first, (void)0);
    bool is_noted = ca_exec_note(file);
    return ca_exec_forget(is_noted, execvp(file, argv));
}

int ca_hook_execle(const char *path, const char *first, ...) {
    CA_EXEC_ARGUMENTS_OF(first, char **envp = va_arg(arguments, char **));
    bool is_noted = ca_exec_note(path);
    return ca_exec_forget(is_noted, execve(path, argv, envp));
}
