/* SPDX-License-Identifier: MIT
 *
 * Every function that the shim stands in front of, once. X(name, systems, why): exported under its
 * own name by hooks.c (and, what concerns the program's start, end and its successors, by
 * program_hooks.c). tests/ holds the exported symbols and the interpose table against this list.
 *
 * LINUX: glibc and musl. DARWIN: macOS, where the hooks are pairs of the interpose table
 * (platform/interpose_darwin.c). BOTH: all of them.
 */
#ifndef CA_HOOK_LIST_H
#define CA_HOOK_LIST_H

#define CA_HOOK_LIST(X)                                                                            \
    X(malloc, BOTH, "counted")                                                                     \
    X(calloc, BOTH, "counted")                                                                     \
    X(realloc, BOTH, "counted")                                                                    \
    X(free, BOTH, "counted")                                                                       \
    X(reallocarray, BOTH, "counted as realloc")                                                    \
    X(posix_memalign, BOTH, "counted as aligned")                                                  \
    X(aligned_alloc, BOTH, "counted as aligned")                                                   \
    X(memalign, LINUX, "counted as aligned")                                                       \
    X(valloc, BOTH, "counted as aligned")                                                          \
    X(pvalloc, LINUX, "counted as aligned")                                                        \
    X(cfree, LINUX, "counted as free; old programs only")                                          \
    X(free_sized, LINUX, "counted as free; C23")                                                   \
    X(free_aligned_sized, LINUX, "counted as free; C23")                                           \
    X(__libc_start_main, LINUX, "main begins: the process phase")                                  \
    X(exit, BOTH, "the process phase")                                                             \
    X(pthread_setname_np, BOTH, "thread names")                                                    \
    X(dlclose, BOTH, "call sites of code that goes")                                               \
    X(execve, BOTH, "what becomes of the process: an image that never attaches is then named")     \
    X(execv, BOTH, "likewise")                                                                     \
    X(execvp, BOTH, "likewise")                                                                    \
    X(execvpe, LINUX, "likewise")                                                                  \
    X(execl, BOTH, "likewise")                                                                     \
    X(execlp, BOTH, "likewise")                                                                    \
    X(execle, BOTH, "likewise")                                                                    \
    X(fexecve, LINUX, "likewise")                                                                  \
    X(execvP, DARWIN, "likewise")                                                                  \
    X(posix_spawn, DARWIN, "likewise, with POSIX_SPAWN_SETEXEC; children without the library")     \
    X(posix_spawnp, DARWIN, "likewise")                                                            \
    X(reallocf, DARWIN, "counted as realloc; what it releases is a free")                          \
    X(reallocarrayf, DARWIN, "likewise")                                                           \
    X(vfree, DARWIN, "counted as free")                                                            \
    X(malloc_zone_malloc, DARWIN, "counted, whatever the zone")                                    \
    X(malloc_zone_calloc, DARWIN, "likewise")                                                      \
    X(malloc_zone_realloc, DARWIN, "likewise")                                                     \
    X(malloc_zone_free, DARWIN, "likewise")                                                        \
    X(malloc_zone_valloc, DARWIN, "likewise")                                                      \
    X(malloc_zone_memalign, DARWIN, "likewise")                                                    \
    X(malloc_zone_batch_malloc, DARWIN, "likewise")                                                \
    X(malloc_zone_batch_free, DARWIN, "likewise")                                                  \
    X(malloc_zone_malloc_with_options, DARWIN, "likewise")                                         \
    X(malloc_type_malloc, DARWIN, "what clang makes of malloc since macOS 14")                     \
    X(malloc_type_calloc, DARWIN, "likewise")                                                      \
    X(malloc_type_realloc, DARWIN, "likewise")                                                     \
    X(malloc_type_free, DARWIN, "likewise")                                                        \
    X(malloc_type_valloc, DARWIN, "likewise")                                                      \
    X(malloc_type_aligned_alloc, DARWIN, "likewise")                                               \
    X(malloc_type_posix_memalign, DARWIN, "likewise")                                              \
    X(malloc_type_zone_malloc, DARWIN, "likewise")                                                 \
    X(malloc_type_zone_calloc, DARWIN, "likewise")                                                 \
    X(malloc_type_zone_realloc, DARWIN, "likewise")                                                \
    X(malloc_type_zone_free, DARWIN, "likewise")                                                   \
    X(malloc_type_zone_valloc, DARWIN, "likewise")                                                 \
    X(malloc_type_zone_memalign, DARWIN, "likewise")                                               \
    X(malloc_type_zone_malloc_with_options, DARWIN, "likewise")

#endif
