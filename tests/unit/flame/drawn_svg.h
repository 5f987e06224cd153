/* SPDX-License-Identifier: MIT
 *
 * Folded lines in memory, drawn. */
#ifndef DRAWN_SVG_H
#define DRAWN_SVG_H

#include "flame/flame_svg.h"

struct drawn_svg {
    struct ca_stack_tree tree;
    struct ca_flame_result result;
    struct ca_byte_buffer text; /* ends in a NUL that is not counted */
};

/* `lines`, `old_lines` (or NULL): folded stacks. All must succeed. */
void drawn_svg_init(struct drawn_svg *drawn, const char *lines, const char *old_lines,
                    const struct ca_flame_style *style);

void drawn_svg_release(struct drawn_svg *drawn);

/* Adds folded lines to a column. */
void drawn_push_lines(struct ca_stack_tree *tree, const char *lines, enum ca_stack_column column);

/* For ca_out_init; `target`: a struct ca_byte_buffer. */
void drawn_collect(void *target, const char *bytes, size_t byte_count);

#endif
