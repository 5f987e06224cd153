/* SPDX-License-Identifier: MIT */
#include "symbols/macho_symbols.h"

#include <stdlib.h>

#include "flame/byte_buffer.h"

#define HAS_INSTRUCTIONS 0x80000400u /* S_ATTR_PURE_INSTRUCTIONS, S_ATTR_SOME_INSTRUCTIONS */
#define N_STAB           0xe0u
#define N_TYPE           0x0eu
#define N_SECT           0x0eu
#define N_EXT            0x01u
#define SECTIONS_MAX     255u /* nlist_64.n_sect has a byte, and 0 is none */

struct section {
    uint64_t begin;
    uint64_t end;
    bool has_code;
};

/* Where a function begins, or is said to. */
struct place {
    uint64_t address;
    uint64_t section_end;
    const char *name; /* NULL: not known */
    bool is_external;
    size_t order;
};

struct reading {
    const struct ca_macho_view *view;
    struct section sections[SECTIONS_MAX];
    uint32_t section_count;
    uint64_t text_address;
    const unsigned char *symbol_command; /* NULL: there is none */
    const unsigned char *starts_command;
    struct place *places; /* place_count */
    size_t place_count;
    size_t place_capacity;
};

/* ---- views ---- */

struct ca_macho_view ca_macho_view_of_file(const unsigned char *file_bytes,
                                           const struct ca_macho_slice *slice) {
    struct ca_macho_part whole = {file_bytes + slice->offset, slice->byte_count};
    return (struct ca_macho_view){.commands = whole, .tables = whole};
}

bool ca_macho_view_of_loaded(const void *header, uintptr_t slide, struct ca_macho_view *ret_view) {
    const unsigned char *bytes = header;
    struct ca_macho_part part = {bytes, CA_MACHO_HEADER_BYTES + ca_macho_word_at(bytes + 20)};
    struct ca_macho_commands commands;
    const unsigned char *command;
    uint32_t command_bytes;
    if (!ca_macho_commands_begin(&commands, &part))
        return false;
    while ((command = ca_macho_commands_next(&commands, &command_bytes)) != NULL) {
        if (ca_macho_word_at(command) != CA_MACHO_LC_SEGMENT_64 ||
            command_bytes < CA_MACHO_SEGMENT_BYTES || !ca_macho_is_name(command + 8, "__LINKEDIT"))
            continue;
        uintptr_t at = (uintptr_t)ca_macho_long_at(command + 24) + slide;
        *ret_view = (struct ca_macho_view){
            .commands = part,
            .tables = {(const unsigned char *)at, (size_t)ca_macho_long_at(command + 48)},
            .tables_offset = ca_macho_long_at(command + 40),
        };
        return true;
    }
    return false;
}

/* ---- load commands ---- */

static void note_segment(struct reading *reading, const unsigned char *command, uint32_t bytes) {
    if (ca_macho_is_name(command + 8, "__TEXT"))
        reading->text_address = ca_macho_long_at(command + 24);
    uint32_t count = ca_macho_word_at(command + 64);
    for (uint32_t i = 0; i < count && reading->section_count < SECTIONS_MAX; i++) {
        if (bytes - CA_MACHO_SEGMENT_BYTES < (uint64_t)(i + 1) * CA_MACHO_SECTION_BYTES)
            return;
        const unsigned char *section =
            command + CA_MACHO_SEGMENT_BYTES + (size_t)i * CA_MACHO_SECTION_BYTES;
        uint64_t begin = ca_macho_long_at(section + 32);
        uint64_t size = ca_macho_long_at(section + 40);
        reading->sections[reading->section_count++] = (struct section){
            .begin = begin,
            .end = size <= UINT64_MAX - begin ? begin + size : begin,
            .has_code = (ca_macho_word_at(section + 64) & HAS_INSTRUCTIONS) != 0,
        };
    }
}

static void read_commands(struct reading *reading) {
    struct ca_macho_commands commands;
    const unsigned char *command;
    uint32_t bytes;
    if (!ca_macho_commands_begin(&commands, &reading->view->commands))
        return;
    while ((command = ca_macho_commands_next(&commands, &bytes)) != NULL) {
        uint32_t kind = ca_macho_word_at(command);
        if (kind == CA_MACHO_LC_SEGMENT_64 && bytes >= CA_MACHO_SEGMENT_BYTES)
            note_segment(reading, command, bytes);
        else if (kind == CA_MACHO_LC_SYMTAB && bytes >= 24)
            reading->symbol_command = command;
        else if (kind == CA_MACHO_FUNCTION_STARTS && bytes >= 16)
            reading->starts_command = command;
    }
}

/* What the file has at `offset`; NULL: it is not whole. */
static const unsigned char *table_at(const struct reading *reading, uint64_t offset,
                                     uint64_t bytes) {
    const struct ca_macho_view *view = reading->view;
    if (offset < view->tables_offset ||
        !ca_macho_has(&view->tables, offset - view->tables_offset, bytes))
        return NULL;
    return view->tables.bytes + (offset - view->tables_offset);
}

/* ---- places ---- */

static bool add_place(struct reading *reading, struct place place) {
    struct place *grown = ca_array_grown(reading->places, reading->place_count,
                                         &reading->place_capacity, sizeof *grown);
    if (grown == NULL)
        return false;
    reading->places = grown;
    place.order = reading->place_count;
    grown[reading->place_count++] = place;
    return true;
}

