/* SPDX-License-Identifier: MIT
 *
 * Mach-O files made for tests. */
#ifndef CA_CRAFTED_MACHO_H
#define CA_CRAFTED_MACHO_H

#include <stddef.h>
#include <stdint.h>

#define CRAFTED_MACHO_SIZE 8192u

#define CRAFTED_X86_64 0x01000007u
#define CRAFTED_ARM64  0x0100000cu

/* What goes into a slice; all of it may be left out. */
struct crafted_macho {
    uint32_t cpu;
    uint32_t subtype;
    uint32_t without_loader;
    const char *section; /* of __DATA, with `section_bytes` */
    uint32_t section_type;
    uint64_t section_bytes;
    const char *segment; /* instead of __DATA */
    const char *library;
    const char *symbol; /* defined */
    uint32_t signature_flags;
    uint8_t signature_platform;
    const char *entitlements; /* XML */
};

/* Writes one slice to `to`. Returns its size. */
size_t crafted_macho(unsigned char to[CRAFTED_MACHO_SIZE], const struct crafted_macho *what);

/* A universal file of two slices, of CRAFTED_MACHO_SIZE each. Returns its size. */
size_t crafted_universal(unsigned char to[3 * CRAFTED_MACHO_SIZE],
                         const struct crafted_macho *first, const struct crafted_macho *second);

#endif
