/* SPDX-License-Identifier: MIT */
#include "flame/flame_color.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "flame/name_table.h"

static unsigned char between(unsigned from, unsigned to, double share_ratio) {
    return (unsigned char)lround(from + ((double)to - from) * share_ratio);
}

static bool ends_with(const char *bytes, size_t byte_count, const char *end) {
    size_t length = strlen(end);
    return byte_count >= length && memcmp(bytes + byte_count - length, end, length) == 0;
}

struct ca_color ca_color_of_name(const char *bytes, size_t byte_count) {
    /* FNV leaves names that differ in their last letter alike in the high bits. */
    uint64_t hash = ca_bytes_hash(bytes, byte_count);
    hash = (hash ^ (hash >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    double first = (double)(hash >> 48) / 65535, second = (double)(hash >> 32 & 0xffff) / 65535;
    if (ends_with(bytes, byte_count, "_[k]"))
        return (struct ca_color){between(148, 186, first), between(186, 214, first),
                                 between(214, 240, second)};
    if (byte_count > 1 && bytes[0] == '[' && bytes[byte_count - 1] == ']') {
        unsigned char grey = between(198, 218, first);
        return (struct ca_color){grey, (unsigned char)(grey - 3), (unsigned char)(grey - 8)};
    }
    return (struct ca_color){between(236, 253, second), between(138, 214, first),
                             between(86, 124, second)};
}

struct ca_color ca_color_of_change(uint64_t old_count, uint64_t new_count,
                                   uint64_t largest_change) {
    bool is_more = new_count > old_count;
    uint64_t change = is_more ? new_count - old_count : old_count - new_count;
    if (change == 0 || largest_change == 0)
        return (struct ca_color){228, 227, 224};
    /* The root, because small changes must be seen beside one large one. */
    double depth = 0.03 + 0.97 * sqrt((double)change / (double)largest_change);
    depth = depth > 1 ? 1 : depth;
    if (is_more)
        return (struct ca_color){between(236, 242, depth), between(226, 104, depth),
                                 between(222, 88, depth)};
    return (struct ca_color){between(222, 108, depth), between(227, 164, depth),
                             between(236, 236, depth)};
}
