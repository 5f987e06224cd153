/* SPDX-License-Identifier: MIT
 *
 * Text for XML and HTML: escaped, always well-formed, whatever the bytes. */
#ifndef CA_XML_TEXT_H
#define CA_XML_TEXT_H

#include "interpose/report/record.h"

/* The UTF-8 character at the front of `bytes`: how many bytes it takes, at least 1, and its code
 * point in `*ret_point`: 0xFFFD for bytes that are not UTF-8 (which take one each) and for
 * characters that XML 1.0 (section 2.2) has no way to write. `byte_count` is at least 1. */
size_t ca_xml_character(const char *bytes, size_t byte_count, uint32_t *ret_point);

/* Writes the bytes as character data that fits between tags and in quoted attributes, too. A line
 * feed stays one; other control characters become U+FFFD. */
void ca_xml_write(struct ca_out *out, const char *bytes, size_t byte_count);

/* The columns that the text takes in a fixed-width font: 2 for East Asian wide characters, else 1.
 */
size_t ca_xml_columns(const char *bytes, size_t byte_count);

/* The front of `bytes` that fits into `columns`: a number of bytes, at a character's end. */
size_t ca_xml_fitting(const char *bytes, size_t byte_count, size_t columns);

#endif
