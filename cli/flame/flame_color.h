/* SPDX-License-Identifier: MIT
 *
 * Colours of frames. All are light enough for dark text: a contrast of at least 5.5 to 1 against
 * #1c1917 (WCAG 2.1 asks for 4.5). */
#ifndef CA_FLAME_COLOR_H
#define CA_FLAME_COLOR_H

#include <stddef.h>
#include <stdint.h>

struct ca_color {
    unsigned char red, green, blue;
};

/* A function's colour depends on nothing but its name, so it is the same in every picture: warm;
 * cool for kernel functions ("…_[k]"), grey for what has no name of its own ("[unknown]",
 * "[libc.so.6]"). */
struct ca_color ca_color_of_name(const char *bytes, size_t byte_count);

/* The colour of a change between two counts: red for more, blue for less, near white for none; the
 * deeper, the larger it is beside `largest_change`, the largest one in the picture. */
struct ca_color ca_color_of_change(uint64_t old_count, uint64_t new_count, uint64_t largest_change);

#endif
