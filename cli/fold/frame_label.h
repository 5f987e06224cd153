/* SPDX-License-Identifier: MIT
 *
 * A function's name as it stands in a folded line: demangled, and free of what would be read as
 * something else there. */
#ifndef CA_FRAME_LABEL_H
#define CA_FRAME_LABEL_H

#include <stdbool.h>

#include "flame/byte_buffer.h"

/* Replaces the contents of `label` by the name:
 * - C++ and Rust symbols demangled; Rust names that a C++ demangler has half done ("_$LT$…", a hash
 *   at the end) completed;
 * - ';' becomes ':' (as in FlameGraph and inferno), control characters become ' ';
 * - blanks at both ends go; a name that ends in a blank and a number gets '_' for that blank,
 * because flamegraph.pl takes two numbers at a line's end for those of a comparison;
 * - an empty name becomes "[unknown]".
 * False when there is no memory. */
bool ca_frame_label(struct ca_byte_buffer *label, const char *name, size_t byte_count);

/* The label of a function without a name: "[libc.so.6]" from the path of its file, "[unknown]" when
 * that is not known either (empty, or with "unknown" in brackets). */
bool ca_frame_label_of_file(struct ca_byte_buffer *label, const char *path, size_t byte_count);

/* The label of a thread, which begins each stack of perf: blanks become '_' (as in FlameGraph). */
bool ca_frame_label_of_thread(struct ca_byte_buffer *label, const char *name, size_t byte_count);

#endif
