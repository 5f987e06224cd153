/* SPDX-License-Identifier: MIT */
#include "budget/ratio.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define DECIMALS         6
#define DECIMALS_DIVISOR 1000000u

static const char too_large[] = "does not fit in 64 bits";

static bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

/* What can be said before the form matters. */
static const char *common_problem(const char *text) {
    if (*text == '\0')
        return "has no value";
    if (strchr(text, '#') != NULL)
        return "is no number: '#' does not begin a comment behind a value, ';' does";
    if (*text == '-')
        return "is negative";
    return NULL;
}

static bool append_digit(uint64_t *number, char digit) {
    return !__builtin_mul_overflow(*number, 10u, number) &&
           !__builtin_add_overflow(*number, (uint64_t)(digit - '0'), number);
}

/* Reads digits; NULL when they are too many. */
static const char *read_digits(const char *text, uint64_t *ret_number) {
    uint64_t number = 0;
    for (; is_digit(*text); text++)
        if (!append_digit(&number, *text))
            return NULL;
    *ret_number = number;
    return text;
}

const char *ca_integer_parse(const char *text, uint64_t *ret_number) {
    static const char no_integer[] = "is no whole number";
    const char *problem = common_problem(text);
    if (problem != NULL)
        return problem;
    if (text[strspn(text, "0123456789")] != '\0')
        return no_integer;
    return read_digits(text, ret_number) != NULL ? NULL : too_large;
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

struct ca_ratio ca_ratio_of(uint64_t numerator, uint64_t denominator) {
    uint64_t divisor = greatest_divisor(numerator, denominator);
    return (struct ca_ratio){numerator / divisor, denominator / divisor};
}

/* `decimals`: the digits behind the point. */
static const char *add_decimals(uint64_t whole, const char *decimals, struct ca_ratio *ret_ratio) {
    size_t length = strlen(decimals);
    while (length > 0 && decimals[length - 1] == '0')
        length--;
    uint64_t numerator = whole, denominator = 1;
    for (size_t i = 0; i < length; i++)
        if (!append_digit(&numerator, decimals[i]) ||
            __builtin_mul_overflow(denominator, 10u, &denominator))
            return too_large;
    *ret_ratio = ca_ratio_of(numerator, denominator);
    return NULL;
}

const char *ca_ratio_parse(const char *text, struct ca_ratio *ret_ratio) {
    static const char no_ratio[] = "is no number: a rate is an integer, N/D or a decimal like 0.25";
    const char *problem = common_problem(text);
    if (problem != NULL)
        return problem;
    size_t length = strspn(text, "0123456789");
    char mark = text[length];
    const char *rest = mark != '\0' ? text + length + 1 : NULL;
    if (length == 0 || (mark != '\0' && mark != '/' && mark != '.'))
        return no_ratio;
    if (rest != NULL && (*rest == '\0' || rest[strspn(rest, "0123456789")] != '\0'))
        return no_ratio;
    uint64_t whole, denominator = 1;
    if (read_digits(text, &whole) == NULL)
        return too_large;
    if (mark == '.')
        return add_decimals(whole, rest, ret_ratio);
    if (rest != NULL && read_digits(rest, &denominator) == NULL)
        return too_large;
    if (denominator == 0)
        return "divides by 0";
    *ret_ratio = ca_ratio_of(whole, denominator);
    return NULL;
}

int ca_ratio_compare(struct ca_ratio a, struct ca_ratio b) {
    ca_u128 left = (ca_u128)a.numerator * b.denominator;
    ca_u128 right = (ca_u128)b.numerator * a.denominator;
    return (left > right) - (left < right);
}

ca_u128 ca_ratio_times(struct ca_ratio ratio, uint64_t count) {
    return (ca_u128)ratio.numerator * count / ratio.denominator;
}

const char *ca_u128_text(ca_u128 number, char *ret_text) {
    char digits[CA_NUMBER_TEXT_SIZE];
    size_t at = sizeof digits;
    digits[--at] = '\0';
    do {
        digits[--at] = (char)('0' + (int)(number % 10));
        number /= 10;
    } while (number != 0);
    return memcpy(ret_text, digits + at, sizeof digits - at);
}

const char *ca_i128_text(ca_i128 number, char *ret_text) {
    if (number >= 0)
        return ca_u128_text((ca_u128)number, ret_text);
    ret_text[0] = '-';
    ca_u128_text(-(ca_u128)number, ret_text + 1);
    return ret_text;
}

const char *ca_ratio_text(struct ca_ratio ratio, char *ret_text) {
    ca_u128_text(ratio.numerator, ret_text);
    if (ratio.denominator != 1) {
        size_t length = strlen(ret_text);
        ret_text[length] = '/';
        ca_u128_text(ratio.denominator, ret_text + length + 1);
    }
    return ret_text;
}

const char *ca_quotient_text(ca_i128 number, uint64_t divisor, char *ret_text) {
    ca_u128 size = number < 0 ? -(ca_u128)number : (ca_u128)number;
    ca_u128 scaled = size % divisor * DECIMALS_DIVISOR;
    char whole[CA_NUMBER_TEXT_SIZE];
    char decimals[DECIMALS + 1];
    snprintf(decimals, sizeof decimals, "%0*u", DECIMALS, (unsigned)(scaled / divisor));
    for (size_t i = DECIMALS; i > 0 && decimals[i - 1] == '0'; i--)
        decimals[i - 1] = '\0';
    snprintf(ret_text, CA_NUMBER_TEXT_SIZE, "%s%s%s%s%s", scaled % divisor != 0 ? "about " : "",
             number < 0 ? "-" : "", ca_u128_text(size / divisor, whole),
             decimals[0] != '\0' ? "." : "", decimals);
    return ret_text;
}
