/* SPDX-License-Identifier: MIT
 *
 * Because a library that is inserted on macOS does not become the allocator: it must register a
 * zone of its own, and does so after the first allocations. */
#ifndef __APPLE__
#error "macOS only"
#endif

#include <string.h>

#include "platform/cli_platform.h"

enum ca_status ca_allocator_find(const char *name, const struct ca_target *target,
                                 struct ca_allocator *ret_allocator, struct ca_error *err) {
    (void)target;
    *ret_allocator = (struct ca_allocator){.kind = CA_ALLOCATOR_LIBC, .name = name};
    if (strcmp(name, "libc") == 0)
        return CA_OK;
    return ca_error_set(err, CA_ERROR_SYSTEM,
                        "--allocator %s: on macOS only the system's own ('libc') can serve malloc; "
                        "compare allocators on Linux",
                        name);
}

bool ca_allocator_is(const struct ca_allocator *allocator, const char *served_by) {
    return allocator->kind == CA_ALLOCATOR_LIBC && strstr(served_by, "libsystem_malloc") != NULL;
}
