/* SPDX-License-Identifier: MIT
 *
 * Mach-O files with symbols, made for tests. */
#ifndef CA_CRAFTED_IMAGE_H
#define CA_CRAFTED_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CRAFTED_IMAGE_SIZE    4096u
#define CRAFTED_IMAGE_SYMBOLS 12u

#define CRAFTED_IMAGE_TEXT  0x100000000u /* where __TEXT, with the header, is loaded */
#define CRAFTED_IMAGE_CODE  0x100001000u /* section 1: code, of 0x100 bytes */
#define CRAFTED_IMAGE_STUBS 0x100001100u /* section 2: code, of 0x20 bytes */
#define CRAFTED_IMAGE_DATA  0x100002000u /* section 3: data, of 0x100 bytes */
#define CRAFTED_IMAGE_LINKEDIT                                                                     \
    0x100003000u /* the tables, which the file has at CRAFTED_IMAGE_TABLES */
#define CRAFTED_IMAGE_TABLES 1024u

#define CRAFTED_LOCAL    0x0eu
#define CRAFTED_EXTERNAL 0x0fu
#define CRAFTED_DEBUG    0x24u /* N_FUN */

struct crafted_symbol {
    const char *name; /* NULL: that was all */
    uint64_t address;
    uint8_t type;
    uint8_t section; /* 0: 1 */
};

struct crafted_image {
    uint32_t cpu;
    uint32_t subtype;
    uint8_t uuid; /* each byte of it; 0: none */
    struct crafted_symbol symbols[CRAFTED_IMAGE_SYMBOLS];
    const unsigned char *starts; /* LC_FUNCTION_STARTS, starts_bytes; NULL: none */
    uint32_t starts_bytes;
    uint32_t names_bytes; /* instead of what there is, to make it wrong; 0: right */
};

/* Writes one slice. Returns its size. */
size_t crafted_image(unsigned char to[CRAFTED_IMAGE_SIZE], const struct crafted_image *what);

/* A universal file of two slices. Returns its size. */
size_t crafted_images(unsigned char to[3 * CRAFTED_IMAGE_SIZE], const struct crafted_image *first,
                      const struct crafted_image *second);

#endif
