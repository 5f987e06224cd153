/* SPDX-License-Identifier: MIT */
#include "darwin_image.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FAT_MAGIC          0xcafebabeu /* big-endian, all of it */
#define MAGIC_64           0xfeedfacfu
#define CPU_X86_64         0x01000007u
#define HAS_TLV            0x00800000u
#define HEADER_BYTES       32u
#define SEGMENT_BYTES      72u
#define SECTION_BYTES      80u
#define LC_SEGMENT_64      0x19u
#define LC_DYLD_INFO_ONLY  0x80000022u
#define LC_MAIN            0x80000028u
#define LC_CHAINED_FIXUPS  0x80000034u
#define SEGMENT_READ_ONLY  0x10u /* once everything is bound */
#define OPCODE_MASK        0xf0u
#define TYPE_POINTER       1u
#define SYMBOL_WEAK_IMPORT 1u
#define EXPORT_KIND_MASK   0x3fu /* 0: an offset from the header follows */
#define PAGE               4096u

void ca_darwin_die(const char *what, const char *name) {
    fprintf(stderr, "darwin_run: %s%s\n", what, name);
    _exit(CA_DARWIN_FAILED);
}

static uint32_t word_at(const unsigned char *at) {
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static uint64_t long_at(const unsigned char *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t take_uleb(const unsigned char **at) {
    uint64_t value = 0;
    unsigned shift = 0;
    do {
        value |= (uint64_t)(**at & 0x7f) << shift;
        shift += 7;
    } while ((*(*at)++ & 0x80) != 0);
    return value;
}

/* ---- load commands ---- */

static const unsigned char *next_command(const unsigned char *header,
                                         const unsigned char *command) {
    const unsigned char *next =
        command == NULL ? header + HEADER_BYTES : command + word_at(command + 4);
    return next < header + HEADER_BYTES + word_at(header + 20) ? next : NULL;
}

static off_t find_slice(int fd) {
    unsigned char bytes[PAGE] = {0};
    if (pread(fd, bytes, sizeof bytes, 0) <= 0)
        return -1;
    if (word_at(bytes) == MAGIC_64)
        return word_at(bytes + 4) == CPU_X86_64 ? 0 : -1;
    if (__builtin_bswap32(word_at(bytes)) != FAT_MAGIC)
        return -1;
    for (uint32_t i = 0; i < __builtin_bswap32(word_at(bytes + 4)) && i < 8; i++)
        if (__builtin_bswap32(word_at(bytes + 8 + 20 * i)) == CPU_X86_64)
            return __builtin_bswap32(word_at(bytes + 8 + 20 * i + 8));
    return -1;
}

/* Its file part, then zeroes. */
static void map_segment(struct ca_darwin_image *image, const unsigned char *command, int fd,
                        off_t slice) {
    struct ca_darwin_segment *segment = &image->segments[image->segment_count++];
    memcpy(segment->name, command + 8, 16);
    segment->begin = (unsigned char *)(uintptr_t)(long_at(command + 24) + (uint64_t)image->slide);
    segment->byte_count = long_at(command + 32);
    uint32_t wanted = word_at(command + 60); /* the bits are those of mmap */
    segment->protection = (int)wanted;
    if ((word_at(command + 68) & SEGMENT_READ_ONLY) != 0)
        segment->protection &= ~PROT_WRITE;
    uint64_t file_bytes = long_at(command + 48);
    if (file_bytes == 0)
        return;
    if (mmap(segment->begin, file_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd,
             slice + (off_t)long_at(command + 40)) == MAP_FAILED)
        ca_darwin_die("cannot map a segment of ", image->path);
    if (file_bytes % PAGE != 0)
        memset(segment->begin + file_bytes, 0, PAGE - file_bytes % PAGE);
}

static struct ca_darwin_part part_at(const unsigned char *linkedit, uint64_t linkedit_offset,
                                     const unsigned char *offset_and_bytes) {
    return (struct ca_darwin_part){linkedit + (word_at(offset_and_bytes) - linkedit_offset),
                                   word_at(offset_and_bytes + 4)};
}

static void read_commands(struct ca_darwin_image *image) {
    const unsigned char *linkedit = NULL;
    uint64_t linkedit_offset = 0;
    for (const unsigned char *at = NULL; (at = next_command(image->header, at)) != NULL;) {
        switch (word_at(at)) {
        case LC_SEGMENT_64:
            if (strncmp((const char *)at + 8, "__LINKEDIT", 16) == 0) {
                linkedit = (unsigned char *)(uintptr_t)(long_at(at + 24) + (uint64_t)image->slide);
                linkedit_offset = long_at(at + 40);
            }
            break;
        case LC_DYLD_INFO_ONLY:
            image->rebases = part_at(linkedit, linkedit_offset, at + 8);
            image->binds = part_at(linkedit, linkedit_offset, at + 16);
            if (word_at(at + 28) != 0)
                ca_darwin_die("weak definitions in ", image->path);
            image->lazy_binds = part_at(linkedit, linkedit_offset, at + 32);
            image->exports = part_at(linkedit, linkedit_offset, at + 40);
            break;
        case LC_CHAINED_FIXUPS:
            ca_darwin_die("chained fixups in ", image->path);
        case LC_MAIN:
            image->entry_offset = long_at(at + 8);
            break;
        }
    }
    if ((word_at(image->header + 24) & HAS_TLV) != 0)
        ca_darwin_die("thread-local variables in ", image->path);
}

/* ---- moving ---- */

static unsigned char *segment_at(const struct ca_darwin_image *image, unsigned index) {
    if (index >= image->segment_count)
        ca_darwin_die("an opcode names no segment of ", image->path);
    return image->segments[index].begin;
}

static unsigned char *move_some(const struct ca_darwin_image *image, unsigned char *at,
                                uint64_t count, uint64_t skip) {
    for (uint64_t i = 0; i < count; i++, at += sizeof(uint64_t) + skip) {
        uint64_t value = long_at(at) + (uint64_t)image->slide;
        memcpy(at, &value, sizeof value);
    }
    return at;
}

static void rebase(const struct ca_darwin_image *image) {
    const unsigned char *at = image->rebases.bytes;
    const unsigned char *end = at + image->rebases.byte_count;
    unsigned char *target = NULL;
    while (at < end) {
        unsigned opcode = *at & OPCODE_MASK, operand = *at & ~OPCODE_MASK;
        at++;
        uint64_t count;
        switch (opcode) {
        case 0x00: /* DONE */
            return;
        case 0x10: /* SET_TYPE_IMM */
            if (operand != TYPE_POINTER)
                ca_darwin_die("a rebase that is no pointer in ", image->path);
            break;
        case 0x20: /* SET_SEGMENT_AND_OFFSET_ULEB */
            target = segment_at(image, operand) + take_uleb(&at);
            break;
        case 0x30: /* ADD_ADDR_ULEB */
            target += take_uleb(&at);
            break;
        case 0x40: /* ADD_ADDR_IMM_SCALED */
            target += operand * sizeof(uint64_t);
            break;
        case 0x50: /* DO_REBASE_IMM_TIMES */
            target = move_some(image, target, operand, 0);
            break;
        case 0x60: /* DO_REBASE_ULEB_TIMES */
            target = move_some(image, target, take_uleb(&at), 0);
            break;
        case 0x70: /* DO_REBASE_ADD_ADDR_ULEB */
            target = move_some(image, target, 1, take_uleb(&at));
            break;
        case 0x80: /* DO_REBASE_ULEB_TIMES_SKIPPING_ULEB */
            count = take_uleb(&at);
            target = move_some(image, target, count, take_uleb(&at));
            break;
        default:
            ca_darwin_die("an unknown opcode of rebasing in ", image->path);
        }
    }
}

bool ca_darwin_image_load(const char *path, struct ca_darwin_image *ret_image,
                          const char **ret_why) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *ret_why = "no such file";
    if (fd < 0)
        return false;
    off_t slice = find_slice(fd);
    unsigned char *file =
        slice < 0 ? MAP_FAILED : mmap(NULL, 16 * PAGE, PROT_READ, MAP_PRIVATE, fd, slice);
    *ret_why = "no slice for x86_64";
    if (file == MAP_FAILED) {
        close(fd);
        return false;
    }
    uint64_t low = UINT64_MAX, high = 0;
    for (const unsigned char *at = NULL; (at = next_command(file, at)) != NULL;) {
        if (word_at(at) != LC_SEGMENT_64 || strcmp((const char *)at + 8, "__PAGEZERO") == 0)
            continue;
        low = long_at(at + 24) < low ? long_at(at + 24) : low;
        high = long_at(at + 24) + long_at(at + 32);
    }
    *ret_image = (struct ca_darwin_image){.path = path};
    ret_image->header =
        mmap(NULL, high - low, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ret_image->header == MAP_FAILED)
        ca_darwin_die("no memory for ", path);
    ret_image->slide = (intptr_t)((uintptr_t)ret_image->header - low);
    for (const unsigned char *at = NULL; (at = next_command(file, at)) != NULL;) {
        if (word_at(at) != LC_SEGMENT_64)
            continue;
        if (ret_image->segment_count == CA_DARWIN_SEGMENTS)
            ca_darwin_die("too many segments in ", path);
        if (strcmp((const char *)at + 8, "__PAGEZERO") == 0) /* opcodes count it, too */
            ret_image->segment_count++;
        else
            map_segment(ret_image, at, fd, slice);
    }
    munmap(file, 16 * PAGE);
    close(fd);
    read_commands(ret_image);
    rebase(ret_image);
    return true;
}

/* ---- binding ---- */

struct binding {
    const char *name;
    unsigned char *target;
    bool is_weak;
};

static void bind_one(const struct ca_darwin_image *image, ca_darwin_resolver *resolve,
                     struct binding *binding) {
    /* Names of C have an underscore in front; dyld_stub_binder is none. */
    const char *name = binding->name[0] == '_' ? binding->name + 1 : binding->name;
    void *address = resolve(image, name, binding->is_weak);
    memcpy(binding->target, &address, sizeof address);
    binding->target += sizeof address;
}

static void bind_part(const struct ca_darwin_image *image, const struct ca_darwin_part *part,
                      bool is_lazy, ca_darwin_resolver *resolve) {
    const unsigned char *at = part->bytes;
    const unsigned char *end = at + part->byte_count;
    struct binding binding = {0};
    while (at < end) {
        unsigned opcode = *at & OPCODE_MASK, operand = *at & ~OPCODE_MASK;
        at++;
        uint64_t count, skip;
        switch (opcode) {
        case 0x00: /* DONE: of one name, where each is bound at its first call */
            if (!is_lazy)
                return;
            break;
        case 0x10: /* SET_DYLIB_ORDINAL_IMM: they all load libSystem alone */
            if (operand != 1)
                ca_darwin_die("a library other than libSystem in ", image->path);
            break;
        case 0x40: /* SET_SYMBOL_TRAILING_FLAGS_IMM */
            binding.is_weak = (operand & SYMBOL_WEAK_IMPORT) != 0;
            binding.name = (const char *)at;
            at += strlen(binding.name) + 1;
            break;
        case 0x50: /* SET_TYPE_IMM */
            if (operand != TYPE_POINTER)
                ca_darwin_die("a bind that is no pointer in ", image->path);
            break;
        case 0x70: /* SET_SEGMENT_AND_OFFSET_ULEB */
            binding.target = segment_at(image, operand) + take_uleb(&at);
            break;
        case 0x80: /* ADD_ADDR_ULEB */
            binding.target += take_uleb(&at);
            break;
        case 0x90: /* DO_BIND */
            bind_one(image, resolve, &binding);
            break;
        case 0xa0: /* DO_BIND_ADD_ADDR_ULEB */
            bind_one(image, resolve, &binding);
            binding.target += take_uleb(&at);
            break;
        case 0xb0: /* DO_BIND_ADD_ADDR_IMM_SCALED */
            bind_one(image, resolve, &binding);
            binding.target += operand * sizeof(uint64_t);
            break;
        case 0xc0: /* DO_BIND_ULEB_TIMES_SKIPPING_ULEB */
            count = take_uleb(&at);
            skip = take_uleb(&at);
            for (; count > 0; count--, binding.target += skip)
                bind_one(image, resolve, &binding);
            break;
        default: /* an addend, another library */
            ca_darwin_die("an unknown opcode of binding in ", image->path);
        }
    }
}

void ca_darwin_image_bind(const struct ca_darwin_image *image, ca_darwin_resolver *resolve) {
    bind_part(image, &image->binds, false, resolve);
    bind_part(image, &image->lazy_binds, true, resolve);
}

/* ---- what is in it ---- */

void ca_darwin_image_protect(const struct ca_darwin_image *image) {
    for (uint32_t i = 0; i < image->segment_count; i++)
        if (image->segments[i].begin != NULL)
            mprotect(image->segments[i].begin, image->segments[i].byte_count,
                     image->segments[i].protection);
}

void *ca_darwin_image_section(const struct ca_darwin_image *image, const char *segment,
                              const char *section, size_t *ret_bytes) {
    *ret_bytes = 0;
    for (const unsigned char *at = NULL; (at = next_command(image->header, at)) != NULL;)
        for (uint32_t i = 0; word_at(at) == LC_SEGMENT_64 && i < word_at(at + 64); i++) {
            const unsigned char *entry = at + SEGMENT_BYTES + (size_t)i * SECTION_BYTES;
            if (strncmp((const char *)entry, section, 16) != 0 ||
                strncmp((const char *)entry + 16, segment, 16) != 0)
                continue;
            *ret_bytes = long_at(entry + 40);
            return (void *)(uintptr_t)(long_at(entry + 32) + (uint64_t)image->slide);
        }
    return NULL;
}

void *ca_darwin_image_find(const struct ca_darwin_image *image, const char *name) {
    char wanted[128];
    snprintf(wanted, sizeof wanted, "_%s", name);
    const unsigned char *begin = image->exports.bytes, *at = begin;
    const char *rest = wanted;
    while (image->exports.byte_count != 0) {
        uint64_t terminal_bytes = take_uleb(&at);
        if (*rest == '\0')
            return terminal_bytes != 0 && (take_uleb(&at) & EXPORT_KIND_MASK) == 0
                       ? image->header + take_uleb(&at)
                       : NULL;
        at += terminal_bytes;
        const unsigned char *child = NULL;
        for (unsigned count = *at++; count > 0; count--) {
            size_t length = strlen((const char *)at);
            bool is_on_the_way = child == NULL && strncmp(rest, (const char *)at, length) == 0;
            at += length + 1;
            uint64_t offset = take_uleb(&at);
            if (is_on_the_way) {
                child = begin + offset;
                rest += length;
            }
        }
        if (child == NULL)
            return NULL;
        at = child;
    }
    return NULL;
}

bool ca_darwin_image_has(const struct ca_darwin_image *image, const void *address) {
    for (uint32_t i = 0; i < image->segment_count; i++)
        if ((uintptr_t)address - (uintptr_t)image->segments[i].begin <
            image->segments[i].byte_count)
            return true;
    return false;
}
