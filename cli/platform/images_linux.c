/* SPDX-License-Identifier: MIT
 *
 * ELF, as far as it says whether a program can be counted. Format: System V gABI, chapters 4 and 5;
 * elf(5). Every offset comes from a file that may hold anything, so each is checked where it is
 * used. */
#ifndef __linux__
#error "Linux only"
#endif

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "platform/cli_platform.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_DATA ELFDATA2LSB
#else
#define OWN_DATA ELFDATA2MSB
#endif

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#elif defined(__riscv)
#define OWN_MACHINE EM_RISCV
#else
#define OWN_MACHINE EM_NONE
#endif

struct elf {
    const unsigned char *bytes;
    size_t byte_count;
    Elf64_Ehdr header;
};

struct strings {
    uint64_t offset;
    uint64_t bytes;
};

static bool copy_out(const struct elf *elf, uint64_t offset, void *to, size_t bytes) {
    if (offset > elf->byte_count || bytes > elf->byte_count - offset)
        return false;
    memcpy(to, elf->bytes + offset, bytes);
    return true;
}

/* The NUL-terminated string at `at` of a string table, or "". */
static const char *string_at(const struct elf *elf, struct strings strings, uint64_t at) {
    if (strings.offset > elf->byte_count || strings.bytes > elf->byte_count - strings.offset ||
        at >= strings.bytes)
        return "";
    const char *text = (const char *)elf->bytes + strings.offset + at;
    return memchr(text, '\0', strings.bytes - at) != NULL ? text : "";
}

static bool read_segment(const struct elf *elf, uint16_t index, Elf64_Phdr *ret_segment) {
    return elf->header.e_phentsize == sizeof *ret_segment &&
           elf->header.e_phoff <= elf->byte_count &&
           copy_out(elf, elf->header.e_phoff + (uint64_t)index * sizeof *ret_segment, ret_segment,
                    sizeof *ret_segment);
}

static bool read_section(const struct elf *elf, uint32_t index, Elf64_Shdr *ret_section) {
    return elf->header.e_shentsize == sizeof *ret_section && elf->header.e_shoff != 0 &&
           elf->header.e_shoff <= elf->byte_count &&
           copy_out(elf, elf->header.e_shoff + (uint64_t)index * sizeof *ret_section, ret_section,
                    sizeof *ret_section);
}

/* ---- what names mean ---- */

static const struct {
    const char *symbol;  /* called by every program built with it */
    const char *library; /* begins the name of its shared runtime */
    const char *name;
} sanitizers[] = {
    {"__asan_init", "libasan.so", "AddressSanitizer"},
    {"__asan_init", "libclang_rt.asan", "AddressSanitizer"},
    {"__hwasan_init", "libhwasan.so", "HWAddressSanitizer"},
    {"__hwasan_init", "libclang_rt.hwasan", "HWAddressSanitizer"},
    {"__lsan_init", "liblsan.so", "LeakSanitizer"},
    {"__msan_init", "libclang_rt.msan", "MemorySanitizer"},
    {"__tsan_init", "libtsan.so", "ThreadSanitizer"},
    {"__tsan_init", "libclang_rt.tsan", "ThreadSanitizer"},
};

static const char *const allocators[] = {
    "malloc",
    "je_malloc",
    "_rjem_malloc",
    "jemalloc_malloc",
    "mi_malloc",
    "_mi_malloc",
    "tc_malloc",
    "rpmalloc",
    "sn_malloc",
    "scalable_malloc",
    "hoard_malloc",
    "nedmalloc",
    "dlmalloc",
    "rust_mi_malloc",
    "_rallocx_malloc",
    "xxmalloc",
    "partition_alloc_malloc",
};

static void judge_library(const char *library, struct ca_image_facts *facts) {
    for (size_t i = 0; i < sizeof sanitizers / sizeof sanitizers[0]; i++)
        if (strncmp(library, sanitizers[i].library, strlen(sanitizers[i].library)) == 0)
            facts->sanitizer = sanitizers[i].name;
    if (strncmp(library, "libc.so.", 8) == 0)
        facts->libc = "glibc";
    if (strncmp(library, "libc.musl-", 10) == 0 || strcmp(library, "libc.so") == 0)
        facts->libc = "musl";
}

