/* SPDX-License-Identifier: MIT
 *
 * gen.h: makes the seeded log, the same bytes on every machine.
 *
 * For line i, counted from 0, SplitMix64 is drawn from in this order (below(n) is a number from 0
 * to n - 1):
 *
 *     route     below(5) of the routes          /v1/chat /v1/embed /v1/rerank /v1/score
 * /v1/tokenize model     m = below(6) of the models      mistral-7b llama-3-70b llama-3.1-8b
 * mixtral-8x7b qwen2.5-1.5b gemma-3n-e4b user      below(10000), as u%05d tokens    1 + below(1500)
 *     latency   40 + below(s) + below(s), s = 120 + 40 m; then, if below(50) is 0, times 2 +
 * below(9) status    below(1000): 0-19 429, 20-29 400, 30-34 404, 35-44 500, 45-49 503, else 200
 *
 * level is INFO for 200, WARN for 4xx, ERROR for 5xx; ts is 2026-11-03T00:00:00Z plus i / 12
 * seconds.
 */
#ifndef COUNTALLOC_GEN_H
#define COUNTALLOC_GEN_H

#include <stddef.h>
#include <stdint.h>

enum {
    CA_GEN_LINE_BYTES = 192 /* more than the longest line, with a year of 11 digits */
};

static const uint64_t ca_gen_default_line_count = 1000000;
static const uint64_t ca_gen_default_seed = 42;

struct ca_gen {
    uint64_t random_state;
    uint64_t line_index;
};

/* Starts a log. */
void ca_gen_init(struct ca_gen *gen, uint64_t seed);

/* Writes the next line with its newline to `ret_line`, CA_GEN_LINE_BYTES, and returns its size in
 * bytes. No NUL. */
size_t ca_gen_next(struct ca_gen *gen, char *ret_line);

struct ca_date {
    int64_t year;
    unsigned month; /* 1 to 12 */
    unsigned day;   /* 1 to 31 */
};

/* The date so many days after 1970-01-01, proleptic Gregorian, any year that fits. Source: Hinnant,
 * "chrono-Compatible Low-Level Date Algorithms", civil_from_days. */
struct ca_date ca_date_of_day(int64_t day_number);

#endif
