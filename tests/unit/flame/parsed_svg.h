/* SPDX-License-Identifier: MIT
 *
 * A flame graph as an XML parser sees it. */
#ifndef PARSED_SVG_H
#define PARSED_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct parsed_frame {
    uint64_t start, total;
    unsigned level;
    double x, y, width;
    char fill[8];
    char title[512];
};

struct parsed_svg {
    struct parsed_frame *frames; /* frame_count elements, in the document's order */
    size_t frame_count;
    size_t role_count; /* elements with a role */
    uint64_t total;
    char title[256];
    char description[1024];
    char problem[256]; /* what is not well-formed */
};

/* False, with the problem, when it is not well-formed. */
bool parsed_svg_init(struct parsed_svg *parsed, const char *bytes, size_t byte_count);

void parsed_svg_release(struct parsed_svg *parsed);

#endif
