/* SPDX-License-Identifier: MIT
 *
 * A file in the user's own temporary folder, which nobody else can enter (confstr(3),
 * _CS_DARWIN_USER_TEMP_DIR), because macOS has no /proc to open a nameless one through. */
#ifndef __APPLE__
#error "macOS only"
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpose/region_init.h"
#include "platform/cli_platform.h"

/* Because a sandboxed program may not enter the user's folder. */
const char ca_shared_region_way[] = "in the user's temporary folder";

static int create(char *path, size_t size) {
    char folder[1024];
    size_t length = confstr(_CS_DARWIN_USER_TEMP_DIR, folder, sizeof folder);
    if (length == 0 || length > sizeof folder)
        return -1;
    int needed = snprintf(path, size, "%s/countalloc.XXXXXX", folder);
    if (needed < 0 || (size_t)needed >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return mkstemp(path); /* with mode 0600, and a name that was not there */
}

enum ca_status ca_shared_region_open(struct ca_shared_region *region, size_t region_bytes,
                                     const struct ca_wanted *wanted, struct ca_error *err) {
    *region = (struct ca_shared_region){.fd = -1};
    const char *what = "create a counter region in the user's temporary folder";
    region->fd = create(region->path, sizeof region->path);
    if (region->fd < 0) {
        region->path[0] = '\0';
        goto fail;
    }
    fcntl(region->fd, F_SETFD, FD_CLOEXEC);
    what = "reserve a counter region in the user's temporary folder; free some space";
    fstore_t store = {.fst_flags = F_ALLOCATEALL,
                      .fst_posmode = F_PEOFPOSMODE,
                      .fst_length = (off_t)region_bytes};
    if (fcntl(region->fd, F_PREALLOCATE, &store) != 0 && errno != ENOTSUP && errno != EINVAL)
        goto fail;
    if (ftruncate(region->fd, (off_t)region_bytes) != 0)
        goto fail;
    what = "map a counter region; allow more address space (ulimit -v)";
    void *memory = mmap(NULL, region_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, region->fd, 0);
    if (memory == MAP_FAILED)
        goto fail;
    region->region = memory;
    region->region_bytes = region_bytes;
    ca_region_init(region->region, region_bytes, (uint32_t)getpid(), 0, wanted);
    return CA_OK;
fail:
    ca_error_set(err, CA_ERROR_SYSTEM, "cannot %s: %s", what, strerror(errno));
    ca_shared_region_close(region);
    return CA_ERROR_SYSTEM;
}

void ca_shared_region_close(struct ca_shared_region *region) {
    if (region->region != NULL)
        munmap(region->region, region->region_bytes);
    if (region->fd >= 0) {
        close(region->fd);
        unlink(region->path);
    }
    region->region = NULL;
    region->fd = -1;
}
