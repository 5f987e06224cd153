/* SPDX-License-Identifier: MIT */
#include "flame/xml_text.h"

#include <stdio.h>

#define REPLACEMENT 0xfffdu

/* The length that a first byte announces; 0 for a byte that cannot be first. */
static size_t announced(unsigned char first) {
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

static bool is_xml(uint32_t point) {
    return point == '\t' || point == '\n' || (point >= 0x20 && point < 0xd800 && point != 0x7f) ||
           (point >= 0xe000 && point < 0xfffe) || (point >= 0x10000 && point < 0x110000);
}

size_t ca_xml_character(const char *bytes, size_t byte_count, uint32_t *ret_point) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)bytes;
    size_t length = announced(at[0]);
    *ret_point = REPLACEMENT;
    if (length == 0 || length > byte_count)
        return 1;
    uint32_t point = length == 1 ? at[0] : at[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 1;
        point = point << 6 | (at[i] & 0x3fu);
    }
    bool is_surrogate = point >= 0xd800 && point < 0xe000;
    if (point < smallest[length] || is_surrogate || point > 0x10ffff)
        return 1;
    if (is_xml(point))
        *ret_point = point;
    return length;
}

void ca_xml_write(struct ca_out *out, const char *bytes, size_t byte_count) {
    for (size_t at = 0, length; at < byte_count; at += length) {
        uint32_t point;
        length = ca_xml_character(bytes + at, byte_count - at, &point);
        switch (point) {
        case '&':
            ca_out_text(out, "&amp;");
            break;
        case '<':
            ca_out_text(out, "&lt;");
            break;
        case '>':
            ca_out_text(out, "&gt;");
            break;
        case '"':
            ca_out_text(out, "&quot;");
            break;
        case '\'':
            ca_out_text(out, "&#39;");
            break;
        case REPLACEMENT:
            ca_out_text(out, "\xef\xbf\xbd");
            break;
        default:
            ca_out_bytes(out, bytes + at, length);
        }
    }
}

/* The blocks of Unicode's East Asian Width W and F that matter in names. */
static size_t width_of(uint32_t point) {
    bool is_wide = (point >= 0x1100 && point < 0x1160) || (point >= 0x2e80 && point < 0xa4d0) ||
                   (point >= 0xac00 && point < 0xd7a4) || (point >= 0xf900 && point < 0xfb00) ||
                   (point >= 0xff00 && point < 0xff61) || (point >= 0x1f300 && point < 0x1fb00) ||
                   (point >= 0x20000 && point < 0x40000);
    return is_wide ? 2 : 1;
}

size_t ca_xml_fitting(const char *bytes, size_t byte_count, size_t columns) {
    size_t at = 0;
    while (at < byte_count) {
        uint32_t point;
        size_t length = ca_xml_character(bytes + at, byte_count - at, &point);
        if (width_of(point) > columns)
            break;
        columns -= width_of(point);
        at += length;
    }
    return at;
}

size_t ca_xml_columns(const char *bytes, size_t byte_count) {
    size_t columns = 0;
    for (size_t at = 0; at < byte_count;) {
        uint32_t point;
        at += ca_xml_character(bytes + at, byte_count - at, &point);
        columns += width_of(point);
    }
    return columns;
}
