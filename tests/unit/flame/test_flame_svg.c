/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawn_svg.h"
#include "parsed_svg.h"

static const struct ca_flame_style plain = {.title = "Title", .unit = "samples", .width_px = 1200};

/* What a frame leaves free at its right, and the rounding of numbers. */
#define HAIRLINE_PX 0.62

static struct drawn_svg drawn;
static struct parsed_svg parsed;

static void draw(const char *lines, const char *old_lines, const struct ca_flame_style *style) {
    drawn_svg_init(&drawn, lines, old_lines, style);
    cr_assert(parsed_svg_init(&parsed, drawn.text.bytes, drawn.text.byte_count), "%s",
              parsed.problem);
}

static void release(void) {
    drawn_svg_release(&drawn);
    parsed_svg_release(&parsed);
}

static const struct parsed_frame *frame_of(const char *name) {
    for (size_t i = 0; i < parsed.frame_count; i++)
        if (strncmp(parsed.frames[i].title, name, strlen(name)) == 0 &&
            parsed.frames[i].title[strlen(name)] == '\n')
            return &parsed.frames[i];
    cr_assert(false, "no frame '%s'", name);
    return NULL;
}

Test(flame_svg, each_frame_has_its_count_share_and_place, .fini = release) {
    draw("main;a 1\nmain;b;c 1000\nmain 999\n", NULL, &plain);
    cr_assert_eq(parsed.frame_count, 5);
    cr_assert_str_eq(frame_of("all")->title, "all\n2,000 samples, 100%");
    cr_assert_str_eq(frame_of("main")->title, "main\n2,000 samples, 100%, 999 of its own");
    cr_assert_str_eq(frame_of("a")->title, "a\n1 sample, 0.05%");
    cr_assert_str_eq(frame_of("c")->title, "c\n1,000 samples, 50.00%");
    cr_assert_eq(frame_of("a")->start, 0);
    cr_assert_eq(frame_of("b")->start, 1);
    cr_assert_eq(frame_of("c")->start, 1);
    cr_assert_eq(frame_of("c")->level, 4);
    cr_assert_eq(parsed.total, 2000);
}

Test(flame_svg, counts_are_given_per_unit_too, .fini = release) {
    struct ca_flame_style style = plain;
    style.per = "line";
    style.per_count = 1000;
    draw("main;a 1\nmain;b;c 1000\nmain 999\n", NULL, &style);
    cr_assert_str_eq(frame_of("all")->title, "all\n2,000 samples, 2.000 per line, 100%");
    cr_assert_str_eq(frame_of("a")->title, "a\n1 sample, 0.001 per line, 0.05%");
    cr_assert_neq(strstr(drawn.text.bytes, ">2,000 samples, 2.000 per line</text>"), NULL);
    cr_assert_eq(strncmp(parsed.description, "Flame graph of 2,000 samples, 2.000 per line.", 45),
                 0);
}

Test(flame_svg, frames_lie_inside_their_callers_and_do_not_overlap, .fini = release) {
    static char lines[200000];
    size_t length = 0;
    for (unsigned i = 0; i < 4000; i++)
        length += (size_t)snprintf(lines + length, sizeof lines - length, "r%u;a%u;b%u;c%u %u\n",
                                   i % 2, i % 7, i % 13, i % 29, i % 5 + 1);
    draw(lines, NULL, &plain);
    double end_of_level[8] = {0};
    uint64_t roots = 0;
    for (size_t i = 0; i < parsed.frame_count; i++) {
        const struct parsed_frame *frame = &parsed.frames[i];
        cr_assert(frame->x >= end_of_level[frame->level] - 0.011);
        end_of_level[frame->level] = frame->x + frame->width;
        cr_assert(frame->level == 1 ||
                  frame->x + frame->width <= end_of_level[frame->level - 1] + HAIRLINE_PX);
        cr_assert(frame->x >= 14 && frame->x + frame->width <= 1200 - 14 + 0.011);
        roots += frame->level == 2 ? frame->total : 0;
    }
    cr_assert_eq(roots, parsed.total);
    cr_assert_eq(parsed.total, 12000);
}

Test(flame_svg, any_bytes_make_well_formed_xml, .fini = release) {
    char lines[512] = "<b>&amp;\"'];]]>;x\xff\xc3 1\n";
    size_t length = strlen(lines);
    for (int byte = 1; byte < 256; byte++)
        if (byte != '\n' && byte != ';' && byte != ' ')
            lines[length++] = (char)byte;
    memcpy(lines + length, " 1\n", 4);
    draw(lines, NULL,
         &(struct ca_flame_style){
             .title = "<title> & \xff", .unit = "\"units\" & <more>", .width_px = 1200});
    cr_assert_eq(parsed.frame_count, 6);
    cr_assert_str_eq(parsed.title, "<title> & \xef\xbf\xbd");
}

Test(flame_svg, frames_too_narrow_to_see_are_left_out_and_counted, .fini = release) {
    static char lines[200000];
    size_t length = (size_t)snprintf(lines, sizeof lines, "main;wide 1000000\n");
    for (unsigned i = 0; i < 3000; i++)
        length +=
            (size_t)snprintf(lines + length, sizeof lines - length, "main;thin%u;leaf 1\n", i);
    draw(lines, NULL, &plain);
    cr_assert_eq(parsed.frame_count, 3);
    cr_assert_eq(drawn.result.drawn_count, 3);
    cr_assert_eq(drawn.result.narrow_count, 6000);
    cr_assert_eq(drawn.result.frame_count, 6003);
    cr_assert_neq(strstr(drawn.text.bytes, ">Not drawn: 6,000 frames narrower than 0.1 px<"), NULL);
}

