/* SPDX-License-Identifier: MIT
 *
 * Mach-O files where they lie. */
#ifndef CA_MACHO_MAPPED_H
#define CA_MACHO_MAPPED_H

#include "platform/macho_file.h"

struct ca_macho_mapped {
    const unsigned char *bytes; /* byte_count */
    size_t byte_count;
    struct ca_macho_slice slices[CA_MACHO_SLICES]; /* slice_count; 0: no Mach-O file of 64 bits */
    uint32_t slice_count;
};

/* Maps the file at `path` and reads its slices. 0, and ca_macho_unmap() it; else an errno: EINVAL
 * for what is no regular file, or an empty one. */
int ca_macho_map(const char *path, struct ca_macho_mapped *ret_file);
void ca_macho_unmap(struct ca_macho_mapped *file);

/* The slices of the file at `path`, without what points into it. 0: none, or it cannot be read. */
uint32_t ca_macho_read_file(const char *path, struct ca_macho_slice ret_slices[CA_MACHO_SLICES]);

/* What this machine's processor is, whatever this process runs as. On macOS only. */
enum ca_macho_arch ca_macho_host(void);

#endif
