/* SPDX-License-Identifier: MIT */
#include "crafted_image.h"

#include <string.h>

#define NAMES_AT  2048u
#define STARTS_AT 3072u

struct writer {
    unsigned char *bytes;
    size_t at;
};

static void word(struct writer *writer, uint32_t value) {
    for (int i = 0; i < 4; i++)
        writer->bytes[writer->at++] = (unsigned char)(value >> 8 * i);
}

static void big_word(struct writer *writer, uint32_t value) {
    for (int i = 3; i >= 0; i--)
        writer->bytes[writer->at++] = (unsigned char)(value >> 8 * i);
}

static void wide(struct writer *writer, uint64_t value) {
    word(writer, (uint32_t)value);
    word(writer, (uint32_t)(value >> 32));
}

static void name(struct writer *writer, const char *text) {
    memcpy(writer->bytes + writer->at, text, strlen(text));
    writer->at += 16;
}

static void segment(struct writer *writer, const char *text, uint64_t address, uint64_t offset,
                    uint64_t bytes, uint32_t section_count) {
    word(writer, 0x19);
    word(writer, 72 + 80 * section_count);
    name(writer, text);
    wide(writer, address);
    wide(writer, 0x1000);
    wide(writer, offset);
    wide(writer, bytes);
    word(writer, 7);
    word(writer, 7);
    word(writer, section_count);
    word(writer, 0);
}

static void section(struct writer *writer, const char *text, const char *segment_name,
                    uint64_t address, uint64_t bytes, uint32_t flags) {
    name(writer, text);
    name(writer, segment_name);
    wide(writer, address);
    wide(writer, bytes);
    for (int i = 0; i < 4; i++)
        word(writer, 0);
    word(writer, flags);
    for (int i = 0; i < 3; i++)
        word(writer, 0);
}

/* Returns their number. */
static uint32_t symbols(unsigned char *to, const struct crafted_symbol *list,
                        uint32_t *ret_names_bytes) {
    struct writer writer = {to, CRAFTED_IMAGE_TABLES};
    uint32_t count = 0, names = 1;
    for (; count < CRAFTED_IMAGE_SYMBOLS && list[count].name != NULL; count++) {
        word(&writer, names);
        writer.bytes[writer.at++] = list[count].type;
        writer.bytes[writer.at++] = list[count].section != 0 ? list[count].section : 1;
        writer.bytes[writer.at++] = 0;
        writer.bytes[writer.at++] = 0;
        wide(&writer, list[count].address);
        strcpy((char *)to + NAMES_AT + names, list[count].name);
        names += (uint32_t)strlen(list[count].name) + 1;
    }
    *ret_names_bytes = names;
    return count;
}

static uint32_t commands(struct writer *writer, const struct crafted_image *what) {
    uint32_t count = 4, names_bytes;
    uint32_t symbol_count = symbols(writer->bytes, what->symbols, &names_bytes);
    segment(writer, "__TEXT", CRAFTED_IMAGE_TEXT, 0, 0, 2);
    section(writer, "__text", "__TEXT", CRAFTED_IMAGE_CODE, 0x100, 0x80000400);
    section(writer, "__stubs", "__TEXT", CRAFTED_IMAGE_STUBS, 0x20, 0x80000408);
    segment(writer, "__DATA", CRAFTED_IMAGE_DATA, 0, 0, 1);
    section(writer, "__data", "__DATA", CRAFTED_IMAGE_DATA, 0x100, 0);
    segment(writer, "__LINKEDIT", CRAFTED_IMAGE_LINKEDIT, CRAFTED_IMAGE_TABLES,
            CRAFTED_IMAGE_SIZE - CRAFTED_IMAGE_TABLES, 0);
    word(writer, 0x02);
    word(writer, 24);
    word(writer, CRAFTED_IMAGE_TABLES);
    word(writer, symbol_count);
    word(writer, NAMES_AT);
    word(writer, what->names_bytes != 0 ? what->names_bytes : names_bytes);
    if (what->uuid != 0) {
        word(writer, 0x1b);
        word(writer, 24);
        memset(writer->bytes + writer->at, what->uuid, 16);
        writer->at += 16;
        count++;
    }
    if (what->starts != NULL) {
        memcpy(writer->bytes + STARTS_AT, what->starts, what->starts_bytes);
        word(writer, 0x26);
        word(writer, 16);
        word(writer, STARTS_AT);
        word(writer, what->starts_bytes);
        count++;
    }
    return count;
}

size_t crafted_image(unsigned char to[CRAFTED_IMAGE_SIZE], const struct crafted_image *what) {
    memset(to, 0, CRAFTED_IMAGE_SIZE);
    struct writer writer = {to, 32};
    uint32_t count = commands(&writer, what);
    uint32_t commands_bytes = (uint32_t)writer.at - 32;
    writer.at = 0;
    word(&writer, 0xfeedfacf);
    word(&writer, what->cpu);
    word(&writer, what->subtype);
    word(&writer, 2);
    word(&writer, count);
    word(&writer, commands_bytes);
    return CRAFTED_IMAGE_SIZE;
}

size_t crafted_images(unsigned char to[3 * CRAFTED_IMAGE_SIZE], const struct crafted_image *first,
                      const struct crafted_image *second) {
    const struct crafted_image *slices[] = {first, second};
    struct writer writer = {to, 0};
    memset(to, 0, CRAFTED_IMAGE_SIZE);
    big_word(&writer, 0xcafebabe);
    big_word(&writer, 2);
    for (uint32_t i = 0; i < 2; i++) {
        crafted_image(to + (i + 1) * CRAFTED_IMAGE_SIZE, slices[i]);
        big_word(&writer, slices[i]->cpu);
        big_word(&writer, slices[i]->subtype);
        big_word(&writer, (i + 1) * CRAFTED_IMAGE_SIZE);
        big_word(&writer, CRAFTED_IMAGE_SIZE);
        big_word(&writer, 12);
    }
    return 3 * CRAFTED_IMAGE_SIZE;
}
