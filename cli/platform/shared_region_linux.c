/* SPDX-License-Identifier: MIT
 *
 * A memfd, because it has no name on any disk, is found through /proc whatever descriptors the
 * program closes, and goes away with its last user. Sealed against shrinking, because a shorter
 * file would kill the program at its next allocation. */
#ifndef __linux__
#error "Linux only"
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpose/region_init.h"
#include "platform/cli_platform.h"

const char ca_shared_region_way[] = "through /proc";

/* As much as RLIMIT_FSIZE, which holds for memfds, too, and the address space have room for, but
 * enough to be of use. */
static void *map_shared(int fd, size_t *region_bytes) {
    for (;;) {
        void *memory = MAP_FAILED;
        if (ftruncate(fd, (off_t)*region_bytes) == 0)
            memory = mmap(NULL, *region_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (memory != MAP_FAILED || (errno != ENOMEM && errno != EFBIG) ||
            *region_bytes / 2 < CA_REGION_BYTES_MIN)
            return memory;
        *region_bytes = *region_bytes / 2 & ~(size_t)4095;
    }
}

enum ca_status ca_shared_region_open(struct ca_shared_region *region, size_t region_bytes,
                                     const struct ca_wanted *wanted, struct ca_error *err) {
    *region = (struct ca_shared_region){.fd = -1};
    const char *what = "create a counter region";
    region->fd = memfd_create("countalloc", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (region->fd < 0)
        goto fail;
    what =
        "map a counter region; allow more address space (ulimit -v) and longer files (ulimit -f)";
    void *memory = map_shared(region->fd, &region_bytes);
    if (memory == MAP_FAILED)
        goto fail;
    region->region = memory;
    region->region_bytes = region_bytes;
    what = "seal the counter region";
    if (fcntl(region->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        goto fail;
    ca_region_init(region->region, region_bytes, (uint32_t)getpid(), 0, wanted);
    snprintf(region->path, sizeof region->path, "/proc/%d/fd/%d", (int)getpid(), region->fd);
    what = "open the counter region through /proc, which must be mounted";
    if (access(region->path, R_OK | W_OK) != 0)
        goto fail;
    return CA_OK;
fail:
    ca_error_set(err, CA_ERROR_SYSTEM, "cannot %s: %s", what, strerror(errno));
    ca_shared_region_close(region);
    return CA_ERROR_SYSTEM;
}

void ca_shared_region_close(struct ca_shared_region *region) {
    if (region->region != NULL)
        munmap(region->region, region->region_bytes);
    if (region->fd >= 0)
        close(region->fd);
    region->region = NULL;
    region->fd = -1;
}
