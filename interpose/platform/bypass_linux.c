/* SPDX-License-Identifier: MIT */
#ifndef __linux__
#error "Linux only"
#endif

#include <link.h>
#include <stddef.h>

#include "../plain.h"
#include "objects_linux.h"
#include "shim_platform.h"

struct bypass {
    uintptr_t malloc_below;
    char *path;
    size_t path_size;
    bool is_found;
    uint64_t seen_count;
    uint64_t loaded_count; /* in all namespaces */
};

/* A call is bound when it is first made, so the place is compared and not the name's definition. */
static bool is_malloc_below(const char *name, uintptr_t bound, const void *argument) {
    const struct bypass *bypass = argument;
    return bound == bypass->malloc_below && ca_plain_is_equal(name, "malloc");
}

static int visit(struct dl_phdr_info *info, size_t info_bytes, void *argument) {
    struct bypass *bypass = argument;
    struct ca_object object;
    bypass->seen_count++;
    if (info_bytes >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
        bypass->loaded_count = info->dlpi_adds - info->dlpi_subs;
    /* libc's own calls of malloc are bound like everybody's; the shim has none. */
    if (!bypass->is_found && ca_object_init(&object, info) &&
        ca_object_refers(&object, is_malloc_below, bypass)) {
        ca_plain_copy(bypass->path, info->dlpi_name, bypass->path_size);
        bypass->is_found = true;
    }
    return 0;
}

bool ca_platform_find_bypass(const void *malloc_below, char *ret_path, size_t path_size,
                             bool *ret_is_namespace) {
    struct bypass bypass = {
        .malloc_below = (uintptr_t)malloc_below, .path = ret_path, .path_size = path_size};
    dl_iterate_phdr(visit, &bypass);
    *ret_is_namespace = bypass.loaded_count > bypass.seen_count;
    return bypass.is_found;
}
