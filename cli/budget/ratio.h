/* SPDX-License-Identifier: MIT
 *
 * Exact arithmetic for budgets: integers and fractions of integers, never floating point. Counts
 * have 64 bits, so 128 are enough for everything that is made of them: the largest limit there can
 * be, (2^64-1) * (2^64-1) + (2^64-1) + (2^64-1), is 2^128 - 1.
 */
#ifndef CA_RATIO_H
#define CA_RATIO_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 ca_u128;
__extension__ typedef __int128 ca_i128;

#define CA_NUMBER_TEXT_SIZE 48u /* 2^128 has 39 digits; with a sign, "about " and a NUL */

/* A fraction in its lowest terms; `denominator` is not 0. */
struct ca_ratio {
    uint64_t numerator;
    uint64_t denominator;
};

/* Reads digits and nothing else. Returns NULL, or what is wrong with `text` as the end of a
 * sentence that begins with the text ("is negative"); then `*ret_number` is untouched. */
const char *ca_integer_parse(const char *text, uint64_t *ret_number);

/* Reads an integer, N/D, or a decimal such as 0.25 (digits on both sides of the point; taken
 * exactly). Returns as ca_integer_parse does. */
const char *ca_ratio_parse(const char *text, struct ca_ratio *ret_ratio);

/* `numerator` / `denominator` (not 0) in its lowest terms. */
struct ca_ratio ca_ratio_of(uint64_t numerator, uint64_t denominator);

/* Below 0, 0, above 0: `a` is smaller, equal, larger. */
int ca_ratio_compare(struct ca_ratio a, struct ca_ratio b);

/* The whole part of `ratio` * `count`. Enough for comparing it with a count, which is whole, too.
 */
ca_u128 ca_ratio_times(struct ca_ratio ratio, uint64_t count);

/* Decimal digits, CA_NUMBER_TEXT_SIZE bytes at most; `ret_text` is returned. */
const char *ca_u128_text(ca_u128 number, char *ret_text);
const char *ca_i128_text(ca_i128 number, char *ret_text);

/* "21" or "1/4". */
const char *ca_ratio_text(struct ca_ratio ratio, char *ret_text);

/* `number` / `divisor` (not 0) with at most six decimals: "1.003"; "about 0.333333" when more would
 * follow. Cut, not rounded: what is less than 21 never reads 21. |number| is below 2^66. */
const char *ca_quotient_text(ca_i128 number, uint64_t divisor, char *ret_text);

#endif
