/* SPDX-License-Identifier: MIT */
#include "crafted_macho.h"

#include <string.h>

#define SIGNATURE_AT 4096u
#define SYMBOLS_AT   2048u

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

static void name(struct writer *writer, const char *text, size_t size) {
    memset(writer->bytes + writer->at, 0, size);
    memcpy(writer->bytes + writer->at, text, strlen(text));
    writer->at += size;
}

static void segment(struct writer *writer, const struct crafted_macho *what) {
    word(writer, 0x19);
    word(writer, 72 + 80);
    name(writer, what->segment != NULL ? what->segment : "__DATA", 16);
    for (int i = 0; i < 4; i++)
        wide(writer, 0);
    word(writer, 3);
    word(writer, 3);
    word(writer, 1);
    word(writer, 0);
    name(writer, what->section != NULL ? what->section : "__data", 16);
    name(writer, "__DATA", 16);
    wide(writer, 0);
    wide(writer, what->section_bytes);
    for (int i = 0; i < 4; i++)
        word(writer, 0);
    word(writer, what->section_type);
    for (int i = 0; i < 3; i++)
        word(writer, 0);
}

static void text_command(struct writer *writer, uint32_t command, const char *text, uint32_t head) {
    word(writer, command);
    word(writer, head + 64);
    word(writer, head);
    for (uint32_t i = 12; i < head; i += 4)
        word(writer, 0);
    name(writer, text, 64);
}

static void symbols(unsigned char *to, const char *text) {
    struct writer writer = {to, SYMBOLS_AT};
    word(&writer, 1);
    writer.bytes[writer.at++] = 0x0f; /* N_SECT | N_EXT */
    writer.bytes[writer.at++] = 1;
    writer.bytes[writer.at++] = 0;
    writer.bytes[writer.at++] = 0;
    wide(&writer, 0);
    name(&writer, "", 1);
    name(&writer, text, 63);
}

static uint32_t signature(unsigned char *to, const struct crafted_macho *what) {
    struct writer writer = {to, SIGNATURE_AT};
    uint32_t list_bytes = what->entitlements != NULL ? (uint32_t)strlen(what->entitlements) : 0;
    big_word(&writer, 0xfade0cc0);
    big_word(&writer, 28 + 44 + 8 + list_bytes);
    big_word(&writer, 2);
    big_word(&writer, 0);
    big_word(&writer, 28);
    big_word(&writer, 5);
    big_word(&writer, 28 + 44);
    big_word(&writer, 0xfade0c02);
    big_word(&writer, 44);
    big_word(&writer, 0x20400);
    big_word(&writer, what->signature_flags);
    for (int i = 0; i < 7; i++)
        big_word(&writer, 0);
    to[SIGNATURE_AT + 28 + 38] = what->signature_platform;
    big_word(&writer, 0xfade7171);
    big_word(&writer, 8 + list_bytes);
    if (list_bytes > 0)
        name(&writer, what->entitlements, list_bytes);
    return (uint32_t)(writer.at - SIGNATURE_AT);
}

size_t crafted_macho(unsigned char to[CRAFTED_MACHO_SIZE], const struct crafted_macho *what) {
    memset(to, 0, CRAFTED_MACHO_SIZE);
    struct writer writer = {to, 32};
    uint32_t count = 5;
    uint32_t signature_bytes = signature(to, what);
    symbols(to, what->symbol != NULL ? what->symbol : "_main");
    segment(&writer, what);
    word(&writer, 0x32);
    word(&writer, 24);
    word(&writer, 1);
    word(&writer, 0x000b0000);
    word(&writer, 0x000d0000);
    word(&writer, 0);
    text_command(&writer, 0x0c,
                 what->library != NULL ? what->library : "/usr/lib/libSystem.B.dylib", 24);
    if (what->without_loader == 0) {
        text_command(&writer, 0x0e, "/usr/lib/dyld", 12);
        count++;
    }
    word(&writer, 0x02);
    word(&writer, 24);
    word(&writer, SYMBOLS_AT);
    word(&writer, 1);
    word(&writer, SYMBOLS_AT + 16);
    word(&writer, 64);
    word(&writer, 0x1d);
    word(&writer, 16);
    word(&writer, SIGNATURE_AT);
    word(&writer, signature_bytes);
    uint32_t commands_bytes = (uint32_t)writer.at - 32;
    writer.at = 0;
    word(&writer, 0xfeedfacf);
    word(&writer, what->cpu);
    word(&writer, what->subtype);
    word(&writer, 2);
    word(&writer, count);
    word(&writer, commands_bytes);
    return CRAFTED_MACHO_SIZE;
}

size_t crafted_universal(unsigned char to[3 * CRAFTED_MACHO_SIZE],
                         const struct crafted_macho *first, const struct crafted_macho *second) {
    const struct crafted_macho *slices[] = {first, second};
    struct writer writer = {to, 0};
    memset(to, 0, CRAFTED_MACHO_SIZE);
    big_word(&writer, 0xcafebabe);
    big_word(&writer, 2);
    for (uint32_t i = 0; i < 2; i++) {
        crafted_macho(to + (i + 1) * CRAFTED_MACHO_SIZE, slices[i]);
        big_word(&writer, slices[i]->cpu);
        big_word(&writer, slices[i]->subtype);
        big_word(&writer, (i + 1) * CRAFTED_MACHO_SIZE);
        big_word(&writer, CRAFTED_MACHO_SIZE);
        big_word(&writer, 12);
    }
    return 3 * CRAFTED_MACHO_SIZE;
}