static void judge_symbol(const char *name, const Elf64_Sym *symbol, bool is_dynamic,
                         struct ca_image_facts *facts) {
    bool is_defined = symbol->st_shndx != SHN_UNDEF;
    bool is_weak = ELF64_ST_BIND(symbol->st_info) == STB_WEAK;
    /* A weak reference only asks whether a sanitizer is there. */
    if (name[0] == '_' && name[1] == '_' && (is_defined || !is_weak))
        for (size_t i = 0; i < sizeof sanitizers / sizeof sanitizers[0]; i++)
            if (strcmp(name, sanitizers[i].symbol) == 0)
                facts->sanitizer = sanitizers[i].name;
    facts->is_shim |= is_defined && is_dynamic && strcmp(name, "countalloc_phase_api") == 0;
    if (!is_defined || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
        return;
    for (size_t i = 0; i < sizeof allocators / sizeof allocators[0]; i++)
        if (strcmp(name, allocators[i]) == 0) {
            if (facts->allocator[0] == '\0' || i == 0)
                snprintf(facts->allocator, sizeof facts->allocator, "%s", name);
            facts->is_malloc_exported |= i == 0 && is_dynamic;
        }
}

/* ---- tables ---- */

static void read_symbols(const struct elf *elf, uint64_t offset, uint64_t bytes,
                         struct strings strings, bool is_dynamic, struct ca_image_facts *facts) {
    Elf64_Sym symbol;
    for (uint64_t at = 0; bytes - at >= sizeof symbol; at += sizeof symbol) {
        if (offset > elf->byte_count || !copy_out(elf, offset + at, &symbol, sizeof symbol))
            return;
        judge_symbol(string_at(elf, strings, symbol.st_name), &symbol, is_dynamic, facts);
    }
}

/* Section numbers above 65,279 are kept in section 0. */
static uint32_t section_count(const struct elf *elf) {
    Elf64_Shdr first;
    if (elf->header.e_shnum != 0)
        return elf->header.e_shnum;
    return read_section(elf, 0, &first) && first.sh_size <= elf->byte_count / sizeof first
               ? (uint32_t)first.sh_size
               : 0;
}

/* True when there are any. */
static bool read_sections(const struct elf *elf, struct ca_image_facts *facts) {
    Elf64_Shdr section, names = {0}, text;
    if (elf->header.e_shstrndx != SHN_XINDEX)
        read_section(elf, elf->header.e_shstrndx, &names);
    uint32_t count = section_count(elf);
    for (uint32_t i = 0; i < count && read_section(elf, i, &section); i++) {
        const char *name =
            string_at(elf, (struct strings){names.sh_offset, names.sh_size}, section.sh_name);
        if (strcmp(name, ".note.go.buildid") == 0 || strcmp(name, ".go.buildinfo") == 0)
            facts->is_go = true;
        if ((section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) &&
            read_section(elf, section.sh_link, &text)) {
            read_symbols(elf, section.sh_offset, section.sh_size,
                         (struct strings){text.sh_offset, text.sh_size},
                         section.sh_type == SHT_DYNSYM, facts);
        }
    }
    return count > 0;
}

/* Where a virtual address lies in the file; UINT64_MAX for nowhere. */
static uint64_t offset_of(const struct elf *elf, uint64_t address) {
    Elf64_Phdr segment;
    for (uint16_t i = 0; i < elf->header.e_phnum && read_segment(elf, i, &segment); i++)
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
            address - segment.p_vaddr < segment.p_filesz)
            return address - segment.p_vaddr + segment.p_offset;
    return UINT64_MAX;
}

