/* SPDX-License-Identifier: MIT */
#include "mach_image.h"

#include "plain.h"

#define MAGIC_64      0xfeedfacfu
#define HEADER_BYTES  32u
#define LC_SEGMENT_64 0x19u
#define LC_UUID       0x1bu
#define SEGMENT_BYTES 72u
#define UUID_BYTES    24u

#define FAT_MAGIC      0xcafebabeu /* big-endian, all of it */
#define FAT_MAGIC_64   0xcafebabfu
#define FAT_HEADER     8u
#define FAT_ENTRY      20u
#define FAT_ENTRY_64   32u
#define FAT_SLICES     30u /* more is a Java class, which has the same magic number */
#define CPU_X86_64     0x01000007u
#define CPU_ARM64      0x0100000cu
#define SUBTYPE_MASK   0x00ffffffu
#define SUBTYPE_ARM64E 2u

static uint32_t word_at(const unsigned char *at) {
    uint32_t word;
    __builtin_memcpy(&word, at, sizeof word);
    return word;
}

static uint64_t long_at(const unsigned char *at) {
    uint64_t value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
}

bool ca_mach_image_read(const void *header, struct ca_mach_image *ret_image) {
    const unsigned char *bytes = header;
    *ret_image = (struct ca_mach_image){0};
    if (word_at(bytes) != MAGIC_64)
        return false;
    uint32_t command_count = word_at(bytes + 16);
    const unsigned char *at = bytes + HEADER_BYTES;
    const unsigned char *end = at + word_at(bytes + 20);
    for (uint32_t i = 0; i < command_count && end - at >= 8; i++) {
        uint32_t command = word_at(at);
        uint32_t command_bytes = word_at(at + 4);
        if (command_bytes < 8 || command_bytes > (uint64_t)(end - at))
            break;
        if (command == LC_SEGMENT_64 && command_bytes >= SEGMENT_BYTES &&
            ca_plain_is_equal((const char *)at + 8, "__TEXT")) {
            ret_image->text_address = long_at(at + 24);
            ret_image->text_bytes = long_at(at + 32);
        }
        if (command == LC_UUID && command_bytes >= UUID_BYTES) {
            __builtin_memcpy(ret_image->uuid, at + 8, sizeof ret_image->uuid);
            ret_image->has_uuid = true;
        }
        at += command_bytes;
    }
    return ret_image->text_bytes != 0;
}

/* ---- a program that is about to be started ---- */

struct slices {
    bool has_x86_64, has_arm64, has_arm64e;
};

static void add_slice(struct slices *slices, uint32_t cpu, uint32_t subtype) {
    bool is_arm64e = (subtype & SUBTYPE_MASK) == SUBTYPE_ARM64E;
    slices->has_x86_64 |= cpu == CPU_X86_64;
    slices->has_arm64 |= cpu == CPU_ARM64 && !is_arm64e;
    slices->has_arm64e |= cpu == CPU_ARM64 && is_arm64e;
}

static uint32_t big_word_at(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void add_slices(struct slices *slices, const unsigned char *bytes, size_t byte_count) {
    size_t entry_bytes = big_word_at(bytes) == FAT_MAGIC ? FAT_ENTRY : FAT_ENTRY_64;
    uint32_t slice_count = big_word_at(bytes + 4);
    for (size_t i = 0; i < slice_count && slice_count <= FAT_SLICES; i++) {
        size_t at = FAT_HEADER + i * entry_bytes;
        if (at + entry_bytes > byte_count)
            return;
        add_slice(slices, big_word_at(bytes + at), big_word_at(bytes + at + 4));
    }
}

bool ca_mach_is_arm64e_only(const unsigned char *bytes, size_t byte_count, bool is_parent_arm64) {
    struct slices slices = {false, false, false};
    if (byte_count < HEADER_BYTES)
        return false;
    if (word_at(bytes) == MAGIC_64)
        add_slice(&slices, word_at(bytes + 4), word_at(bytes + 8));
    else if (big_word_at(bytes) == FAT_MAGIC || big_word_at(bytes) == FAT_MAGIC_64)
        add_slices(&slices, bytes, byte_count);
    bool is_x86_64_run = slices.has_x86_64 && !is_parent_arm64;
    return slices.has_arm64e && !slices.has_arm64 && !is_x86_64_run;
}
