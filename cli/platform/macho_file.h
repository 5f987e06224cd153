/* SPDX-License-Identifier: MIT
 *
 * Mach-O files and the code signatures in them, as far as they say whether a program can be
 * counted. Formats: mach-o/fat.h, mach-o/loader.h, mach-o/nlist.h; cs_blobs.h of XNU for the
 * signature. Reads bytes that may hold anything, on any system.
 */
#ifndef CA_MACHO_FILE_H
#define CA_MACHO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A universal file with more slices is read as far as these. */
#define CA_MACHO_SLICES 8u

enum ca_macho_arch {
    CA_MACHO_OTHER = 0,
    CA_MACHO_X86_64,
    CA_MACHO_X86_64H, /* for newer processors only */
    CA_MACHO_ARM64,
    CA_MACHO_ARM64E /* with signed pointers: Apple's own programs */
};

/* mach_header.filetype */
#define CA_MACHO_EXECUTE 2u
#define CA_MACHO_DYLIB   6u

/* Of a code directory. */
#define CA_CS_RESTRICT   0x00000800u
#define CA_CS_REQUIRE_LV 0x00002000u
#define CA_CS_RUNTIME    0x00010000u

#define CA_MACHO_UUID_BYTES 16u

struct ca_macho_slice {
    enum ca_macho_arch arch;
    size_t offset; /* in the file, of byte_count */
    size_t byte_count;
    bool has_uuid; /* the linker's name for this build */
    uint8_t uuid[CA_MACHO_UUID_BYTES];
    uint64_t text_address; /* of __TEXT, where its header is loaded */
    uint32_t file_type;
    uint32_t platform;       /* 1: macOS; 0: not said */
    uint32_t minimum_system; /* 0xMMMMmmpp */
    bool has_loader;         /* dyld takes part when it starts */
    bool has_restrict;       /* a segment __RESTRICT: dyld ignores DYLD_ variables */
    bool has_thread_locals;
    uint32_t interpose_pairs;
    bool is_signed;
    uint32_t signature_flags; /* CA_CS_*, and others */
    bool is_platform_binary;
    bool allows_dyld_variables;    /* by entitlement */
    bool skips_library_validation; /* by entitlement */
    bool is_go;
    const char *sanitizer; /* whose runtime owns malloc; NULL: none */
    char allocator[64];    /* a definition of its own: "malloc", "_rjem_malloc"; "": none */
};

/* Reads the slices of a file. Returns their number; 0 when it is no Mach-O file of 64 bits, or a
 * damaged one. */
uint32_t ca_macho_read(const unsigned char *bytes, size_t byte_count,
                       struct ca_macho_slice ret_slices[CA_MACHO_SLICES]);

/* The slice for `arch`, or NULL. */
const struct ca_macho_slice *ca_macho_find(const struct ca_macho_slice *slices,
                                           uint32_t slice_count, enum ca_macho_arch arch);

/* The slice with this UUID, or NULL. */
const struct ca_macho_slice *ca_macho_find_build(const struct ca_macho_slice *slices,
                                                 uint32_t slice_count,
                                                 const uint8_t uuid[CA_MACHO_UUID_BYTES]);

/* "arm64". */
const char *ca_macho_arch_name(enum ca_macho_arch arch);

#endif
