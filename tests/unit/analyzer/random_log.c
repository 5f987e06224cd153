/* SPDX-License-Identifier: MIT */
#include "random_log.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slice.h"

/* xorshift64: not the generator of the logs under test. */
uint64_t random_below(uint64_t *state, uint64_t limit) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state % limit;
}

size_t random_byte_change(char *bytes, size_t byte_count, const char *others, size_t other_count,
                          uint64_t *state) {
    const size_t place = (size_t)random_below(state, byte_count);
    const uint64_t change = random_below(state, 3);
    if (change == 0) {
        memmove(bytes + place, bytes + place + 1, byte_count - place - 1);
        return byte_count - 1;
    }
    if (change == 1) {
        memmove(bytes + place + 1, bytes + place, byte_count - place);
        byte_count++;
    }
    bytes[place] = others[random_below(state, other_count)];
    return byte_count;
}

#define ONE_OF(state, list) ((list)[random_below((state), sizeof(list) / sizeof((list)[0]))])

struct writer {
    char *bytes;
    size_t used_bytes;
};

static void put(struct writer *writer, const char *bytes, size_t byte_count) {
    if (byte_count > RANDOM_LOG_BYTES - writer->used_bytes)
        abort();
    memcpy(writer->bytes + writer->used_bytes, bytes, byte_count);
    writer->used_bytes += byte_count;
}

static void put_field(struct writer *writer, uint64_t *state) {
    static const struct ca_slice routes[] = {{"/v1/chat", 8},
                                             {"/v1/embed", 9},
                                             {"", 0},
                                             {"/\0r", 3},
                                             {"a=b", 3},
                                             {"/v1/chat\x01", 9},
                                             {"\xff", 1},
                                             {"/,\"", 3},
                                             {"\r", 1},
                                             {"=", 1},
                                             {"/v1/a-route-of-more-than-thirty-two-bytes", 41}};
    static const struct ca_slice models[] = {
        {"m", 1}, {"mistral-7b", 10}, {"", 0}, {"m\xc3\xa9", 3}, {"a-model-of-seventeen", 20}};
    static const struct ca_slice users[] = {{"u00007", 6}, {"u00008", 6}, {"u0007", 5},
                                            {"", 0},       {"z", 1},      {"u00007=", 7},
                                            {"u\0x", 3},   {"u\0y", 3}};
    static const struct ca_slice numbers[] = {{"0", 1},
                                              {"7", 1},
                                              {"+5", 2},
                                              {"0012", 4},
                                              {"4294967295", 10},
                                              {"4294967296", 10},
                                              {"18446744073709551615", 20},
                                              {"18446744073709551616", 20},
                                              {"99999999999999999999999999", 26},
                                              {"00000000000000000000000000000042", 32},
                                              {"", 0},
                                              {"+", 1},
                                              {"++1", 3},
                                              {"-1", 2},
                                              {"1x", 2},
                                              {"1\0", 2},
                                              {"1\r", 2},
                                              {"1=2", 3},
                                              {"\x1b[2J", 4}};
    static const struct ca_slice statuses[] = {{"200", 3},  {"200", 3}, {"200", 3},  {"200", 3},
                                               {"404", 3},  {"", 0},    {"0200", 4}, {"200\r", 4},
                                               {"+200", 4}, {"2000", 4}};
    static const struct ca_slice others[] = {{"junk", 4},      {"", 0},
                                             {"=", 1},         {"=x", 2},
                                             {"x=", 2},        {"k=v=w", 5},
                                             {"rout=e", 6},    {"Route=/x", 8},
                                             {"latency=9", 9}, {"statusx=200", 11},
                                             {"\0=\0", 3},     {"tokens", 6},
                                             {"user", 4},      {"level=status=500", 16},
                                             {"ts=1", 4}};
    char plain[16];
    switch (random_below(state, 8)) {
    case 0: {
        const struct ca_slice value = ONE_OF(state, routes);
        put(writer, "route=", 6);
        put(writer, value.bytes, value.byte_count);
        break;
    }
    case 1: {
        const struct ca_slice value = ONE_OF(state, models);
        put(writer, "model=", 6);
        put(writer, value.bytes, value.byte_count);
        break;
    }
    case 2: {
        const struct ca_slice value = ONE_OF(state, users);
        put(writer, "user=", 5);
        put(writer, value.bytes, value.byte_count);
        break;
    }
    case 3:
    case 4: {
        const bool is_latency = random_below(state, 2) == 0;
        put(writer, is_latency ? "latency_ms=" : "tokens=", is_latency ? 11 : 7);
        if (random_below(state, 3) > 0) {
            const int digit_count =
                snprintf(plain, sizeof plain, "%u", (unsigned)random_below(state, 3000));
            put(writer, plain, (size_t)digit_count);
        } else {
            const struct ca_slice value = ONE_OF(state, numbers);
            put(writer, value.bytes, value.byte_count);
        }
        break;
    }
    case 5: {
        const struct ca_slice value = ONE_OF(state, statuses);
        put(writer, "status=", 7);
        put(writer, value.bytes, value.byte_count);
        break;
    }
    default: {
        const struct ca_slice other = ONE_OF(state, others);
        put(writer, other.bytes, other.byte_count);
        break;
    }
    }
}

/* A line that is kept unless something added to it spoils it. */
static void put_good_fields(struct writer *writer, uint64_t *state) {
    static const char *const routes[] = {"/v1/chat", "/v1/rerank", "/r"};
    char fields[160];
    const int byte_count = snprintf(
        fields, sizeof fields, "route=%s model=%c user=u%05u tokens=%u latency_ms=%u status=200",
        ONE_OF(state, routes), (int)('a' + random_below(state, 3)),
        (unsigned)random_below(state, 40), (unsigned)random_below(state, 1500),
        (unsigned)random_below(state, 900));
    put(writer, fields, (size_t)byte_count);
}

static void put_line(struct writer *writer, uint64_t *state) {
    const bool is_good = random_below(state, 3) > 0;
    const uint64_t extra_count = is_good ? random_below(state, 4) : random_below(state, 24);
    const bool is_good_first = random_below(state, 2) == 0;
    if (is_good && is_good_first)
        put_good_fields(writer, state);
    for (uint64_t extra = 0; extra < extra_count; extra++) {
        put(writer, " ", 1);
        put_field(writer, state);
    }
    if (is_good && !is_good_first) {
        put(writer, " ", 1);
        put_good_fields(writer, state);
    }
}

struct text random_log(char *bytes, uint64_t *state) {
    static const struct ca_slice ends[] = {
        {"\n", 1}, {"\n", 1}, {"\r\n", 2}, {"\n\n", 2}, {"\r\r\n", 3}};
    struct writer writer = {bytes, 0};
    const uint64_t line_count = random_below(state, 40);
    for (uint64_t line = 0; line < line_count; line++) {
        const struct ca_slice end = ONE_OF(state, ends);
        put_line(&writer, state);
        if (line + 1 < line_count || random_below(state, 2) == 0)
            put(&writer, end.bytes, end.byte_count);
        else if (random_below(state, 2) == 0)
            put(&writer, "\r", 1);
    }
    return text_of(bytes, writer.used_bytes);
}
