/* SPDX-License-Identifier: MIT */
#include "usual_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_log.h"
#include "slice.h"

enum {
    FIELD_COUNT = 8,
    FIELD_BYTES = 128,
    FIELDS_MAX = 12,
    LINE_BYTES = FIELDS_MAX * FIELD_BYTES,
};

struct field {
    char bytes[FIELD_BYTES];
    size_t byte_count;
};

#define ONE_OF(state, list) ((list)[random_below((state), sizeof(list) / sizeof((list)[0]))])
#define SLICE(literal)                                                                             \
    { literal, sizeof(literal) - 1 }

static const struct ca_slice keys[FIELD_COUNT] = {
    SLICE("ts="),   SLICE("level="),  SLICE("route="),      SLICE("model="),
    SLICE("user="), SLICE("tokens="), SLICE("latency_ms="), SLICE("status=")};

/* Names shorter and longer than 16 and 32 bytes, and of exactly as many, together with " model=".
 */
static const struct ca_slice routes[] = {
    SLICE("/v1/chat"),  SLICE("/v1/tokenize"),
    SLICE("/v1/embed"), SLICE("/r"),
    SLICE(""),          SLICE("/v1/chat/with=more/of-the-same/and-more"),
    SLICE("/\0r"),      SLICE("\r")};
static const struct ca_slice models[] = {
    SLICE("mistral-7b"), SLICE("llama-3.1-8b"), SLICE("mixtral-8x7b"),        SLICE("m"),
    SLICE(""),           SLICE("mm"),           SLICE("a-model-of-twenty-tw")};
static const struct ca_slice users[] = {
    SLICE("u00007"),  SLICE("u00008"),  SLICE("u0007"),
    SLICE("u000007"), SLICE("z"),       SLICE(""),
    SLICE("u\0x"),    SLICE("v00007"),  SLICE("u0000x"),
    SLICE("u+0007"),  SLICE("u00007"),  SLICE("U00007"),
    SLICE("u99999"),  SLICE("u00000"),  SLICE("xu00007"),
    SLICE("7"),       SLICE("u00007="), SLICE("a-user-with-a-long-name-u00007")};
static const struct ca_slice numbers[] = {SLICE("0"),
                                          SLICE("7"),
                                          SLICE("+5"),
                                          SLICE("0012"),
                                          SLICE("99999999"),
                                          SLICE("100000000"),
                                          SLICE("000000007"),
                                          SLICE("4294967295"),
                                          SLICE("4294967296"),
                                          SLICE("4095"),
                                          SLICE("4096"),
                                          SLICE("18446744073709551615"),
                                          SLICE(""),
                                          SLICE("+"),
                                          SLICE("1x"),
                                          SLICE("x1"),
                                          SLICE("1/"),
                                          SLICE("1:"),
                                          SLICE("1\0"),
                                          SLICE("\xb1"),
                                          SLICE("18446744073709551616"),
                                          SLICE("12345678\r"),
                                          SLICE("00000000000000000000000000000042")};
static const struct ca_slice statuses[] = {SLICE("404"), SLICE(""),      SLICE("0200"),
                                           SLICE("20"),  SLICE("2000"),  SLICE("200\r"),
                                           SLICE("+20"), SLICE("\r200"), SLICE("200=200")};

static void append(struct field *field, struct ca_slice bytes) {
    if (field->byte_count + bytes.byte_count > FIELD_BYTES)
        abort();
    memcpy(field->bytes + field->byte_count, bytes.bytes, bytes.byte_count);
    field->byte_count += bytes.byte_count;
}

static void append_number(struct field *field, const char *format, uint64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, format, (unsigned)number);
    append(field, ca_slice_of(digits));
}

/* Half of all values are plain. */
static struct field make_field(size_t key, uint64_t *state) {
    static const struct ca_slice levels[] = {SLICE("INFO"), SLICE("ERROR"), SLICE(""),
                                             SLICE("status=500")};
    const bool is_plain = random_below(state, 8) > 0;
    struct field field = {.byte_count = 0};
    append(&field, keys[key]);
    if (key == 0)
        append(&field, ca_slice_of(is_plain ? "2026-11-03T00:00:00Z" : ""));
    else if (key == 1)
        append(&field, ONE_OF(state, levels));
    else if (key == 2)
        append(&field, is_plain ? routes[random_below(state, 3)] : ONE_OF(state, routes));
    else if (key == 3)
        append(&field, is_plain ? models[random_below(state, 3)] : ONE_OF(state, models));
    else if (key == 4 && is_plain)
        append_number(&field, "u%05u", random_below(state, 30));
    else if (key == 4)
        append(&field, ONE_OF(state, users));
    else if (key < 7 && is_plain)
        append_number(&field, "%u", random_below(state, 6000));
    else if (key < 7)
        append(&field, ONE_OF(state, numbers));
    else
        append(&field, is_plain ? ca_slice_of("200") : ONE_OF(state, statuses));
    return field;
}

static size_t make_fields(struct field *fields, bool is_spoiled, uint64_t *state) {
    const uint64_t change = is_spoiled ? random_below(state, 6) : 0;
    const size_t place = random_below(state, FIELD_COUNT);
    size_t field_count = 0;
    for (size_t key = 0; key < FIELD_COUNT; key++) {
        if (change == 1 && key == place)
            continue;
        fields[field_count++] = make_field(key, state);
        if (change == 2 && key == place)
            fields[field_count++] = make_field(random_below(state, FIELD_COUNT), state);
    }
    if (change == 3 && place > 0) {
        const struct field moved = fields[place];
        fields[place] = fields[place - 1];
        fields[place - 1] = moved;
    }
    return field_count;
}

static size_t spoil_byte(char *line, size_t byte_count, uint64_t *state) {
    static const char others[] = " \n\r=\0x0 ";
    return random_byte_change(line, byte_count, others, sizeof others - 1, state);
}

static size_t make_line(char *line, uint64_t *state) {
    struct field fields[FIELDS_MAX];
    const bool is_spoiled = random_below(state, 3) == 0;
    const size_t field_count = make_fields(fields, is_spoiled, state);
    size_t byte_count = 0;
    for (size_t at = 0; at < field_count; at++) {
        if (at > 0)
            line[byte_count++] = ' ';
        memcpy(line + byte_count, fields[at].bytes, fields[at].byte_count);
        byte_count += fields[at].byte_count;
    }
    return is_spoiled && random_below(state, 2) == 0 ? spoil_byte(line, byte_count, state)
                                                     : byte_count;
}

struct text usual_log(char *bytes, uint64_t *state) {
    static const struct ca_slice ends[] = {SLICE("\n"),   SLICE("\n"),     SLICE("\n"),
                                           SLICE("\n"),   SLICE("\n"),     SLICE("\r\n"),
                                           SLICE("\n\n"), SLICE("\r\r\n"), SLICE(" \n")};
    const uint64_t line_count = random_below(state, 40);
    size_t used_bytes = 0;
    for (uint64_t line = 0; line < line_count; line++) {
        const struct ca_slice end = ONE_OF(state, ends);
        if (used_bytes + LINE_BYTES + FIELDS_MAX + 8 > USUAL_LOG_BYTES)
            abort();
        used_bytes += make_line(bytes + used_bytes, state);
        if (line + 1 == line_count && random_below(state, 2) == 0)
            break;
        memcpy(bytes + used_bytes, end.bytes, end.byte_count);
        used_bytes += end.byte_count;
    }
    return text_of(bytes, used_bytes);
}