static const struct section *section_around(const struct reading *reading, uint64_t address) {
    for (uint32_t i = 0; i < reading->section_count; i++)
        if (reading->sections[i].has_code && address >= reading->sections[i].begin &&
            address < reading->sections[i].end)
            return &reading->sections[i];
    return NULL;
}

static bool read_symbol(struct reading *reading, const unsigned char *symbol, const char *names,
                        uint64_t names_bytes) {
    uint32_t at = ca_macho_word_at(symbol);
    uint32_t number = symbol[5];
    uint64_t address = ca_macho_long_at(symbol + 8);
    if ((symbol[4] & N_STAB) != 0 || (symbol[4] & N_TYPE) != N_SECT || number == 0 ||
        number > reading->section_count || at >= names_bytes ||
        memchr(names + at, '\0', names_bytes - at) == NULL || names[at] == '\0')
        return true;
    const struct section *section = &reading->sections[number - 1];
    if (!section->has_code || address < section->begin || address >= section->end)
        return true;
    /* The system's shared cache has that in place of names that it leaves out. */
    bool is_named = strcmp(names + at, "<redacted>") != 0;
    return add_place(reading, (struct place){.address = address,
                                             .section_end = section->end,
                                             .name = is_named ? names + at : NULL,
                                             .is_external = (symbol[4] & N_EXT) != 0});
}

static bool read_symbols(struct reading *reading) {
    const unsigned char *command = reading->symbol_command;
    if (command == NULL)
        return true;
    uint64_t count = ca_macho_word_at(command + 12);
    uint64_t names_bytes = ca_macho_word_at(command + 20);
    const unsigned char *symbols =
        table_at(reading, ca_macho_word_at(command + 8), count * CA_MACHO_SYMBOL_BYTES);
    const char *names =
        (const char *)table_at(reading, ca_macho_word_at(command + 16), names_bytes);
    if (symbols == NULL || names == NULL)
        return true;
    for (uint64_t i = 0; i < count; i++)
        if (!read_symbol(reading, symbols + i * CA_MACHO_SYMBOL_BYTES, names, names_bytes))
            return false;
    return true;
}

/* Distances from one beginning to the next, the first from __TEXT's, as unsigned LEB128; a 0 ends
 * them. */
static bool read_starts(struct reading *reading) {
    const unsigned char *command = reading->starts_command;
    if (command == NULL)
        return true;
    uint64_t bytes = ca_macho_word_at(command + 12);
    const unsigned char *at = table_at(reading, ca_macho_word_at(command + 8), bytes);
    if (at == NULL)
        return true;
    uint64_t address = reading->text_address;
    for (const unsigned char *end = at + bytes; at < end;) {
        uint64_t distance = 0;
        unsigned shift = 0;
        do
            distance |= shift < 64 ? (uint64_t)(*at & 0x7f) << shift : 0, shift += 7;
        while ((*at++ & 0x80) != 0 && at < end);
        if (distance == 0)
            return true;
        address += distance;
        const struct section *section = section_around(reading, address);
        if (section != NULL &&
            !add_place(reading, (struct place){.address = address, .section_end = section->end}))
            return false;
    }
    return true;
}

/* The names of one place together: first those that others see, then as the table has them. */
static int order(const void *left, const void *right) {
    const struct place *a = left;
    const struct place *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if ((a->name != NULL) != (b->name != NULL))
        return a->name != NULL ? -1 : 1;
    if (a->is_external != b->is_external)
        return a->is_external ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool add_spans(struct ca_macho_symbols *symbols, struct reading *reading) {
    if (reading->place_count > 0)
        qsort(reading->places, reading->place_count, sizeof *reading->places, order);
    size_t next;
    for (size_t i = 0; i < reading->place_count; i = next) {
        const struct place *place = &reading->places[i];
        for (next = i + 1; next < reading->place_count; next++)
            if (reading->places[next].address != place->address)
                break;
        if (place->name == NULL)
            continue;
        uint64_t end = place->section_end;
        if (next < reading->place_count && reading->places[next].address < end)
            end = reading->places[next].address;
        const char **grown = ca_array_grown((void *)symbols->names, symbols->name_count,
                                            &symbols->name_capacity, sizeof *grown);
        if (grown == NULL)
            return false;
        symbols->names = grown;
        grown[symbols->name_count] = place->name;
        if (!ca_address_spans_add(&symbols->spans, place->address, end, symbols->name_count++))
            return false;
    }
    ca_address_spans_sort(&symbols->spans);
    return true;
}

/* ---- the table ---- */

bool ca_macho_symbols_init(struct ca_macho_symbols *symbols, const struct ca_macho_view *view) {
    *symbols = (struct ca_macho_symbols){0};
    struct reading *reading = calloc(1, sizeof *reading);
    if (reading == NULL)
        return false;
    reading->view = view;
    read_commands(reading);
    bool is_whole = read_symbols(reading) && read_starts(reading) && add_spans(symbols, reading);
    free(reading->places);
    free(reading);
    return is_whole;
}

void ca_macho_symbols_release(struct ca_macho_symbols *symbols) {
    free((void *)symbols->names);
    ca_address_spans_release(&symbols->spans);
    *symbols = (struct ca_macho_symbols){0};
}

const char *ca_macho_symbols_find(const struct ca_macho_symbols *symbols, uint64_t address) {
    size_t item = ca_address_spans_find(&symbols->spans, address);
    return item == CA_NO_ITEM ? NULL : symbols->names[item];
}
