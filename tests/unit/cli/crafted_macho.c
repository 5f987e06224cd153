/* SPDX-License-Identifier: MIT */
#include "crafted_macho.h"

#include <string.h>

#include "support/macho_writer.h"

#define SIGNATURE_AT 4096u
#define SYMBOLS_AT   2048u

static void segment(struct ca_macho_writer *writer, const struct crafted_macho *what) {
    ca_macho_word(writer, 0x19);
    ca_macho_word(writer, 72 + 80);
    ca_macho_name(writer, what->segment != NULL ? what->segment : "__DATA", 16);
    for (int i = 0; i < 4; i++)
        ca_macho_wide(writer, 0);
    ca_macho_word(writer, 3);
    ca_macho_word(writer, 3);
    ca_macho_word(writer, 1);
    ca_macho_word(writer, 0);
    ca_macho_name(writer, what->section != NULL ? what->section : "__data", 16);
    ca_macho_name(writer, "__DATA", 16);
    ca_macho_wide(writer, 0);
    ca_macho_wide(writer, what->section_bytes);
    for (int i = 0; i < 4; i++)
        ca_macho_word(writer, 0);
    ca_macho_word(writer, what->section_type);
    for (int i = 0; i < 3; i++)
        ca_macho_word(writer, 0);
}

static void text_command(struct ca_macho_writer *writer, uint32_t command, const char *text,
                         uint32_t head) {
    ca_macho_word(writer, command);
    ca_macho_word(writer, head + 64);
    ca_macho_word(writer, head);
    for (uint32_t i = 12; i < head; i += 4)
        ca_macho_word(writer, 0);
    ca_macho_name(writer, text, 64);
}

static void symbols(unsigned char *to, const char *text) {
    struct ca_macho_writer writer = {to, SYMBOLS_AT};
    ca_macho_word(&writer, 1);
    writer.bytes[writer.at++] = 0x0f; /* N_SECT | N_EXT */
    writer.bytes[writer.at++] = 1;
    writer.bytes[writer.at++] = 0;
    writer.bytes[writer.at++] = 0;
    ca_macho_wide(&writer, 0);
    ca_macho_name(&writer, "", 1);
    ca_macho_name(&writer, text, 63);
}

static uint32_t signature(unsigned char *to, const struct crafted_macho *what) {
    struct ca_macho_writer writer = {to, SIGNATURE_AT};
    uint32_t list_bytes = what->entitlements != NULL ? (uint32_t)strlen(what->entitlements) : 0;
    ca_macho_big_word(&writer, 0xfade0cc0);
    ca_macho_big_word(&writer, 28 + 44 + 8 + list_bytes);
    ca_macho_big_word(&writer, 2);
    ca_macho_big_word(&writer, 0);
    ca_macho_big_word(&writer, 28);
    ca_macho_big_word(&writer, 5);
    ca_macho_big_word(&writer, 28 + 44);
    ca_macho_big_word(&writer, 0xfade0c02);
    ca_macho_big_word(&writer, 44);
    ca_macho_big_word(&writer, 0x20400);
    ca_macho_big_word(&writer, what->signature_flags);
    for (int i = 0; i < 7; i++)
        ca_macho_big_word(&writer, 0);
    to[SIGNATURE_AT + 28 + 38] = what->signature_platform;
    ca_macho_big_word(&writer, 0xfade7171);
    ca_macho_big_word(&writer, 8 + list_bytes);
    if (list_bytes > 0)
        ca_macho_name(&writer, what->entitlements, list_bytes);
    return (uint32_t)(writer.at - SIGNATURE_AT);
}

size_t crafted_macho(unsigned char to[CRAFTED_MACHO_SIZE], const struct crafted_macho *what) {
    memset(to, 0, CRAFTED_MACHO_SIZE);
    struct ca_macho_writer writer = {to, 32};
    uint32_t count = 5;
    uint32_t signature_bytes = signature(to, what);
    symbols(to, what->symbol != NULL ? what->symbol : "_main");
    segment(&writer, what);
    ca_macho_word(&writer, 0x32);
    ca_macho_word(&writer, 24);
    ca_macho_word(&writer, 1);
    ca_macho_word(&writer, 0x000b0000);
    ca_macho_word(&writer, 0x000d0000);
    ca_macho_word(&writer, 0);
    text_command(&writer, 0x0c,
                 what->library != NULL ? what->library : "/usr/lib/libSystem.B.dylib", 24);
    if (what->without_loader == 0) {
        text_command(&writer, 0x0e, "/usr/lib/dyld", 12);
        count++;
    }
    ca_macho_word(&writer, 0x02);
    ca_macho_word(&writer, 24);
    ca_macho_word(&writer, SYMBOLS_AT);
    ca_macho_word(&writer, 1);
    ca_macho_word(&writer, SYMBOLS_AT + 16);
    ca_macho_word(&writer, 64);
    ca_macho_word(&writer, 0x1d);
    ca_macho_word(&writer, 16);
    ca_macho_word(&writer, SIGNATURE_AT);
    ca_macho_word(&writer, signature_bytes);
    uint32_t commands_bytes = (uint32_t)writer.at - 32;
    writer.at = 0;
    ca_macho_word(&writer, 0xfeedfacf);
    ca_macho_word(&writer, what->cpu);
    ca_macho_word(&writer, what->subtype);
    ca_macho_word(&writer, 2);
    ca_macho_word(&writer, count);
    ca_macho_word(&writer, commands_bytes);
    return CRAFTED_MACHO_SIZE;
}

size_t crafted_universal(unsigned char to[3 * CRAFTED_MACHO_SIZE],
                         const struct crafted_macho *first, const struct crafted_macho *second) {
    const struct crafted_macho *slices[] = {first, second};
    struct ca_macho_slice_place places[2];
    memset(to, 0, CRAFTED_MACHO_SIZE);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t offset = (i + 1) * CRAFTED_MACHO_SIZE;
        crafted_macho(to + offset, slices[i]);
        places[i] = (struct ca_macho_slice_place){slices[i]->cpu, slices[i]->subtype, offset,
                                                  CRAFTED_MACHO_SIZE};
    }
    ca_macho_universal(to, places, 2);
    return 3 * CRAFTED_MACHO_SIZE;
}
