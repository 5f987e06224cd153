/* SPDX-License-Identifier: MIT */
#include "flame/flame_number.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 ca_wide;

const char *ca_flame_number(uint64_t number, char *text) {
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
    char *to = text;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

const char *ca_flame_percent(uint64_t part, uint64_t whole, char *text) {
    double percent = whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
    if (part == whole)
        snprintf(text, CA_FLAME_NUMBER_SIZE, "100%%");
    else if (part > 0 && percent < 0.01)
        snprintf(text, CA_FLAME_NUMBER_SIZE, "<0.01%%");
    else
        snprintf(text, CA_FLAME_NUMBER_SIZE, "%.2f%%", percent > 99.99 ? 99.99 : percent);
    return text;
}

const char *ca_flame_change(uint64_t old_count, uint64_t new_count, char *text) {
    if (old_count == new_count) {
        snprintf(text, CA_FLAME_NUMBER_SIZE, "no change");
        return text;
    }
    bool is_more = new_count > old_count;
    char number[CA_FLAME_NUMBER_SIZE];
    uint64_t change = is_more ? new_count - old_count : old_count - new_count;
    ca_flame_number(change, number);
    char sign = is_more ? '+' : '-';
    if (old_count == 0)
        snprintf(text, CA_FLAME_NUMBER_SIZE, "%c%.30s (new)", sign, number);
    else
        snprintf(text, CA_FLAME_NUMBER_SIZE, "%c%.30s (%c%.1f%%)", sign, number, sign,
                 100.0 * (double)change / (double)old_count);
    return text;
}

/* The places that make every quotient by `unit_count` exact, from 3 to 6; 3 when none do. */
static unsigned places_for(uint64_t unit_count) {
    uint64_t scale = 1000;
    for (unsigned places = 3; places <= 6; places++, scale *= 10)
        if (scale % unit_count == 0)
            return places;
    return 3;
}

const char *ca_flame_rate(uint64_t number, uint64_t unit_count, char *text) {
    text[0] = '\0';
    if (unit_count == 0)
        return text;
    unsigned places = places_for(unit_count);
    uint64_t scale = 1;
    for (unsigned i = 0; i < places; i++)
        scale *= 10;
    ca_wide scaled = ((ca_wide)number * 2 * scale + unit_count) / ((ca_wide)unit_count * 2);
    char whole[CA_FLAME_NUMBER_SIZE];
    if (number == 0)
        snprintf(text, CA_FLAME_NUMBER_SIZE, "0");
    else if (scaled == 0)
        snprintf(text, CA_FLAME_NUMBER_SIZE, "<0.001");
    else
        snprintf(text, CA_FLAME_NUMBER_SIZE, "%.40s.%0*" PRIu64,
                 ca_flame_number((uint64_t)(scaled / scale), whole), (int)places,
                 (uint64_t)(scaled % scale));
    return text;
}

int ca_flame_unit_length(const char *unit, uint64_t number) {
    size_t length = strlen(unit);
    bool is_plural = length > 2 && unit[length - 1] == 's' && unit[length - 2] != 's';
    return (int)(number == 1 && is_plural ? length - 1 : length);
}
