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
    const ElfW(Rela) * relocations[2]; /* of calls, of data */
    size_t relocation_bytes[2];
};

/* False for an object without symbols. */
bool ca_object_init(struct ca_object *object, const struct dl_phdr_info *info);

/* The address of the function `name` that the object itself defines; NULL when it does not. */
void *ca_object_find(const struct ca_object *object, const char *name);

/* Whether `is_wanted` says so of one of the symbols that the object's calls and data refer to:
 * `name`, and the address it is bound to so far. */
bool ca_object_refers(const struct ca_object *object,
                      bool (*is_wanted)(const char *name, uintptr_t bound, const void *argument),
                      const void *argument);

bool ca_object_contains(const struct dl_phdr_info *info, uintptr_t address);

#endif
