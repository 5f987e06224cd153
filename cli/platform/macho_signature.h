/* SPDX-License-Identifier: MIT
 *
 * The code signature at the end of a Mach-O slice: cs_blobs.h of XNU. All its numbers are
 * big-endian. */
#ifndef CA_MACHO_SIGNATURE_H
#define CA_MACHO_SIGNATURE_H

#include "platform/macho_file.h"

/* Reads `byte_count` bytes of signature, which may hold anything, into what `slice` says of it. */
void ca_macho_signature_read(const unsigned char *bytes, size_t byte_count,
                             struct ca_macho_slice *slice);

#endif
