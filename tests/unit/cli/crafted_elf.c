/* SPDX-License-Identifier: MIT */
#include "crafted_elf.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Everything at a fixed place; virtual addresses are file offsets. */
enum {
    AT_SEGMENTS = 64,
    AT_INTERPRETER = 256,
    AT_SYMBOLS = 512,
    AT_STRINGS = AT_SYMBOLS + 2 * sizeof(Elf64_Sym),
    STRINGS_SIZE = 512,
    AT_DYNAMIC = 1280,
    AT_SECTIONS = 1536,
    FILE_SIZE = 2048
};

static const Elf64_Ehdr *own_header(void) {
    static Elf64_Ehdr header;
    FILE *file = fopen("/proc/self/exe", "rb");
    if (file != NULL) {
        if (fread(&header, sizeof header, 1, file) != 1)
            memset(&header, 0, sizeof header);
        fclose(file);
    }
    return &header;
}

static void put(unsigned char *bytes, size_t offset, const void *part, size_t part_size) {
    memcpy(bytes + offset, part, part_size);
}

static uint32_t add_string(unsigned char *bytes, uint32_t *filled, const char *text) {
    uint32_t at = *filled;
    put(bytes, AT_STRINGS + at, text, strlen(text) + 1);
    *filled += (uint32_t)strlen(text) + 1;
    return at;
}

size_t crafted_elf_write(const struct crafted_elf *wanted, unsigned char *ret_bytes) {
    unsigned char *bytes = ret_bytes;
    memset(bytes, 0, FILE_SIZE);
    Elf64_Ehdr header = *own_header();
    header.e_type = ET_DYN;
    header.e_phoff = AT_SEGMENTS;
    header.e_shoff = wanted->has_no_sections ? 0 : AT_SECTIONS;
    header.e_phnum = 0;
    header.e_shnum = wanted->has_no_sections ? 0 : 4;
    header.e_shstrndx = wanted->has_no_sections ? 0 : 2;
    if (wanted->elf_class != 0)
        header.e_ident[EI_CLASS] = wanted->elf_class;
    if (wanted->machine != 0)
        header.e_machine = (Elf64_Half)wanted->machine;

    uint32_t filled = 1;
    if (wanted->symbol != NULL) {
        Elf64_Sym symbol = {
            .st_name = add_string(bytes, &filled, wanted->symbol),
            .st_info = (unsigned char)ELF64_ST_INFO(wanted->is_symbol_weak ? STB_WEAK : STB_GLOBAL,
                                                    STT_FUNC),
            .st_shndx = wanted->is_symbol_undefined ? SHN_UNDEF : 1,
        };
        put(bytes, AT_SYMBOLS + sizeof symbol, &symbol, sizeof symbol);
    }
    Elf64_Dyn dynamic[8] = {
        {DT_SYMTAB, {AT_SYMBOLS}}, {DT_STRTAB, {AT_STRINGS}}, {DT_STRSZ, {STRINGS_SIZE}}};
    size_t entries = 3;
    if (wanted->needed != NULL)
        dynamic[entries++] = (Elf64_Dyn){DT_NEEDED, {add_string(bytes, &filled, wanted->needed)}};
    if (wanted->soname != NULL)
        dynamic[entries++] = (Elf64_Dyn){DT_SONAME, {add_string(bytes, &filled, wanted->soname)}};
    put(bytes, AT_DYNAMIC, dynamic, sizeof dynamic);

    Elf64_Phdr segments[3] = {
        {.p_type = PT_LOAD, .p_filesz = FILE_SIZE, .p_memsz = FILE_SIZE},
        {.p_type = PT_DYNAMIC, .p_offset = AT_DYNAMIC, .p_filesz = sizeof dynamic},
    };
    header.e_phnum = 2;
    if (wanted->interpreter != NULL) {
        segments[header.e_phnum++] = (Elf64_Phdr){.p_type = PT_INTERP,
                                                  .p_offset = AT_INTERPRETER,
                                                  .p_filesz = strlen(wanted->interpreter) + 1};
        put(bytes, AT_INTERPRETER, wanted->interpreter, strlen(wanted->interpreter) + 1);
    }
    put(bytes, AT_SEGMENTS, segments, sizeof segments);

    Elf64_Shdr sections[4] = {
        {0},
        {.sh_type = wanted->is_symbol_dynamic ? SHT_DYNSYM : SHT_SYMTAB,
         .sh_offset = AT_SYMBOLS,
         .sh_size = 2 * sizeof(Elf64_Sym),
         .sh_link = 2},
        {.sh_type = SHT_STRTAB, .sh_offset = AT_STRINGS, .sh_size = STRINGS_SIZE},
        {.sh_type = SHT_NOTE},
    };
    if (wanted->has_go_section)
        sections[3].sh_name = add_string(bytes, &filled, ".note.go.buildid");
    put(bytes, AT_SECTIONS, sections, sizeof sections);
    put(bytes, 0, &header, sizeof header);
    return FILE_SIZE;
}
