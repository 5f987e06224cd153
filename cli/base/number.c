/* SPDX-License-Identifier: MIT */
#include "base/number.h"

#include <stddef.h>

static const char *digits(const char *text, uint64_t *ret_number, int *ret_digit_count) {
    uint64_t number = 0;
    int digit_count = 0;
    for (; *text >= '0' && *text <= '9'; text++, digit_count++)
        if (__builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*text - '0'), &number))
            return NULL;
    *ret_number = number;
    *ret_digit_count = digit_count;
    return text;
}

bool ca_number_parse(const char *text, uint64_t *ret_number) {
    uint64_t number;
    int digit_count;
    const char *end = digits(text, &number, &digit_count);
    if (end == NULL || digit_count == 0 || *end != '\0')
        return false;
    *ret_number = number;
    return true;
}

bool ca_number_parse_seconds(const char *text, uint64_t *ret_ns) {
    uint64_t seconds, fraction = 0;
    int digit_count, decimals = 0;
    const char *end = digits(text, &seconds, &digit_count);
    if (end == NULL || digit_count == 0)
        return false;
    if (*end == '.') {
        end = digits(end + 1, &fraction, &decimals);
        if (end == NULL || decimals == 0 || decimals > 9)
            return false;
    }
    for (; decimals < 9; decimals++)
        fraction *= 10;
    uint64_t elapsed_ns;
    if (*end != '\0' || __builtin_mul_overflow(seconds, 1000000000u, &elapsed_ns) ||
        __builtin_add_overflow(elapsed_ns, fraction, &elapsed_ns) || elapsed_ns > INT64_MAX)
        return false;
    *ret_ns = elapsed_ns;
    return true;
}
