/* SPDX-License-Identifier: MIT */
#include "platform/macho_file.h"

#include <stdio.h>
#include <string.h>

#include "platform/macho_bytes.h"
#include "platform/macho_signature.h"

#define FAT_MAGIC       0xcafebabeu /* big-endian, all of it */
#define FAT_MAGIC_64    0xcafebabfu
#define CPU_X86_64      0x01000007u
#define CPU_ARM64       0x0100000cu
#define SUBTYPE_MASK    0x00ffffffu
#define SUBTYPE_X86_64H 8u
#define SUBTYPE_ARM64E  2u
#define HAS_TLV         0x00800000u

#define LC_LOAD_DYLIB     0x0cu
#define LC_LOAD_DYLINKER  0x0eu
#define LC_CODE_SIGNATURE 0x1du
#define LC_VERSION_MIN    0x24u
#define LC_BUILD_VERSION  0x32u
#define PAIR_BYTES        16u

#define SECTION_TYPE_MASK 0xffu
#define THREAD_LOCAL_LOW  0x11u
#define THREAD_LOCAL_HIGH 0x15u

static uint32_t big_word_at(const unsigned char *at) {
    return at[3] | (uint32_t)at[2] << 8 | (uint32_t)at[1] << 16 | (uint32_t)at[0] << 24;
}

static uint64_t big_long_at(const unsigned char *at) {
    return big_word_at(at + 4) | (uint64_t)big_word_at(at) << 32;
}

/* ---- what names mean ---- */

static const struct {
    const char *library;
    const char *name;
} sanitizers[] = {
    {"libclang_rt.asan", "AddressSanitizer"},
    {"libclang_rt.tsan", "ThreadSanitizer"},
    {"libclang_rt.lsan", "LeakSanitizer"},
};

static const char *const allocators[] = {
    "malloc",    "je_malloc", "_rjem_malloc", "jemalloc_malloc", "mi_malloc",
    "tc_malloc", "rpmalloc",  "sn_malloc",    "scalable_malloc", "partition_alloc_malloc",
};

static void judge_library(const char *path, struct ca_macho_slice *slice) {
    const char *name = strrchr(path, '/');
    name = name != NULL ? name + 1 : path;
    for (size_t i = 0; i < sizeof sanitizers / sizeof sanitizers[0]; i++)
        if (strncmp(name, sanitizers[i].library, strlen(sanitizers[i].library)) == 0)
            slice->sanitizer = sanitizers[i].name;
}

/* C names have an underscore in front. */
static void judge_symbol(const char *name, struct ca_macho_slice *slice) {
    if (name[0] != '_')
        return;
    for (size_t i = 0; i < sizeof allocators / sizeof allocators[0]; i++)
        if (strcmp(name + 1, allocators[i]) == 0 && (slice->allocator[0] == '\0' || i == 0))
            snprintf(slice->allocator, sizeof slice->allocator, "%s", allocators[i]);
}

/* ---- load commands ---- */

static void read_symbols(const struct ca_macho_part *part, const unsigned char *command,
                         struct ca_macho_slice *slice) {
    uint64_t symbols = ca_macho_word_at(command + 8), symbol_count = ca_macho_word_at(command + 12);
    uint64_t strings = ca_macho_word_at(command + 16),
             string_bytes = ca_macho_word_at(command + 20);
    if (!ca_macho_has(part, symbols, symbol_count * CA_MACHO_SYMBOL_BYTES) ||
        !ca_macho_has(part, strings, string_bytes))
        return;
    const char *text = (const char *)part->bytes + strings;
    for (uint64_t i = 0; i < symbol_count; i++) {
        const unsigned char *symbol = part->bytes + symbols + i * CA_MACHO_SYMBOL_BYTES;
        uint32_t at = ca_macho_word_at(symbol);
        bool is_debug = (symbol[4] & 0xe0) != 0;      /* N_STAB */
        bool is_defined = (symbol[4] & 0x0e) == 0x0e; /* N_SECT */
        if (!is_debug && is_defined && at < string_bytes &&
            memchr(text + at, '\0', string_bytes - at) != NULL)
            judge_symbol(text + at, slice);
    }
}

static void read_segment(const unsigned char *command, uint32_t command_bytes,
                         struct ca_macho_slice *slice) {
    if (ca_macho_is_name(command + 8, "__RESTRICT"))
        slice->has_restrict = true;
    if (ca_macho_is_name(command + 8, "__TEXT"))
        slice->text_address = ca_macho_long_at(command + 24);
    uint32_t section_count = ca_macho_word_at(command + 64);
    for (uint32_t i = 0; i < section_count; i++) {
        if (command_bytes - CA_MACHO_SEGMENT_BYTES < (uint64_t)(i + 1) * CA_MACHO_SECTION_BYTES)
            return;
        const unsigned char *section =
            command + CA_MACHO_SEGMENT_BYTES + (size_t)i * CA_MACHO_SECTION_BYTES;
        uint32_t type = ca_macho_word_at(section + 64) & SECTION_TYPE_MASK;
        slice->has_thread_locals |= type >= THREAD_LOCAL_LOW && type <= THREAD_LOCAL_HIGH;
        slice->is_go |= ca_macho_is_name(section, "__go_buildinfo");
        if (ca_macho_is_name(section, "__interpose"))
            slice->interpose_pairs = (uint32_t)(ca_macho_long_at(section + 40) / PAIR_BYTES);
    }
}

