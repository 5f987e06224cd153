/* SPDX-License-Identifier: MIT
 *
 * Where the program begins, ends, names its threads and becomes another program. */
#include <alloca.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "count.h"
#include "exec_note.h"
#include "hooks.h"
#include "lifecycle.h"
#include "process_phase.h"
#include "site.h"
#include "stack.h"
#include "thread.h"

extern char **environ;

/* ---- main and exit ---- */

static int main_in_its_phase(int argc, char **argv, char **environment) {
    ca_process_phase_begin(CA_PHASE_MAIN);
    if ((ca_shim.where & CA_WHERE_STACK) != 0)
        ca_stack_begin(__builtin_frame_address(0));
    int status = ca_shim.program_main(argc, argv, environment);
    ca_process_phase_begin(CA_PHASE_EXIT);
    /* As libc does. Free Pascal's programs get here by a jump, with another stack pointer: there is
     * no frame to return from. */
    ca_next.exit(status);
    __builtin_unreachable();
}

CA_HOOK int __libc_start_main(int (*program_main)(int, char **, char **), int argc, char **argv,
                              void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                              void *stack_end) {
    ca_lifecycle_resolve();
    ca_shim.program_main = program_main;
    return ca_next.libc_start_main(main_in_its_phase, argc, argv, init, fini, rtld_fini, stack_end);
}

CA_HOOK void exit(int status) {
    ca_lifecycle_resolve();
    ca_process_phase_begin(CA_PHASE_EXIT);
    ca_next.exit(status);
    __builtin_unreachable();
}

/* ---- thread names ---- */

CA_HOOK int pthread_setname_np(unsigned long thread, const char *name) {
    ca_lifecycle_resolve();
    if (ca_next.pthread_setname_np == NULL)
        return 38; /* ENOSYS */
    int status = ca_next.pthread_setname_np(thread, name);
    if (status == 0)
        ca_thread_set_name((uint64_t)thread + (uint64_t)ca_shim.key_offset, name);
    return status;
}

/* ---- code that goes ---- */

/* A program whose libc keeps dlclose in a library of its own (glibc before 2.34) may have loaded
 * that after we looked. */
CA_HOOK int dlclose(void *object) {
    ca_lifecycle_resolve();
    if (ca_next.dlclose == NULL)
        ca_platform_resolve(&ca_next, &ca_shim.found, &ca_shim);
    int status = ca_next.dlclose(object);
    ca_site_forget_gone();
    return status;
}

/* ---- exec (exec_note.h) ---- */

CA_HOOK int execve(const char *path, char *const argv[], char *const envp[]) {
    bool is_noted = ca_exec_note(path);
    return ca_exec_forget(is_noted, ca_next.execve(path, argv, envp));
}

CA_HOOK int execv(const char *path, char *const argv[]) {
    bool is_noted = ca_exec_note(path);
    return ca_exec_forget(is_noted, ca_next.execv(path, argv));
}

CA_HOOK int execvp(const char *file, char *const argv[]) {
    bool is_noted = ca_exec_note(file);
    return ca_exec_forget(is_noted, ca_next.execvp(file, argv));
}

CA_HOOK int execvpe(const char *file, char *const argv[], char *const envp[]) {
    bool is_noted = ca_exec_note(file);
    return ca_exec_forget(is_noted, ca_next.execvpe(file, argv, envp));
}

CA_HOOK int fexecve(int fd, char *const argv[], char *const envp[]) {
    bool is_noted = ca_exec_note("a program given by descriptor");
    return ca_exec_forget(is_noted, ca_next.fexecve(fd, argv, envp));
}

/* The list forms build their arrays on the stack. */

CA_HOOK int execl(const char *path, const char *first, ...) {
    CA_EXEC_ARGUMENTS_OF(first, (void)0);
    bool is_noted = ca_exec_note(path);
    return ca_exec_forget(is_noted, ca_next.execve(path, argv, environ));
}

CA_HOOK int execlp(const char *file, const char *first, ...) {
    CA_EXEC_ARGUMENTS_OF(first, (void)0);
    bool is_noted = ca_exec_note(file);
    return ca_exec_forget(is_noted, ca_next.execvp(file, argv));
}

CA_HOOK int execle(const char *path, const char *first, ...) {
    CA_EXEC_ARGUMENTS_OF(first, char **envp = va_arg(arguments, char **));
    bool is_noted = ca_exec_note(path);
    return ca_exec_forget(is_noted, ca_next.execve(path, argv, envp));
}
