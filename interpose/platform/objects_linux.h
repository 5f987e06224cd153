/* SPDX-License-Identifier: MIT
 *
 * Loaded objects, as dl_iterate_phdr shows them, and the symbols they define. Nothing here
 * allocates or takes a lock of its own. Pointers are borrowed from the loader: valid while the
 * object is loaded. */
#ifndef CA_OBJECTS_LINUX_H
#define CA_OBJECTS_LINUX_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* One loaded object's tables. */
struct ca_object {
    const char *path;
    uintptr_t base;
    const ElfW(Dyn) * dynamic;
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *gnu_hash;
    const uint32_t *sysv_hash;
    const ElfW(Half) * versions;
};

/* False for an object without symbols. */
bool ca_object_init(struct ca_object *object, const struct dl_phdr_info *info);

/* The address of the function `name` that the object itself defines; NULL when it does not. */
void *ca_object_find(const struct ca_object *object, const char *name);

bool ca_object_contains(const struct dl_phdr_info *info, uintptr_t address);

#endif
