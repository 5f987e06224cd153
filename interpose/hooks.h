/* SPDX-License-Identifier: MIT
 *
 * Prototypes of hooked functions that no standard header has, and the mark that exports a hook. */
#ifndef CA_HOOKS_H
#define CA_HOOKS_H

#include <stddef.h>

#define CA_HOOK __attribute__((visibility("default")))

void *memalign(size_t alignment, size_t size);
void *valloc(size_t size);
void *pvalloc(size_t size);
void cfree(void *block);
size_t malloc_usable_size(void *block);
void free_sized(void *block, size_t size);
void free_aligned_sized(void *block, size_t alignment, size_t size);
int __libc_start_main(int (*program_main)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                      void *stack_end);
int dlclose(void *object);
int pthread_setname_np(unsigned long thread, const char *name);

#endif
