/* SPDX-License-Identifier: MIT */
#include "drawn_svg.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

void drawn_collect(void *target, const char *bytes, size_t byte_count) {
    cr_assert(ca_byte_buffer_add(target, bytes, byte_count));
}

void drawn_push_lines(struct ca_stack_tree *tree, const char *lines, enum ca_stack_column column) {
    while (*lines != '\0') {
        struct ca_frame_name frames[64];
        size_t frame_count = 0, length = strcspn(lines, "\n"), stack_bytes = length;
        while (lines[stack_bytes] != ' ')
            stack_bytes--;
        for (const char *at = lines, *end = lines + stack_bytes; at <= end;) {
            const char *next = memchr(at, ';', (size_t)(end - at));
            next = next != NULL ? next : end;
            frames[frame_count++] = (struct ca_frame_name){at, (size_t)(next - at)};
            at = next + 1;
        }
        uint64_t count = strtoull(lines + stack_bytes, NULL, 10);
        cr_assert_eq(ca_stack_tree_push(tree, frames, frame_count, column, count, NULL), CA_OK);
        lines += length + (lines[length] == '\n');
    }
}

void drawn_svg_init(struct drawn_svg *drawn, const char *lines, const char *old_lines,
                    const struct ca_flame_style *style) {
    struct ca_out out;
    *drawn = (struct drawn_svg){0};
    cr_assert_eq(ca_stack_tree_init(&drawn->tree, NULL), CA_OK);
    drawn_push_lines(&drawn->tree, lines, CA_STACK_NEW);
    if (old_lines != NULL)
        drawn_push_lines(&drawn->tree, old_lines, CA_STACK_OLD);
    cr_assert_eq(ca_stack_tree_finish(&drawn->tree, NULL), CA_OK);
    ca_out_init(&out, drawn_collect, &drawn->text);
    cr_assert_eq(ca_flame_svg_write(&drawn->tree, style, &out, &drawn->result, NULL), CA_OK);
    ca_out_flush(&out);
    drawn_collect(&drawn->text, "", 1);
    drawn->text.byte_count--;
}

void drawn_svg_release(struct drawn_svg *drawn) {
    ca_stack_tree_release(&drawn->tree);
    ca_byte_buffer_release(&drawn->text);
}
