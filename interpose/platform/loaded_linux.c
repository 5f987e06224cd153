/* SPDX-License-Identifier: MIT
 *
 * glibc's _dl_find_object (2.35 and later) answers from a table that takes no lock. Elsewhere the
 * kernel is asked, through /proc/self/maps. */
#ifndef __linux__
#error "Linux only"
#endif

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>

#include "../plain.h"
#include "../shim_state.h"
#include "sys_linux.h"

/* glibc's struct dl_find_object (dlfcn.h), which older headers lack. */
struct found_object {
    unsigned long long flags;
    void *begin;
    void *end;
    struct link_map *map;
    void *eh_frame;
    unsigned long long reserved[7];
};

/* ---- /proc/self/maps ---- */

struct mapping {
    uintptr_t begin;
    uintptr_t end;
    char path[448];
};

struct maps_reader {
    int fd;
    size_t at;
    size_t filled;
    char bytes[2048];
};

static int next_byte(struct maps_reader *reader) {
    if (reader->at == reader->filled) {
        long got;
        do
            got = ca_sys3(SYS_read, reader->fd, (long)reader->bytes, sizeof reader->bytes);
        while (got == -EINTR);
        if (got <= 0)
            return -1;
        reader->filled = (size_t)got;
        reader->at = 0;
    }
    return (unsigned char)reader->bytes[reader->at++];
}

/* Hexadecimal digits and the byte after them. */
static uintptr_t next_address(struct maps_reader *reader) {
    uintptr_t address = 0;
    for (int c; (c = next_byte(reader)) != -1;) {
        if (c >= '0' && c <= '9')
            address = address << 4 | (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            address = address << 4 | (uintptr_t)(c - 'a' + 10);
        else
            break;
    }
    return address;
}

/* A line is "begin-end perms offset dev inode   path" (proc(5)). */
static bool next_mapping(struct maps_reader *reader, struct mapping *ret_mapping) {
    ret_mapping->begin = next_address(reader);
    ret_mapping->end = next_address(reader);
    if (ret_mapping->end == 0)
        return false;
    size_t length = 0;
    for (int c; (c = next_byte(reader)) != '\n' && c != -1;)
        if ((length > 0 || c == '/') && length + 1 < sizeof ret_mapping->path)
            ret_mapping->path[length++] = (char)c;
    ret_mapping->path[length] = '\0';
    return true;
}

/* An object's mappings follow each other, with the same path; its bss may follow without. */
static bool find_in_maps(uintptr_t address, struct ca_loaded *ret_loaded) {
    struct maps_reader reader = {0};
    long fd = ca_sys6(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (fd < 0)
        return false;
    reader.fd = (int)fd;
    struct mapping mapping;
    ret_loaded->path[0] = '\0';
    bool is_found = false;
    while (next_mapping(&reader, &mapping)) {
        if (mapping.path[0] == '\0' || !ca_plain_is_equal(mapping.path, ret_loaded->path)) {
            if (is_found)
                break;
            ca_plain_copy(ret_loaded->path, mapping.path, sizeof ret_loaded->path);
            ret_loaded->begin = mapping.begin;
        }
        ret_loaded->end = mapping.end;
        is_found |= mapping.path[0] != '\0' && address >= mapping.begin && address < mapping.end;
    }
    ca_platform_close((int)fd);
    return is_found;
}

/* ---- the object's own header ---- */

static const ElfW(Ehdr) * header_of(const struct ca_loaded *loaded) {
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)loaded->begin;
    if (loaded->end - loaded->begin < sizeof *header || header->e_ident[0] != ELFMAG0 ||
        header->e_ident[1] != ELFMAG1 || header->e_ident[2] != ELFMAG2 ||
        header->e_ident[3] != ELFMAG3 || header->e_phentsize != sizeof(ElfW(Phdr)) ||
        header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > 4096)
        return NULL;
    return header;
}

static const ElfW(Phdr) * segments_of(const ElfW(Ehdr) * header) {
    return (const ElfW(Phdr) *)((uintptr_t)header + header->e_phoff);
}

/* The object begins with its first loaded segment. */
static uintptr_t base_of(const struct ca_loaded *loaded) {
    const ElfW(Ehdr) *header = header_of(loaded);
    for (unsigned i = 0; header != NULL && i < header->e_phnum; i++)
        if (segments_of(header)[i].p_type == PT_LOAD)
            return loaded->begin - (segments_of(header)[i].p_vaddr & ~(uintptr_t)4095);
    return loaded->begin;
}

bool ca_platform_find_loaded(uintptr_t address, struct ca_loaded *ret_loaded) {
    if (ca_next.find_object == NULL) {
        bool is_found = find_in_maps(address, ret_loaded);
        if (is_found)
            ret_loaded->base = base_of(ret_loaded);
        return is_found;
    }
    struct found_object found;
    if (ca_next.find_object((void *)address, &found) != 0)
        return false;
    ret_loaded->begin = (uintptr_t)found.begin;
    ret_loaded->end = (uintptr_t)found.end;
    ret_loaded->base = found.map->l_addr;
    ca_plain_copy(ret_loaded->path, found.map->l_name != NULL ? found.map->l_name : "",
                  sizeof ret_loaded->path);
    return true;
}

/* ---- build ids: a note of type NT_GNU_BUILD_ID, owner "GNU" ---- */

static size_t aligned(size_t bytes) {
    return (bytes + 3) & ~(size_t)3;
}

static uint32_t find_note(uintptr_t at, uintptr_t end, uint8_t *ret_id, uint32_t size) {
    while (end - at > sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
        uintptr_t owner = at + sizeof *note;
        if (note->n_namesz > end - owner)
            return 0;
        uintptr_t content = owner + aligned(note->n_namesz);
        if (content > end || note->n_descsz > end - content)
            return 0;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
            ca_plain_is_equal((const char *)owner, "GNU")) {
            uint32_t bytes = note->n_descsz < size ? note->n_descsz : size;
            for (uint32_t i = 0; i < bytes; i++)
                ret_id[i] = ((const uint8_t *)content)[i];
            return bytes;
        }
        at = content + aligned(note->n_descsz);
        if (at >= end)
            return 0;
    }
    return 0;
}

uint32_t ca_platform_build_id(const struct ca_loaded *loaded, uint8_t *ret_id, uint32_t size) {
    const ElfW(Ehdr) *header = header_of(loaded);
    uint32_t bytes = 0;
    for (unsigned i = 0; header != NULL && i < header->e_phnum && bytes == 0; i++) {
        const ElfW(Phdr) *segment = &segments_of(header)[i];
        uintptr_t begin = loaded->base + segment->p_vaddr;
        if (segment->p_type == PT_NOTE && begin >= loaded->begin && begin < loaded->end &&
            segment->p_memsz <= loaded->end - begin)
            bytes = find_note(begin, begin + segment->p_memsz, ret_id, size);
    }
    return bytes;
}
