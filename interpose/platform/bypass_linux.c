/* SPDX-License-Identifier: MIT */
#ifndef __linux__
#error "Linux only"
#endif

#include <elf.h>
#include <link.h>

#include "../plain.h"
#include "shim_platform.h"

#if defined(__x86_64__)
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#define GLOB_DAT  R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#define GLOB_DAT  R_AARCH64_GLOB_DAT
#endif

struct bypass {
    uintptr_t malloc_below;
    char *path;
    size_t path_size;
    bool is_found;
    uint64_t seen_count;
    uint64_t loaded_count; /* in all namespaces */
};

/* Where an object's relocations and names are. */
struct bindings {
    uintptr_t base;
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Rela) * relocations[2]; /* of calls, of data */
    size_t relocation_bytes[2];
};

static bool bindings_init(struct bindings *bindings, const struct dl_phdr_info *info) {
    const ElfW(Dyn) *dynamic = NULL;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if (dynamic == NULL)
        return false;
    *bindings = (struct bindings){.base = info->dlpi_addr};
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        uintptr_t address = dynamic->d_un.d_ptr;
        if (address < bindings->base)
            address += bindings->base;
        switch (dynamic->d_tag) {
        case DT_SYMTAB:
            bindings->symbols = (const ElfW(Sym) *)address;
            break;
        case DT_STRTAB:
            bindings->strings = (const char *)address;
            break;
        case DT_JMPREL:
            bindings->relocations[0] = (const ElfW(Rela) *)address;
            break;
        case DT_PLTRELSZ:
            bindings->relocation_bytes[0] = dynamic->d_un.d_val;
            break;
        case DT_RELA:
            bindings->relocations[1] = (const ElfW(Rela) *)address;
            break;
        case DT_RELASZ:
            bindings->relocation_bytes[1] = dynamic->d_un.d_val;
            break;
        default:
            break;
        }
    }
    return bindings->symbols != NULL && bindings->strings != NULL;
}

static bool binds_malloc_to(const struct bindings *bindings, uintptr_t target) {
    for (size_t kind = 0; kind < 2; kind++) {
        const ElfW(Rela) *entry = bindings->relocations[kind];
        size_t count = entry != NULL ? bindings->relocation_bytes[kind] / sizeof *entry : 0;
        for (; count > 0; count--, entry++) {
            uint32_t type = (uint32_t)ELF64_R_TYPE(entry->r_info);
            if (type != JUMP_SLOT && type != GLOB_DAT)
                continue;
            const ElfW(Sym) *symbol = &bindings->symbols[ELF64_R_SYM(entry->r_info)];
            if (ca_plain_is_equal(bindings->strings + symbol->st_name, "malloc") &&
                *(const uintptr_t *)(bindings->base + entry->r_offset) == target)
                return true;
        }
    }
    return false;
}

static int visit(struct dl_phdr_info *info, size_t info_bytes, void *argument) {
    struct bypass *bypass = argument;
    struct bindings bindings;
    bypass->seen_count++;
    if (info_bytes >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
        bypass->loaded_count = info->dlpi_adds - info->dlpi_subs;
    /* libc's own calls of malloc are bound like everybody's; the shim has none. */
    if (!bypass->is_found && bindings_init(&bindings, info) &&
        binds_malloc_to(&bindings, bypass->malloc_below)) {
        ca_plain_copy(bypass->path, info->dlpi_name, bypass->path_size);
        bypass->is_found = true;
    }
    return 0;
}

bool ca_platform_find_bypass(const void *malloc_below, char *ret_path, size_t path_size,
                             bool *ret_is_namespace) {
    struct bypass bypass = {
        .malloc_below = (uintptr_t)malloc_below, .path = ret_path, .path_size = path_size};
    dl_iterate_phdr(visit, &bypass);
    *ret_is_namespace = bypass.loaded_count > bypass.seen_count;
    return bypass.is_found;
}
