/* SPDX-License-Identifier: MIT */
#include "symbols/elf_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "flame/byte_buffer.h"

struct entry {
    uint64_t begin;
    uint64_t end;
    const char *name;
    bool is_global;
};

struct entries {
    struct entry *entries;
    size_t count;
    size_t capacity;
};

static size_t underscores(const char *name) {
    return strspn(name, "_");
}

/* Of several names for the same code the one that a program would call it by comes first: global,
 * with the fewest '_' in front, the shortest. */
static int order(const void *left, const void *right) {
    const struct entry *a = left;
    const struct entry *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    if (a->is_global != b->is_global)
        return a->is_global ? -1 : 1;
    if (underscores(a->name) != underscores(b->name))
        return underscores(a->name) < underscores(b->name) ? -1 : 1;
    size_t length_a = strlen(a->name);
    size_t length_b = strlen(b->name);
    if (length_a != length_b)
        return length_a < length_b ? -1 : 1;
    return strcmp(a->name, b->name);
}

static bool collect(struct entries *list, Dwfl_Module *module) {
    int count = dwfl_module_getsymtab(module);
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section = SHN_UNDEF;
        const char *name =
            dwfl_module_getsym_info(module, i, &symbol, &address, &section, NULL, NULL);
        int type = GELF_ST_TYPE(symbol.st_info);
        if (name == NULL || name[0] == '\0' || section == SHN_UNDEF || symbol.st_size == 0 ||
            (type != STT_FUNC && type != STT_GNU_IFUNC))
            continue;
        struct entry *grown =
            ca_array_grown(list->entries, list->count, &list->capacity, sizeof *grown);
        if (grown == NULL)
            return false;
        list->entries = grown;
        grown[list->count++] = (struct entry){
            .begin = address,
            .end = address + symbol.st_size,
            .name = name,
            .is_global = GELF_ST_BIND(symbol.st_info) != STB_LOCAL,
        };
    }
    return true;
}

static bool keep(struct ca_elf_symbols *symbols, const struct entry *entry) {
    const char **grown =
        ca_array_grown(symbols->names, symbols->name_count, &symbols->name_capacity, sizeof *grown);
    if (grown == NULL)
        return false;
    symbols->names = grown;
    if (!ca_address_spans_add(&symbols->spans, entry->begin, entry->end, symbols->name_count))
        return false;
    grown[symbols->name_count++] = entry->name;
    return true;
}

bool ca_elf_symbols_init(struct ca_elf_symbols *symbols, Dwfl_Module *module) {
    *symbols = (struct ca_elf_symbols){0};
    struct entries list = {0};
    bool is_whole = collect(&list, module);
    if (list.count > 0)
        qsort(list.entries, list.count, sizeof *list.entries, order);
    for (size_t i = 0; i < list.count && is_whole; i++)
        is_whole = keep(symbols, &list.entries[i]);
    free(list.entries);
    ca_address_spans_sort(&symbols->spans);
    return is_whole;
}

void ca_elf_symbols_release(struct ca_elf_symbols *symbols) {
    free(symbols->names);
    ca_address_spans_release(&symbols->spans);
    *symbols = (struct ca_elf_symbols){0};
}

const char *ca_elf_symbols_find(const struct ca_elf_symbols *symbols, uint64_t address) {
    size_t at = ca_address_spans_find(&symbols->spans, address);
    return at == CA_NO_ITEM ? NULL : symbols->names[at];
}
