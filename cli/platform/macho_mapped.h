/* SPDX-License-Identifier: MIT */
#ifndef CA_MACHO_MAPPED_H
#define CA_MACHO_MAPPED_H

#include "platform/macho_file.h"

/* The slices of the file at `path`, without what points into it. 0: none, or it cannot be read. */
uint32_t ca_macho_read_file(const char *path, struct ca_macho_slice ret_slices[CA_MACHO_SLICES]);

/* What this machine's processor is, whatever this process runs as. */
enum ca_macho_arch ca_macho_host(void);

#endif
