/* SPDX-License-Identifier: MIT
 *
 * Small ELF files, made to measure: enough of one for the inspection, nothing to execute. */
#ifndef CA_CRAFTED_ELF_H
#define CA_CRAFTED_ELF_H

#include <stdbool.h>
#include <stddef.h>

#define CRAFTED_BYTES_MAX 4096

struct crafted_elf {
    const char *interpreter; /* PT_INTERP; NULL: none */
    const char *needed;      /* DT_NEEDED; NULL: none */
    const char *soname;      /* DT_SONAME; NULL: none */
    const char *symbol;      /* one symbol; NULL: none */
    bool is_symbol_undefined;
    bool is_symbol_weak;
    bool is_symbol_dynamic; /* in .dynsym, else in .symtab */
    bool has_no_sections;
    bool has_go_section;
    unsigned char elf_class; /* 0: this machine's */
    unsigned machine;        /* 0: this machine's */
};

/* Writes it into `ret_bytes`, CRAFTED_BYTES_MAX of them; returns how many it takes. */
size_t crafted_elf_write(const struct crafted_elf *wanted, unsigned char *ret_bytes);

#endif