static void read_dynamic(const struct elf *elf, const Elf64_Phdr *segment, bool wants_symbols,
                         bool *ret_is_loader, struct ca_image_facts *facts) {
    uint64_t symbols = 0, text = 0, text_bytes = 0;
    Elf64_Dyn entry;
    uint64_t count = segment->p_filesz / sizeof entry;
    if (segment->p_offset > elf->byte_count)
        return;
    uint64_t last = 0;
    for (; last < count &&
           copy_out(elf, segment->p_offset + last * sizeof entry, &entry, sizeof entry) &&
           entry.d_tag != DT_NULL;
         last++) {
        symbols = entry.d_tag == DT_SYMTAB ? entry.d_un.d_ptr : symbols;
        text = entry.d_tag == DT_STRTAB ? entry.d_un.d_ptr : text;
        text_bytes = entry.d_tag == DT_STRSZ ? entry.d_un.d_val : text_bytes;
    }
    struct strings strings = {offset_of(elf, text), text_bytes};
    for (uint64_t i = 0; i < last; i++) {
        copy_out(elf, segment->p_offset + i * sizeof entry, &entry, sizeof entry);
        if (entry.d_tag == DT_NEEDED)
            judge_library(string_at(elf, strings, entry.d_un.d_val), facts);
        if (entry.d_tag == DT_SONAME) {
            const char *soname = string_at(elf, strings, entry.d_un.d_val);
            *ret_is_loader |= strncmp(soname, "ld-", 3) == 0;
            if (strncmp(soname, "lib", 3) == 0)
                judge_library(soname, facts);
        }
    }
    /* Without section headers nothing says how many symbols there are, but linkers put the strings
     * right behind them. */
    if (wants_symbols && text > symbols)
        read_symbols(elf, offset_of(elf, symbols), text - symbols, strings, true, facts);
}

static void name_foreign(const Elf64_Ehdr *header, struct ca_image_facts *facts) {
    static const struct {
        uint16_t machine;
        const char *name;
    } machines[] = {{EM_386, "32-bit x86"},  {EM_X86_64, "x86_64"}, {EM_ARM, "32-bit arm"},
                    {EM_AARCH64, "aarch64"}, {EM_RISCV, "riscv"},   {EM_PPC64, "ppc64"},
                    {EM_S390, "s390"},       {EM_MIPS, "mips"}};
    const char *width = header->e_ident[EI_CLASS] == ELFCLASS32 ? "32-bit" : "64-bit";
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        if (machines[i].machine == header->e_machine && header->e_ident[EI_DATA] == OWN_DATA) {
            snprintf(facts->foreign, sizeof facts->foreign, "%s%s", machines[i].name,
                     header->e_machine == EM_X86_64 && width[0] == '3' ? " with 32-bit pointers"
                                                                       : "");
            return;
        }
    snprintf(facts->foreign, sizeof facts->foreign, "%s, of machine number %u", width,
             header->e_machine);
}

void ca_image_read(const unsigned char *bytes, size_t byte_count,
                   struct ca_image_facts *ret_facts) {
    struct ca_image_facts *facts = ret_facts;
    *facts = (struct ca_image_facts){0};
    struct elf elf = {.bytes = bytes, .byte_count = byte_count};
    /* e_machine lies at the same place in both classes; the rest is read for our own only. */
    if (byte_count < sizeof(Elf32_Ehdr) || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return;
    memcpy(&elf.header, bytes, byte_count < sizeof elf.header ? byte_count : sizeof elf.header);
    if (elf.header.e_ident[EI_CLASS] != ELFCLASS64 || elf.header.e_ident[EI_DATA] != OWN_DATA ||
        elf.header.e_machine != OWN_MACHINE) {
        facts->kind = CA_IMAGE_KIND_FOREIGN;
        name_foreign(&elf.header, facts);
        return;
    }
    if (byte_count < sizeof elf.header ||
        (elf.header.e_type != ET_EXEC && elf.header.e_type != ET_DYN))
        return;
    bool has_sections = read_sections(&elf, facts);
    bool is_loader = false, has_load = false;
    Elf64_Phdr segment;
    for (uint16_t i = 0; i < elf.header.e_phnum; i++) {
        if (!read_segment(&elf, i, &segment))
            return;
        has_load |= segment.p_type == PT_LOAD;
        if (segment.p_type == PT_DYNAMIC)
            read_dynamic(&elf, &segment, !has_sections, &is_loader, facts);
        if (segment.p_type == PT_INTERP && segment.p_filesz > 0 &&
            segment.p_filesz <= sizeof facts->interpreter &&
            copy_out(&elf, segment.p_offset, facts->interpreter, segment.p_filesz))
            facts->interpreter[segment.p_filesz - 1] = '\0';
    }
    if (has_load)
        facts->kind = facts->interpreter[0] != '\0' ? CA_IMAGE_KIND_DYNAMIC
                      : is_loader                   ? CA_IMAGE_KIND_LOADER
                                                    : CA_IMAGE_KIND_STATIC;
}
