/* SPDX-License-Identifier: MIT
 *
 * The header of a loaded Mach-O image, as far as call sites need it, and the beginning of a program
 * that is about to be started. Formats: mach-o/loader.h, mach-o/fat.h, mach/machine.h. Only images
 * that dyld has accepted are read as such, so sizes are believed as far as the header's own; a
 * program's beginning may be anything. */
#ifndef CA_MACH_IMAGE_H
#define CA_MACH_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
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

/* Enough of a file's beginning for what follows. */
#define CA_MACH_BEGINNING_BYTES 1024u

/* Whether of the program whose file begins with `bytes` the system would run a slice for arm64e,
 * with signed pointers, into which dyld loads no library for arm64 and ends the program instead.
 * It prefers the slice of its parent, which is one for x86-64 or, `is_parent_arm64`, for arm64.
 * False for what is no Mach-O file of 64 bits. */
bool ca_mach_is_arm64e_only(const unsigned char *bytes, size_t byte_count, bool is_parent_arm64);

#endif
