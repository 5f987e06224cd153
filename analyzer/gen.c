/* SPDX-License-Identifier: MIT */
#include "gen.h"

#include <string.h>

#include "splitmix.h"

static const char *const routes[5] = {"/v1/chat", "/v1/embed", "/v1/rerank", "/v1/score",
                                      "/v1/tokenize"};
static const char *const models[6] = {"mistral-7b",   "llama-3-70b",  "llama-3.1-8b",
                                      "mixtral-8x7b", "qwen2.5-1.5b", "gemma-3n-e4b"};

enum {
    USER_COUNT = 10000,
    LINES_PER_SECOND = 12,
    SECONDS_PER_DAY = 86400,
    FIRST_DAY = 20760, /* 2026-11-03 */
};

void ca_gen_init(struct ca_gen *gen, uint64_t seed) {
    *gen = (struct ca_gen){seed, 0};
}

struct ca_date ca_date_of_day(int64_t day_number) {
    /* Years here begin in March, so that the leap day is the last one; an era is 400 of them. */
    const int64_t day = day_number + 719468;
    const int64_t era = (day >= 0 ? day : day - 146096) / 146097;
    const int64_t era_day = day - era * 146097;
    const int64_t era_year = (era_day - era_day / 1460 + era_day / 36524 - era_day / 146096) / 365;
    const int64_t year_day = era_day - (365 * era_year + era_year / 4 - era_year / 100);
    const int64_t month = (5 * year_day + 2) / 153;
    struct ca_date date;
    date.day = (unsigned)(year_day - (153 * month + 2) / 5 + 1);
    date.month = (unsigned)(month < 10 ? month + 3 : month - 9);
    date.year = era_year + era * 400 + (date.month <= 2);
    return date;
}

static char *put_text(char *at, const char *text) {
    const size_t byte_count = strlen(text);
    memcpy(at, text, byte_count);
    return at + byte_count;
}

/* Writes a decimal of at least `digit_count` digits. */
static char *put_number(char *at, uint64_t number, unsigned digit_count) {
    char digits[20];
    unsigned used = 0;
    do {
        digits[used++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    for (; used < digit_count; digit_count--)
        *at++ = '0';
    while (used > 0)
        *at++ = digits[--used];
    return at;
}

static char *put_timestamp(char *at, uint64_t line_index) {
    const uint64_t second = line_index / LINES_PER_SECOND;
    const uint64_t day_second = second % SECONDS_PER_DAY;
    const struct ca_date date = ca_date_of_day(FIRST_DAY + (int64_t)(second / SECONDS_PER_DAY));
    at = put_number(put_text(at, "ts="), (uint64_t)date.year, 4);
    at = put_number(put_text(at, "-"), date.month, 2);
    at = put_number(put_text(at, "-"), date.day, 2);
    at = put_number(put_text(at, "T"), day_second / 3600, 2);
    at = put_number(put_text(at, ":"), day_second / 60 % 60, 2);
    at = put_number(put_text(at, ":"), day_second % 60, 2);
    return put_text(at, "Z");
}

static unsigned status_of_draw(uint32_t draw) {
    if (draw < 20)
        return 429;
    if (draw < 30)
        return 400;
    if (draw < 35)
        return 404;
    if (draw < 45)
        return 500;
    return draw < 50 ? 503 : 200;
}

static const char *level_of_status(unsigned status) {
    if (status == 200)
        return "INFO";
    return status < 500 ? "WARN" : "ERROR";
}

size_t ca_gen_next(struct ca_gen *gen, char *ret_line) {
    uint64_t *random = &gen->random_state;
    const char *route = routes[ca_splitmix_below(random, 5)];
    const uint32_t model = ca_splitmix_below(random, 6);
    const uint32_t user = ca_splitmix_below(random, USER_COUNT);
    const uint32_t tokens = 1 + ca_splitmix_below(random, 1500);
    const uint32_t spread_ms = 120 + 40 * model;
    uint32_t latency_ms = 40 + ca_splitmix_below(random, spread_ms);
    latency_ms += ca_splitmix_below(random, spread_ms);
    if (ca_splitmix_below(random, 50) == 0)
        latency_ms *= 2 + ca_splitmix_below(random, 9);
    const unsigned status = status_of_draw(ca_splitmix_below(random, 1000));

    char *at = put_timestamp(ret_line, gen->line_index++);
    at = put_text(put_text(at, " level="), level_of_status(status));
    at = put_text(put_text(at, " route="), route);
    at = put_text(put_text(at, " model="), models[model]);
    at = put_number(put_text(at, " user=u"), user, 5);
    at = put_number(put_text(at, " tokens="), tokens, 1);
    at = put_number(put_text(at, " latency_ms="), latency_ms, 1);
    at = put_number(put_text(at, " status="), status, 1);
    at = put_text(at, "\n");
    return (size_t)(at - ret_line);
}
