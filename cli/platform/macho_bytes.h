/* SPDX-License-Identifier: MIT
 *
 * Reading the bytes of a Mach-O slice, which may hold anything. Private to the macho_*.c files and
 * their tests. Formats: mach-o/loader.h, mach-o/nlist.h. */
#ifndef CA_MACHO_BYTES_H
#define CA_MACHO_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CA_MACHO_MAGIC_64        0xfeedfacfu
#define CA_MACHO_HEADER_BYTES    32u
#define CA_MACHO_SEGMENT_BYTES   72u
#define CA_MACHO_SECTION_BYTES   80u
#define CA_MACHO_SYMBOL_BYTES    16u
#define CA_MACHO_LC_SYMTAB       0x02u
#define CA_MACHO_LC_SEGMENT_64   0x19u
#define CA_MACHO_LC_UUID         0x1bu
#define CA_MACHO_FUNCTION_STARTS 0x26u

/* One slice's bytes. */
struct ca_macho_part {
    const unsigned char *bytes;
    size_t byte_count;
};

static inline bool ca_macho_has(const struct ca_macho_part *part, uint64_t offset, uint64_t bytes) {
    return offset <= part->byte_count && bytes <= part->byte_count - offset;
}

static inline uint32_t ca_macho_word_at(const unsigned char *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t ca_macho_long_at(const unsigned char *at) {
    return ca_macho_word_at(at) | (uint64_t)ca_macho_word_at(at + 4) << 32;
}

/* A name of up to 16 bytes, which may lack its NUL. */
static inline bool ca_macho_is_name(const unsigned char *at, const char *name) {
    return strncmp((const char *)at, name, 16) == 0;
}

/* The load commands that are still to come. */
struct ca_macho_commands {
    const unsigned char *at;
    uint64_t left_bytes;
    uint32_t left_count;
};

/* False when `part` is no slice of 64 bits, or has no room for its load commands. */
static inline bool ca_macho_commands_begin(struct ca_macho_commands *commands,
                                           const struct ca_macho_part *part) {
    if (!ca_macho_has(part, 0, CA_MACHO_HEADER_BYTES) ||
        ca_macho_word_at(part->bytes) != CA_MACHO_MAGIC_64)
        return false;
    commands->at = part->bytes + CA_MACHO_HEADER_BYTES;
    commands->left_count = ca_macho_word_at(part->bytes + 16);
    commands->left_bytes = ca_macho_word_at(part->bytes + 20);
    return ca_macho_has(part, CA_MACHO_HEADER_BYTES, commands->left_bytes);
}

/* The next command, of `*ret_bytes` >= 8; NULL: there is none, because all were seen
 * (`left_count` is 0 then) or because the next does not add up. */
static inline const unsigned char *ca_macho_commands_next(struct ca_macho_commands *commands,
                                                          uint32_t *ret_bytes) {
    if (commands->left_count == 0)
        return NULL;
    uint32_t bytes = commands->left_bytes >= 8 ? ca_macho_word_at(commands->at + 4) : 0;
    if (bytes < 8 || bytes > commands->left_bytes)
        return NULL;
    const unsigned char *command = commands->at;
    commands->at += bytes;
    commands->left_bytes -= bytes;
    commands->left_count--;
    *ret_bytes = bytes;
    return command;
}

#endif
