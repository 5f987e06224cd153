/* SPDX-License-Identifier: MIT
 *
 * The header of a loaded Mach-O image, as far as call sites need it. Format: mach-o/loader.h. Only
 * images that dyld has accepted are read, so sizes are believed as far as the header's own. */
#ifndef CA_MACH_IMAGE_H
#define CA_MACH_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

struct ca_mach_image {
    uint64_t text_address; /* of __TEXT, in its file; the header is its first byte */
    uint64_t text_bytes;
    uint8_t uuid[16];
    bool has_uuid;
};

/* Reads the 64-bit header at `header`, in this machine's byte order. False when it is none, or has
 * no
 * __TEXT. */
bool ca_mach_image_read(const void *header, struct ca_mach_image *ret_image);

#endif
