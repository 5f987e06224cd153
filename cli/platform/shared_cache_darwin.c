/* SPDX-License-Identifier: MIT */
#ifndef __APPLE__
#error "macOS only"
#endif

#include <dlfcn.h>
#include <mach-o/dyld.h>
#include <string.h>

#include "platform/shared_cache.h"

static bool find_loaded(const char *path, const void **ret_header, uintptr_t *ret_slide) {
    uint32_t count = _dyld_image_count();
    for (uint32_t i = 0; i < count; i++) {
        const char *name = _dyld_get_image_name(i);
        if (name == NULL || strcmp(name, path) != 0)
            continue;
        *ret_header = _dyld_get_image_header(i);
        *ret_slide = (uintptr_t)_dyld_get_image_vmaddr_slide(i);
        return *ret_header != NULL;
    }
    return false;
}

/* What it loads stays loaded, because the header is used after this. */
bool ca_shared_cache_find(const char *path, const void **ret_header, uintptr_t *ret_slide) {
    if (find_loaded(path, ret_header, ret_slide))
        return true;
    return strncmp(path, "/usr/lib/", strlen("/usr/lib/")) == 0 &&
           dlopen(path, RTLD_LAZY | RTLD_LOCAL) != NULL && find_loaded(path, ret_header, ret_slide);
}
