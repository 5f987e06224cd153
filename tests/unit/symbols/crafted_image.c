/* SPDX-License-Identifier: MIT */
#include "crafted_image.h"

#include <string.h>

#include "support/macho_writer.h"

#define NAMES_AT  2048u
#define STARTS_AT 3072u

static void segment(struct ca_macho_writer *writer, const char *text, uint64_t address,
                    uint64_t offset, uint64_t bytes, uint32_t section_count) {
    ca_macho_word(writer, 0x19);
    ca_macho_word(writer, 72 + 80 * section_count);
    ca_macho_name(writer, text, 16);
    ca_macho_wide(writer, address);
    ca_macho_wide(writer, 0x1000);
    ca_macho_wide(writer, offset);
    ca_macho_wide(writer, bytes);
    ca_macho_word(writer, 7);
    ca_macho_word(writer, 7);
    ca_macho_word(writer, section_count);
    ca_macho_word(writer, 0);
}

static void section(struct ca_macho_writer *writer, const char *text, const char *segment_name,
                    uint64_t address, uint64_t bytes, uint32_t flags) {
    ca_macho_name(writer, text, 16);
    ca_macho_name(writer, segment_name, 16);
    ca_macho_wide(writer, address);
    ca_macho_wide(writer, bytes);
    for (int i = 0; i < 4; i++)
        ca_macho_word(writer, 0);
    ca_macho_word(writer, flags);
    for (int i = 0; i < 3; i++)
        ca_macho_word(writer, 0);
}

/* Returns their number. */
static uint32_t symbols(unsigned char *to, const struct crafted_symbol *list,
                        uint32_t *ret_names_bytes) {
    struct ca_macho_writer writer = {to, CRAFTED_IMAGE_TABLES};
    uint32_t count = 0, names = 1;
    for (; count < CRAFTED_IMAGE_SYMBOLS && list[count].name != NULL; count++) {
        ca_macho_word(&writer, names);
        writer.bytes[writer.at++] = list[count].type;
        writer.bytes[writer.at++] = list[count].section != 0 ? list[count].section : 1;
        writer.bytes[writer.at++] = 0;
        writer.bytes[writer.at++] = 0;
        ca_macho_wide(&writer, list[count].address);
        strcpy((char *)to + NAMES_AT + names, list[count].name);
        names += (uint32_t)strlen(list[count].name) + 1;
    }
    *ret_names_bytes = names;
    return count;
}

static uint32_t commands(struct ca_macho_writer *writer, const struct crafted_image *what) {
    uint32_t count = 4, names_bytes;
    uint32_t symbol_count = symbols(writer->bytes, what->symbols, &names_bytes);
    segment(writer, "__TEXT", CRAFTED_IMAGE_TEXT, 0, 0, 2);
    section(writer, "__text", "__TEXT", CRAFTED_IMAGE_CODE, 0x100, 0x80000400);
    section(writer, "__stubs", "__TEXT", CRAFTED_IMAGE_STUBS, 0x20, 0x80000408);
    segment(writer, "__DATA", CRAFTED_IMAGE_DATA, 0, 0, 1);
    section(writer, "__data", "__DATA", CRAFTED_IMAGE_DATA, 0x100, 0);
    segment(writer, "__LINKEDIT", CRAFTED_IMAGE_LINKEDIT, CRAFTED_IMAGE_TABLES,
            CRAFTED_IMAGE_SIZE - CRAFTED_IMAGE_TABLES, 0);
    ca_macho_word(writer, 0x02);
    ca_macho_word(writer, 24);
    ca_macho_word(writer, CRAFTED_IMAGE_TABLES);
    ca_macho_word(writer, symbol_count);
    ca_macho_word(writer, NAMES_AT);
    ca_macho_word(writer, what->names_bytes != 0 ? what->names_bytes : names_bytes);
    if (what->uuid != 0) {
        ca_macho_word(writer, 0x1b);
        ca_macho_word(writer, 24);
        memset(writer->bytes + writer->at, what->uuid, 16);
        writer->at += 16;
        count++;
    }
    if (what->starts != NULL) {
        memcpy(writer->bytes + STARTS_AT, what->starts, what->starts_bytes);
        ca_macho_word(writer, 0x26);
        ca_macho_word(writer, 16);
        ca_macho_word(writer, STARTS_AT);
        ca_macho_word(writer, what->starts_bytes);
        count++;
    }
    return count;
}

size_t crafted_image(unsigned char to[CRAFTED_IMAGE_SIZE], const struct crafted_image *what) {
    memset(to, 0, CRAFTED_IMAGE_SIZE);
    struct ca_macho_writer writer = {to, 32};
    uint32_t count = commands(&writer, what);
    uint32_t commands_bytes = (uint32_t)writer.at - 32;
    writer.at = 0;
    ca_macho_word(&writer, 0xfeedfacf);
    ca_macho_word(&writer, what->cpu);
    ca_macho_word(&writer, what->subtype);
    ca_macho_word(&writer, 2);
    ca_macho_word(&writer, count);
    ca_macho_word(&writer, commands_bytes);
    return CRAFTED_IMAGE_SIZE;
}

size_t crafted_images(unsigned char to[3 * CRAFTED_IMAGE_SIZE], const struct crafted_image *first,
                      const struct crafted_image *second) {
    const struct crafted_image *slices[] = {first, second};
    struct ca_macho_slice_place places[2];
    memset(to, 0, CRAFTED_IMAGE_SIZE);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t offset = (i + 1) * CRAFTED_IMAGE_SIZE;
        crafted_image(to + offset, slices[i]);
        places[i] = (struct ca_macho_slice_place){slices[i]->cpu, slices[i]->subtype, offset,
                                                  CRAFTED_IMAGE_SIZE};
    }
    ca_macho_universal(to, places, 2);
    return 3 * CRAFTED_IMAGE_SIZE;
}
