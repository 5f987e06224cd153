/* SPDX-License-Identifier: MIT */
#include "base/near_name.h"

#include <stddef.h>
#include <string.h>

#define NAME_SIZE 64

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Damerau-Levenshtein distance, restricted form. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t cost[NAME_SIZE][NAME_SIZE];
    for (size_t i = 0; i <= a_length; i++)
        cost[i][0] = i;
    for (size_t j = 0; j <= b_length; j++)
        cost[0][j] = j;
    for (size_t i = 1; i <= a_length; i++)
        for (size_t j = 1; j <= b_length; j++) {
            size_t change = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost[i][j] = least(change, least(cost[i - 1][j], cost[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    return cost[a_length][b_length];
}

bool ca_is_near_name(const char *typed, const char *name) {
    size_t typed_length = strlen(typed), name_length = strlen(name);
    if (typed_length == 0 || typed_length >= NAME_SIZE || name_length >= NAME_SIZE)
        return false;
    if (typed_length < name_length && memcmp(typed, name, typed_length) == 0)
        return true;
    return distance(typed, typed_length, name, name_length) <= (name_length <= 3 ? 1u : 2u);
}
