/* SPDX-License-Identifier: MIT
 *
 * Every function that the shim stands in front of, once. X(name, systems, why): exported under its
 * own name by hooks.c (and, what concerns the program's start, end and its successors, by
 * program_hooks.c). tests/ holds the exported symbols and the interpose table against this list.
 *
 * LINUX: glibc and musl. BOTH: macOS too.
 */
#ifndef CA_HOOK_LIST_H
#define CA_HOOK_LIST_H

#define CA_HOOK_LIST(X)                                                                            \
    X(malloc, BOTH, "counted")                                                                     \
    X(calloc, BOTH, "counted")                                                                     \
    X(realloc, BOTH, "counted")                                                                    \
    X(free, BOTH, "counted")                                                                       \
    X(reallocarray, LINUX, "counted as realloc")                                                   \
    X(posix_memalign, BOTH, "counted as aligned")                                                  \
    X(aligned_alloc, BOTH, "counted as aligned")                                                   \
    X(memalign, LINUX, "counted as aligned")                                                       \
    X(valloc, BOTH, "counted as aligned")                                                          \
    X(pvalloc, LINUX, "counted as aligned")                                                        \
    X(cfree, LINUX, "counted as free; old programs only")                                          \
    X(free_sized, LINUX, "counted as free; C23")                                                   \
    X(free_aligned_sized, LINUX, "counted as free; C23")                                           \
    X(__libc_start_main, LINUX, "main begins: the process phase")                                  \
    X(exit, LINUX, "the process phase")                                                            \
    X(pthread_setname_np, LINUX, "thread names")                                                   \
    X(dlclose, LINUX, "call sites of code that goes")                                              \
    X(execve, LINUX, "what becomes of the process: an image that never attaches is then named")    \
    X(execv, LINUX, "likewise")                                                                    \
    X(execvp, LINUX, "likewise")                                                                   \
    X(execvpe, LINUX, "likewise")                                                                  \
    X(execl, LINUX, "likewise")                                                                    \
    X(execlp, LINUX, "likewise")                                                                   \
    X(execle, LINUX, "likewise")                                                                   \
    X(fexecve, LINUX, "likewise")

#endif
