/* SPDX-License-Identifier: MIT
 *
 * dyld tells of every image that comes and goes, in the thread that loads it and with its lock
 * held; so what is kept here can be read without. */
#ifndef __APPLE__
#error "macOS only"
#endif

#include <dlfcn.h>
#include <mach-o/dyld.h>

#include "../mach_image.h"
#include "../plain.h"
#include "loaded_darwin.h"

/* Call sites in an image beyond these are kept as plain addresses. */
#define IMAGES 2048u

struct entry {
    uintptr_t begin; /* 0: free. Written last */
    uintptr_t end;
    uintptr_t base;
    const char *path; /* dyld's, as long as the image is loaded */
};

static struct entry entries[IMAGES];
static uint32_t entry_count; /* used ever */

static void add(const struct mach_header *header, intptr_t slide) {
    struct ca_mach_image image;
    Dl_info info;
    if (!ca_mach_image_read(header, &image))
        return;
    for (uint32_t i = 0; i < IMAGES; i++) {
        struct entry *entry = &entries[i];
        if (entry->begin != 0)
            continue;
        entry->end = (uintptr_t)header + image.text_bytes;
        entry->base = (uintptr_t)slide;
        entry->path = dladdr(header, &info) != 0 ? info.dli_fname : "";
        __atomic_store_n(&entry->begin, (uintptr_t)header, __ATOMIC_RELEASE);
        if (i >= entry_count)
            __atomic_store_n(&entry_count, i + 1, __ATOMIC_RELEASE);
        return;
    }
}

static void forget(const struct mach_header *header, intptr_t slide) {
    (void)slide;
    for (uint32_t i = 0; i < entry_count; i++)
        if (entries[i].begin == (uintptr_t)header)
            __atomic_store_n(&entries[i].begin, 0, __ATOMIC_RELEASE);
}

void ca_loaded_watch(void) {
    _dyld_register_func_for_add_image(add);
    _dyld_register_func_for_remove_image(forget);
}

bool ca_platform_find_loaded(uintptr_t address, struct ca_loaded *ret_loaded) {
    uint32_t count = __atomic_load_n(&entry_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        uintptr_t begin = __atomic_load_n(&entries[i].begin, __ATOMIC_ACQUIRE);
        if (begin == 0 || address < begin || address >= entries[i].end)
            continue;
        ret_loaded->begin = begin;
        ret_loaded->end = entries[i].end;
        ret_loaded->base = entries[i].base;
        ca_plain_copy(ret_loaded->path, entries[i].path, sizeof ret_loaded->path);
        return true;
    }
    return false;
}

uint32_t ca_platform_build_id(const struct ca_loaded *loaded, uint8_t *ret_id, uint32_t size) {
    struct ca_mach_image image;
    if (!ca_mach_image_read((const void *)loaded->begin, &image) || !image.has_uuid)
        return 0;
    uint32_t bytes = size < sizeof image.uuid ? size : (uint32_t)sizeof image.uuid;
    for (uint32_t i = 0; i < bytes; i++)
        ret_id[i] = image.uuid[i];
    return bytes;
}
