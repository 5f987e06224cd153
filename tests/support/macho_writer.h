/* SPDX-License-Identifier: MIT
 *
 * Mach-O files made for tests, piece by piece: what the crafters of unit/cli and unit/symbols
 * share. Load commands are little-endian, the header of a universal file is big-endian. */
#ifndef CA_MACHO_WRITER_H
#define CA_MACHO_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CA_UNIVERSAL_MAGIC 0xcafebabeu

/* Writes at `bytes + at`, and goes on behind it. */
struct ca_macho_writer {
    unsigned char *bytes;
    size_t at;
};

/* A slice as the header of a universal file names it. */
struct ca_macho_slice_place {
    uint32_t cpu;
    uint32_t subtype;
    uint32_t offset;
    uint32_t size;
};

static inline void ca_macho_word(struct ca_macho_writer *writer, uint32_t value) {
    for (int i = 0; i < 4; i++)
        writer->bytes[writer->at++] = (unsigned char)(value >> 8 * i);
}

static inline void ca_macho_big_word(struct ca_macho_writer *writer, uint32_t value) {
    for (int i = 3; i >= 0; i--)
        writer->bytes[writer->at++] = (unsigned char)(value >> 8 * i);
}

static inline void ca_macho_wide(struct ca_macho_writer *writer, uint64_t value) {
    ca_macho_word(writer, (uint32_t)value);
    ca_macho_word(writer, (uint32_t)(value >> 32));
}

/* `text`, padded with zeros to `size` bytes. */
static inline void ca_macho_name(struct ca_macho_writer *writer, const char *text, size_t size) {
    memset(writer->bytes + writer->at, 0, size);
    memcpy(writer->bytes + writer->at, text, strlen(text));
    writer->at += size;
}

/* The header of a universal file with `count` slices, at 2^12 each. */
static inline void ca_macho_universal(unsigned char *to, const struct ca_macho_slice_place *slices,
                                      uint32_t count) {
    struct ca_macho_writer writer = {to, 0};
    ca_macho_big_word(&writer, CA_UNIVERSAL_MAGIC);
    ca_macho_big_word(&writer, count);
    for (uint32_t i = 0; i < count; i++) {
        ca_macho_big_word(&writer, slices[i].cpu);
        ca_macho_big_word(&writer, slices[i].subtype);
        ca_macho_big_word(&writer, slices[i].offset);
        ca_macho_big_word(&writer, slices[i].size);
        ca_macho_big_word(&writer, 12);
    }
}

#endif
