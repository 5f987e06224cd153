/* SPDX-License-Identifier: MIT */
#ifndef __linux__
#error "Linux only"
#endif

#include "objects_linux.h"

#include <elf.h>

#include "../plain.h"

#if defined(__x86_64__)
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#define GLOB_DAT  R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#define GLOB_DAT  R_AARCH64_GLOB_DAT
#endif

bool ca_object_init(struct ca_object *object, const struct dl_phdr_info *info) {
    const ElfW(Dyn) *dynamic = NULL;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if (dynamic == NULL)
        return false;
    *object =
        (struct ca_object){.path = info->dlpi_name, .base = info->dlpi_addr, .dynamic = dynamic};
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        /* glibc has relocated these pointers in place; musl, and everybody for the vDSO, has not.
         */
        uintptr_t address = dynamic->d_un.d_ptr;
        if (address < object->base)
            address += object->base;
        switch (dynamic->d_tag) {
        case DT_SYMTAB:
            object->symbols = (const ElfW(Sym) *)address;
            break;
        case DT_STRTAB:
            object->strings = (const char *)address;
            break;
        case DT_GNU_HASH:
            object->gnu_hash = (const uint32_t *)address;
            break;
        case DT_HASH:
            object->sysv_hash = (const uint32_t *)address;
            break;
        case DT_VERSYM:
            object->versions = (const ElfW(Half) *)address;
            break;
        case DT_JMPREL:
            object->relocations[0] = (const ElfW(Rela) *)address;
            break;
        case DT_PLTRELSZ:
            object->relocation_bytes[0] = dynamic->d_un.d_val;
            break;
        case DT_RELA:
            object->relocations[1] = (const ElfW(Rela) *)address;
            break;
        case DT_RELASZ:
            object->relocation_bytes[1] = dynamic->d_un.d_val;
            break;
        default:
            break;
        }
    }
    return object->symbols != NULL && object->strings != NULL;
}

static bool is_definition(const struct ca_object *object, uint32_t index, const char *name) {
    const ElfW(Sym) *symbol = &object->symbols[index];
    unsigned char type = symbol->st_info & 0xf;
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
           (type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC) &&
           ca_plain_is_equal(object->strings + symbol->st_name, name);
}

/* A default version hides nothing; an old one (cfree) is taken when there is no other. */
static bool is_default_version(const struct ca_object *object, uint32_t index) {
    return object->versions == NULL || (object->versions[index] & 0x8000) == 0;
}

/* Tables: https://refspecs.linuxfoundation.org/elf/gabi4+/ch5.dynamic.html#hash and, for
 * DT_GNU_HASH, https://sourceware.org/legacy-ml/binutils/2006-10/msg00377.html. Index 0 is "none".
 */
static uint32_t find_index(const struct ca_object *object, const char *name) {
    uint32_t old_version = 0;
    if (object->gnu_hash != NULL) {
        uint32_t hash = 5381;
        for (const char *c = name; *c != '\0'; c++)
            hash = hash * 33 + (unsigned char)*c;
        uint32_t bucket_count = object->gnu_hash[0];
        uint32_t first = object->gnu_hash[1];
        uint32_t bloom_count = object->gnu_hash[2];
        const ElfW(Addr) *bloom = (const ElfW(Addr) *)(object->gnu_hash + 4);
        const uint32_t *buckets = (const uint32_t *)(bloom + bloom_count);
        const uint32_t *chain = buckets + bucket_count;
        if (bucket_count == 0)
            return 0;
        uint32_t index = buckets[hash % bucket_count];
        if (index < first)
            return 0;
        for (;; index++) {
            uint32_t entry = chain[index - first];
            if ((entry | 1) == (hash | 1) && is_definition(object, index, name)) {
                if (is_default_version(object, index))
                    return index;
                old_version = index;
            }
            if (entry & 1)
                return old_version;
        }
    }
    if (object->sysv_hash != NULL)
        for (uint32_t index = 1; index < object->sysv_hash[1]; index++)
            if (is_definition(object, index, name)) {
                if (is_default_version(object, index))
                    return index;
                old_version = index;
            }
    return old_version;
}

void *ca_object_find(const struct ca_object *object, const char *name) {
    uint32_t index = find_index(object, name);
    if (index == 0)
        return NULL;
    uintptr_t address = object->base + object->symbols[index].st_value;
    if ((object->symbols[index].st_info & 0xf) == STT_GNU_IFUNC)
        address = ((uintptr_t(*)(void))address)();
    return (void *)address;
}

bool ca_object_refers(const struct ca_object *object,
                      bool (*is_wanted)(const char *name, uintptr_t bound, const void *argument),
                      const void *argument) {
    for (size_t kind = 0; kind < 2; kind++) {
        const ElfW(Rela) *entry = object->relocations[kind];
        size_t count = entry != NULL ? object->relocation_bytes[kind] / sizeof *entry : 0;
        for (; count > 0; count--, entry++) {
            uint32_t type = (uint32_t)ELF64_R_TYPE(entry->r_info);
            if (type != JUMP_SLOT && type != GLOB_DAT)
                continue;
            const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(entry->r_info)];
            if (is_wanted(object->strings + symbol->st_name,
                          *(const uintptr_t *)(object->base + entry->r_offset), argument))
                return true;
        }
    }
    return false;
}

bool ca_object_contains(const struct dl_phdr_info *info, uintptr_t address) {
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD &&
            address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
            return true;
    }
    return false;
}