static void read_command(const struct ca_macho_part *part, const unsigned char *command,
                         uint32_t command_bytes, struct ca_macho_slice *slice) {
    switch (ca_macho_word_at(command)) {
    case CA_MACHO_LC_SEGMENT_64:
        if (command_bytes >= CA_MACHO_SEGMENT_BYTES)
            read_segment(command, command_bytes, slice);
        break;
    case CA_MACHO_LC_UUID:
        slice->has_uuid = command_bytes >= 8 + CA_MACHO_UUID_BYTES;
        if (slice->has_uuid)
            memcpy(slice->uuid, command + 8, CA_MACHO_UUID_BYTES);
        break;
    case LC_LOAD_DYLINKER:
        slice->has_loader = true;
        break;
    case LC_LOAD_DYLIB: {
        uint32_t at = command_bytes >= 12 ? ca_macho_word_at(command + 8) : command_bytes;
        if (at < command_bytes && memchr(command + at, '\0', command_bytes - at) != NULL)
            judge_library((const char *)command + at, slice);
        break;
    }
    case CA_MACHO_LC_SYMTAB:
        if (command_bytes >= 24)
            read_symbols(part, command, slice);
        break;
    case LC_VERSION_MIN:
        if (command_bytes >= 16) {
            slice->platform = 1;
            slice->minimum_system = ca_macho_word_at(command + 8);
        }
        break;
    case LC_BUILD_VERSION:
        if (command_bytes >= 16) {
            slice->platform = ca_macho_word_at(command + 8);
            slice->minimum_system = ca_macho_word_at(command + 12);
        }
        break;
    case LC_CODE_SIGNATURE:
        if (command_bytes >= 16 &&
            ca_macho_has(part, ca_macho_word_at(command + 8), ca_macho_word_at(command + 12)))
            ca_macho_signature_read(part->bytes + ca_macho_word_at(command + 8),
                                    ca_macho_word_at(command + 12), slice);
        break;
    default:
        break;
    }
}

static enum ca_macho_arch arch_of(uint32_t cpu, uint32_t subtype) {
    subtype &= SUBTYPE_MASK;
    if (cpu == CPU_X86_64)
        return subtype == SUBTYPE_X86_64H ? CA_MACHO_X86_64H : CA_MACHO_X86_64;
    if (cpu == CPU_ARM64)
        return subtype == SUBTYPE_ARM64E ? CA_MACHO_ARM64E : CA_MACHO_ARM64;
    return CA_MACHO_OTHER;
}

/* False when it is no slice, or its load commands do not add up. */
static bool read_slice(const struct ca_macho_part *part, struct ca_macho_slice *slice) {
    *slice = (struct ca_macho_slice){.byte_count = part->byte_count};
    struct ca_macho_commands commands;
    if (!ca_macho_commands_begin(&commands, part))
        return false;
    const unsigned char *header = part->bytes;
    slice->arch = arch_of(ca_macho_word_at(header + 4), ca_macho_word_at(header + 8));
    slice->file_type = ca_macho_word_at(header + 12);
    slice->has_thread_locals = (ca_macho_word_at(header + 24) & HAS_TLV) != 0;
    const unsigned char *command;
    uint32_t bytes;
    while ((command = ca_macho_commands_next(&commands, &bytes)) != NULL)
        read_command(part, command, bytes, slice);
    return commands.left_count == 0;
}

uint32_t ca_macho_read(const unsigned char *bytes, size_t byte_count,
                       struct ca_macho_slice ret_slices[CA_MACHO_SLICES]) {
    struct ca_macho_part file = {bytes, byte_count};
    uint32_t magic = ca_macho_has(&file, 0, 8) ? big_word_at(bytes) : 0;
    if (magic != FAT_MAGIC && magic != FAT_MAGIC_64)
        return read_slice(&file, &ret_slices[0]) ? 1 : 0;
    bool is_wide = magic == FAT_MAGIC_64;
    size_t entry_bytes = is_wide ? 32 : 20;
    uint32_t entry_count = big_word_at(bytes + 4), count = 0;
    for (uint32_t i = 0; i < entry_count && i < CA_MACHO_SLICES; i++) {
        if (!ca_macho_has(&file, 8, (i + 1) * entry_bytes))
            break;
        const unsigned char *entry = bytes + 8 + i * entry_bytes;
        uint64_t offset = is_wide ? big_long_at(entry + 8) : big_word_at(entry + 8);
        uint64_t size = is_wide ? big_long_at(entry + 16) : big_word_at(entry + 12);
        if (ca_macho_has(&file, offset, size) &&
            read_slice(&(struct ca_macho_part){bytes + offset, (size_t)size}, &ret_slices[count]))
            ret_slices[count++].offset = (size_t)offset;
    }
    return count;
}

const struct ca_macho_slice *ca_macho_find(const struct ca_macho_slice *slices,
                                           uint32_t slice_count, enum ca_macho_arch arch) {
    for (uint32_t i = 0; i < slice_count; i++)
        if (slices[i].arch == arch)
            return &slices[i];
    return NULL;
}

const struct ca_macho_slice *ca_macho_find_build(const struct ca_macho_slice *slices,
                                                 uint32_t slice_count,
                                                 const uint8_t uuid[CA_MACHO_UUID_BYTES]) {
    for (uint32_t i = 0; i < slice_count; i++)
        if (slices[i].has_uuid && memcmp(slices[i].uuid, uuid, CA_MACHO_UUID_BYTES) == 0)
            return &slices[i];
    return NULL;
}

const char *ca_macho_arch_name(enum ca_macho_arch arch) {
    static const char *const names[] = {[CA_MACHO_OTHER] = "another architecture",
                                        [CA_MACHO_X86_64] = "x86_64",
                                        [CA_MACHO_X86_64H] = "x86_64h",
                                        [CA_MACHO_ARM64] = "arm64",
                                        [CA_MACHO_ARM64E] = "arm64e"};
    return names[arch];
}