Test(flame_svg, levels_too_deep_are_left_out_and_counted, .fini = release) {
    struct ca_out out;
    uint32_t node = CA_STACK_ROOT, name;
    cr_assert_eq(ca_stack_tree_init(&drawn.tree, NULL), CA_OK);
    cr_assert_eq(ca_stack_tree_name(&drawn.tree, "f", 1, &name, NULL), CA_OK);
    for (int i = 0; i < 60000; i++)
        cr_assert_eq(ca_stack_tree_child(&drawn.tree, node, name, &node, NULL), CA_OK);
    cr_assert_eq(ca_stack_tree_add(&drawn.tree, node, CA_STACK_NEW, 1, NULL), CA_OK);
    cr_assert_eq(ca_stack_tree_finish(&drawn.tree, NULL), CA_OK);
    ca_out_init(&out, drawn_collect, &drawn.text);
    cr_assert_eq(ca_flame_svg_write(&drawn.tree, &plain, &out, &drawn.result, NULL), CA_OK);
    ca_out_flush(&out);
    cr_assert(parsed_svg_init(&parsed, drawn.text.bytes, drawn.text.byte_count));
    cr_assert_eq(parsed.frame_count, CA_FLAME_DEPTH_MAX + 1);
    cr_assert_eq(drawn.result.deep_count, 60000 - CA_FLAME_DEPTH_MAX);
    cr_assert_eq(drawn.result.narrow_count, 0);
}

Test(flame_svg, inverted_hangs_the_other_way_round, .fini = release) {
    struct ca_flame_style inverted = plain;
    draw("main;a 1\n", NULL, &plain);
    cr_assert_gt(frame_of("main")->y, frame_of("a")->y);
    release();
    inverted.is_inverted = true;
    draw("main;a 1\n", NULL, &inverted);
    cr_assert_lt(frame_of("main")->y, frame_of("a")->y);
    cr_assert_lt(frame_of("all")->y, frame_of("main")->y);
}

Test(flame_svg, a_difference_has_the_new_widths_and_tells_the_changes, .fini = release) {
    struct ca_flame_style difference = plain;
    difference.is_difference = true;
    draw("main;more 30\nmain;less 10\nmain;new 2\nmain;same 8\n",
         "main;more 10\nmain;less 30\nmain;gone;deep 5\nmain;same 8\n", &difference);
    cr_assert_eq(parsed.frame_count, 6);
    cr_assert_str_eq(frame_of("more")->title, "more\n30 samples, 60.00%, +20 (+200.0%)");
    cr_assert_str_eq(frame_of("less")->title, "less\n10 samples, 20.00%, -20 (-66.7%)");
    cr_assert_str_eq(frame_of("new")->title, "new\n2 samples, 4.00%, +2 (new)");
    cr_assert_str_eq(frame_of("same")->title, "same\n8 samples, 16.00%, no change");
    cr_assert_str_eq(frame_of("more")->fill, "#f26858");
    cr_assert_str_eq(frame_of("less")->fill, "#6ca4ec");
    cr_assert_str_eq(frame_of("same")->fill, "#e4e3e0");
    cr_assert_eq(drawn.result.gone_stacks, 1);
    cr_assert_eq(drawn.result.gone_count, 5);
    cr_assert_neq(strstr(drawn.text.bytes,
                         "50 samples, -3 (-5.7%); not in the picture because they "
                         "are gone: 5 samples in 1 stack<"),
                  NULL);
}

Test(flame_svg, it_is_described_for_those_who_do_not_see_it, .fini = release) {
    draw("main;parse;strcmp 56\nmain;parse 9\nmain;copy 35\n", NULL, &plain);
    cr_assert_str_eq(parsed.title, "Title");
    cr_assert_str_eq(parsed.description,
                     "Flame graph of 100 samples. A frame is as wide as its share; it lies above "
                     "its caller; from left to right the order is alphabetical. Most on its own: "
                     "strcmp 56.00%, copy 35.00%, parse 9.00%.");
    cr_assert_eq(parsed.role_count, 1 + 1 + parsed.frame_count);
}

Test(flame_svg, counts_beyond_53_bits_are_written_exactly, .fini = release) {
    draw("a 9007199254740993\nb 9223372036854775807\n", NULL, &plain);
    cr_assert_eq(frame_of("a")->total, UINT64_C(9007199254740993));
    cr_assert_eq(frame_of("b")->start, UINT64_C(9007199254740993));
    cr_assert_eq(parsed.total, UINT64_C(9232379236109516800));
}

Test(flame_svg, needs_nothing_from_elsewhere, .fini = release) {
    draw("main 1\n", NULL, &plain);
    const char *at = drawn.text.bytes;
    for (size_t i = 0; (at = strstr(at, "http")) != NULL; at++, i++)
        cr_assert(strncmp(at, "http://www.w3.org/", 18) == 0, "%.40s", at);
    cr_assert_eq(strstr(drawn.text.bytes, "@import"), NULL);
    cr_assert_eq(strstr(drawn.text.bytes, "url("), NULL);
}
