/* SPDX-License-Identifier: MIT
 *
 * The functions in a module's symbol tables: its own, its debug file's, or the compressed one that
 * some distributions leave in stripped files (.gnu_debugdata). */
#ifndef CA_ELF_SYMBOLS_H
#define CA_ELF_SYMBOLS_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbols/address_spans.h"

struct ca_elf_symbols {
    const char **names; /* name_count, as libdwfl has them */
    size_t name_count;
    size_t name_capacity;
    struct ca_address_spans spans; /* index into `names` */
};

/* Reads them; none is no error. False when there is no memory; ca_elf_symbols_release() in any
 * case. */
bool ca_elf_symbols_init(struct ca_elf_symbols *symbols, Dwfl_Module *module);
void ca_elf_symbols_release(struct ca_elf_symbols *symbols);

/* The symbol whose code is at `address`, mangled; NULL: no symbol says that it extends so far. The
 * nearest one before it would be a guess, and in a stripped file a wrong one. */
const char *ca_elf_symbols_find(const struct ca_elf_symbols *symbols, uint64_t address);

#endif
