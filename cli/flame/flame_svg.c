/* SPDX-License-Identifier: MIT */
#include "flame/flame_svg.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flame/flame_assets.h"
#include "flame/flame_color.h"
#include "flame/flame_number.h"
#include "flame/flame_summary.h"
#include "flame/xml_text.h"

#define MARGIN 14u
#define HEAD   84u
#define FOOT   34u
#define ROW    18u
#define LETTER_PX                                                                                  \
    7.23 /* of 12 px fixed-width fonts; DejaVu Sans Mono's 7.224 is the widest usual one */
#define NARROW_PX         0.1
#define HEADING_LETTER_PX 10u
#define TOOLS_COLUMNS     30u
#define ROOT_LABEL        "all"

struct picture {
    const struct ca_stack_tree *tree;
    const struct ca_flame_style *style;
    struct ca_out *out;
    struct ca_flame_result result;
    uint64_t *starts; /* of the frame at each depth: counts to its left */
    uint64_t total;
    uint64_t largest_change;
    uint32_t deepest; /* the deepest level that is drawn */
    double px_per_count;
};

static void print(struct picture *picture, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* For numbers and constants: whatever a file says goes through ca_xml_write. */
static void print(struct picture *picture, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ca_out_text(picture->out, text);
}

static void print_escaped(struct picture *picture, const char *text) {
    ca_xml_write(picture->out, text, strlen(text));
}

static void print_count(struct picture *picture, uint64_t count) {
    char text[CA_FLAME_NUMBER_SIZE];
    const char *unit = picture->style->unit;
    print(picture, "%s ", ca_flame_number(count, text));
    ca_xml_write(picture->out, unit, (size_t)ca_flame_unit_length(unit, count));
}

/* ", 21.508 per line". */
static void print_rate(struct picture *picture, uint64_t count) {
    char text[CA_FLAME_NUMBER_SIZE];
    const struct ca_flame_style *style = picture->style;
    if (style->per == NULL || style->per_count == 0)
        return;
    print(picture, ", %s per ", ca_flame_rate(count, style->per_count, text));
    print_escaped(picture, style->per);
}

static const struct ca_stack_node *node_of(const struct picture *picture, uint32_t node) {
    return &picture->tree->nodes[node];
}

static struct ca_frame_name label_of(const struct picture *picture, uint32_t node) {
    if (node == CA_STACK_ROOT)
        return (struct ca_frame_name){ROOT_LABEL, strlen(ROOT_LABEL)};
    return ca_stack_tree_frame(picture->tree, node);
}

static double width_of(const struct picture *picture, uint32_t node) {
    return (double)node_of(picture, node)->total_count[CA_STACK_NEW] * picture->px_per_count;
}

static bool is_drawn(const struct picture *picture, uint32_t node) {
    return node_of(picture, node)->depth <= CA_FLAME_DEPTH_MAX &&
           width_of(picture, node) >= NARROW_PX;
}

static void measure(struct picture *picture) {
    const struct ca_stack_tree *tree = picture->tree;
    struct ca_flame_result *result = &picture->result;
    bool is_cut_by_depth = false;
    uint32_t cut_depth = UINT32_MAX;
    uint32_t node = CA_STACK_ROOT;
    do {
        const struct ca_stack_node *at = &tree->nodes[node];
        uint64_t old_count = at->total_count[CA_STACK_OLD];
        uint64_t new_count = at->total_count[CA_STACK_NEW];
        if (at->self_count[CA_STACK_OLD] > 0 && at->self_count[CA_STACK_NEW] == 0) {
            result->gone_stacks++;
            result->gone_count += at->self_count[CA_STACK_OLD];
        }
        if (at->depth <= cut_depth)
            cut_depth = UINT32_MAX;
        result->frame_count += new_count > 0;
        if (cut_depth == UINT32_MAX && !is_drawn(picture, node)) {
            cut_depth = at->depth;
            is_cut_by_depth = at->depth > CA_FLAME_DEPTH_MAX;
        }
        if (cut_depth == UINT32_MAX) {
            uint64_t change = new_count > old_count ? new_count - old_count : old_count - new_count;
            picture->largest_change =
                change > picture->largest_change ? change : picture->largest_change;
            picture->deepest = at->depth > picture->deepest ? at->depth : picture->deepest;
            result->drawn_count++;
        } else if (is_cut_by_depth) {
            result->deep_count += new_count > 0;
        } else {
            result->narrow_count += new_count > 0;
        }
    } while ((node = ca_stack_tree_next(tree, node, false)) != 0);
}

static unsigned height_of(const struct picture *picture) {
    return HEAD + (picture->deepest + 1) * ROW + FOOT;
}

static unsigned top_of(const struct picture *picture, uint32_t depth) {
    return HEAD + (picture->style->is_inverted ? depth : picture->deepest - depth) * ROW;
}

static void write_tooltip(struct picture *picture, uint32_t node) {
    const struct ca_stack_node *at = node_of(picture, node);
    struct ca_frame_name label = label_of(picture, node);
    char text[CA_FLAME_NUMBER_SIZE];
    uint64_t count = at->total_count[CA_STACK_NEW];
    ca_out_text(picture->out, "<title>");
    ca_xml_write(picture->out, label.bytes, label.byte_count);
    ca_out_text(picture->out, "\n");
    print_count(picture, count);
    print_rate(picture, count);
    print(picture, ", ");
    print_escaped(picture, ca_flame_percent(count, picture->total, text));
    if (at->self_count[CA_STACK_NEW] > 0 && at->self_count[CA_STACK_NEW] < count)
        print(picture, ", %s of its own", ca_flame_number(at->self_count[CA_STACK_NEW], text));
    if (picture->style->is_difference)
        print(picture, ", %s", ca_flame_change(at->total_count[CA_STACK_OLD], count, text));
    ca_out_text(picture->out, "</title>");
}

static void write_label(struct picture *picture, struct ca_frame_name label, double x, unsigned top,
                        double width) {
    double columns = (width - 7) / LETTER_PX;
    if (columns < 3)
        return;
    size_t fitting = ca_xml_fitting(label.bytes, label.byte_count, (size_t)columns);
    bool is_whole = fitting == label.byte_count;
    if (!is_whole)
        fitting = ca_xml_fitting(label.bytes, label.byte_count, (size_t)columns - 1);
    print(picture, "<text x=\"%.2f\" y=\"%u\">", x + 3.5, top + 13);
    ca_xml_write(picture->out, label.bytes, fitting);
    ca_out_text(picture->out, is_whole ? "</text>" : "\xe2\x80\xa6</text>");
}

static struct ca_color color_of(const struct picture *picture, uint32_t node) {
    const struct ca_stack_node *at = node_of(picture, node);
    if (picture->style->is_difference)
        return ca_color_of_change(at->total_count[CA_STACK_OLD], at->total_count[CA_STACK_NEW],
                                  picture->largest_change);
    struct ca_frame_name label = label_of(picture, node);
    if (node == CA_STACK_ROOT)
        return (struct ca_color){214, 211, 206};
    return ca_color_of_name(label.bytes, label.byte_count);
}

static void write_frame(struct picture *picture, uint32_t node, uint64_t start) {
    const struct ca_stack_node *at = node_of(picture, node);
    double x = MARGIN + (double)start * picture->px_per_count;
    double width = width_of(picture, node);
    unsigned top = top_of(picture, at->depth);
    struct ca_color color = color_of(picture, node);
    print(picture,
          "<g class=\"f\" role=\"treeitem\" aria-level=\"%u\" data-s=\"%" PRIu64
          "\" data-t=\"%" PRIu64 "\">",
          at->depth + 1, start, at->total_count[CA_STACK_NEW]);
    write_tooltip(picture, node);
    /* Frames touch in the data; a hairline between them is easier to read. */
    print(picture,
          "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%u\" fill=\"#%02x%02x%02x\"/>", x, top,
          width > 2 ? width - 0.6 : width, ROW - 1, color.red, color.green, color.blue);
    write_label(picture, label_of(picture, node), x, top, width);
    ca_out_text(picture->out, "</g>\n");
}

static void write_frames(struct picture *picture) {
    const struct ca_stack_tree *tree = picture->tree;
    ca_out_text(picture->out, "<g class=\"frames\" role=\"tree\" aria-label=\"Frames\">\n");
    picture->starts[0] = 0;
    write_frame(picture, CA_STACK_ROOT, 0);
    uint64_t start = 0;
    for (uint32_t node = tree->nodes[CA_STACK_ROOT].first_child; node != 0;) {
        const struct ca_stack_node *at = &tree->nodes[node];
        bool is_shown = is_drawn(picture, node);
        if (is_shown) {
            write_frame(picture, node, start);
            picture->starts[at->depth] = start;
        }
        uint32_t next = ca_stack_tree_next(tree, node, !is_shown);
        /* A child begins where its parent does; what follows a frame, begins at its end. */
        if (next != 0 && tree->nodes[next].depth <= at->depth) {
            uint32_t before = node;
            for (; tree->nodes[before].depth > tree->nodes[next].depth;
                 before = tree->nodes[before].parent)
                start = picture->starts[tree->nodes[before].depth - 1];
            start += tree->nodes[before].total_count[CA_STACK_NEW];
        }
        node = next;
    }
    ca_out_text(picture->out, "</g>\n");
}

static void write_description(struct picture *picture) {
    struct ca_flame_heaviest heaviest[3];
    size_t count = ca_flame_heaviest(picture->tree, heaviest, 3);
    char text[CA_FLAME_NUMBER_SIZE];
    ca_out_text(picture->out, "<desc>Flame graph of ");
    print_count(picture, picture->total);
    print_rate(picture, picture->total);
    ca_out_text(picture->out, ". A frame is as wide as its share; it lies ");
    ca_out_text(picture->out, picture->style->is_inverted ? "below" : "above");
    ca_out_text(picture->out, " its caller; from left to right the order is alphabetical.");
    for (size_t i = 0; i < count; i++) {
        struct ca_frame_name name = {ca_name_table_bytes(&picture->tree->names, heaviest[i].name),
                                     picture->tree->names.names[heaviest[i].name].byte_count};
        ca_out_text(picture->out, i == 0 ? " Most on its own: " : ", ");
        ca_xml_write(picture->out, name.bytes, name.byte_count);
        ca_out_text(picture->out, " ");
        print_escaped(picture, ca_flame_percent(heaviest[i].self_count, picture->total, text));
    }
    ca_out_text(picture->out, count > 0 ? ".</desc>\n" : "</desc>\n");
}

/* Leaves the room on the right that the script's tools take. */
static void write_heading(struct picture *picture) {
    const char *title = picture->style->title;
    size_t columns = (picture->style->width_px - 2 * MARGIN) / HEADING_LETTER_PX;
    columns = columns > TOOLS_COLUMNS + 12 ? columns - TOOLS_COLUMNS : 12;
    size_t fitting = ca_xml_fitting(title, strlen(title), columns);
    print(picture, "<text class=\"heading\" x=\"%u\" y=\"27\">", MARGIN);
    ca_xml_write(picture->out, title, fitting);
    ca_out_text(picture->out, title[fitting] == '\0' ? "</text>\n" : "\xe2\x80\xa6</text>\n");
}

static void write_subtitle(struct picture *picture) {
    char text[CA_FLAME_NUMBER_SIZE];
    print(picture, "<text class=\"subtitle\" x=\"%u\" y=\"48\">", MARGIN);
    print_count(picture, picture->total);
    print_rate(picture, picture->total);
    if (picture->style->is_difference) {
        uint64_t before = picture->tree->nodes[CA_STACK_ROOT].total_count[CA_STACK_OLD];
        print(picture, ", %s", ca_flame_change(before, picture->total, text));
        if (picture->result.gone_stacks > 0) {
            ca_out_text(picture->out, "; not in the picture because they are gone: ");
            print_count(picture, picture->result.gone_count);
            print(picture, " in %s stack%s", ca_flame_number(picture->result.gone_stacks, text),
                  picture->result.gone_stacks == 1 ? "" : "s");
        }
    }
    ca_out_text(picture->out, "</text>\n");
}

static void write_legend(struct picture *picture, unsigned y) {
    static const char *const words[] = {"less than before", "the same", "more than before"};
    static const uint64_t counts[][2] = {{1, 0}, {1, 1}, {0, 1}};
    unsigned x = picture->style->width_px - MARGIN - 3 * 128;
    for (size_t i = 0; i < 3; i++, x += 128) {
        struct ca_color color = ca_color_of_change(counts[i][0], counts[i][1], 1);
        print(picture,
              "<rect x=\"%u\" y=\"%u\" width=\"11\" height=\"11\" fill=\"#%02x%02x%02x\"/>"
              "<text class=\"note\" x=\"%u\" y=\"%u\">%s</text>\n",
              x, y - 10, color.red, color.green, color.blue, x + 16, y, words[i]);
    }
}

static void write_foot(struct picture *picture) {
    const struct ca_flame_result *result = &picture->result;
    char text[CA_FLAME_NUMBER_SIZE];
    unsigned y = height_of(picture) - 12;
    if (result->narrow_count > 0 || result->deep_count > 0)
        print(picture, "<text class=\"note\" x=\"%u\" y=\"%u\">Not drawn: ", MARGIN, y);
    if (result->narrow_count > 0)
        print(picture, "%s frame%s narrower than 0.1 px",
              ca_flame_number(result->narrow_count, text), result->narrow_count == 1 ? "" : "s");
    if (result->deep_count > 0)
        print(picture, "%s%s deeper than %u levels", result->narrow_count > 0 ? ", " : "",
              ca_flame_number(result->deep_count, text), CA_FLAME_DEPTH_MAX);
    if (result->narrow_count > 0 || result->deep_count > 0)
        ca_out_text(picture->out, "</text>\n");
    if (picture->style->is_difference && picture->style->width_px >= 900)
        write_legend(picture, y);
}

static void write_document(struct picture *picture) {
    const struct ca_flame_style *style = picture->style;
    unsigned width = style->width_px, height = height_of(picture);
    ca_out_text(picture->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    print(picture,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" class=\"countalloc-flame\" "
          "width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" role=\"graphics-document\" "
          "data-total=\"%" PRIu64 "\" data-margin=\"%u\" data-letter=\"%.2f\" data-unit=\"",
          width, height, width, height, picture->total, MARGIN, LETTER_PX);
    print_escaped(picture, style->unit);
    ca_out_text(picture->out, "\">\n<title>");
    print_escaped(picture, style->title);
    ca_out_text(picture->out, "</title>\n");
    write_description(picture);
    ca_out_text(picture->out, "<style>\n");
    ca_out_text(picture->out, ca_flame_css);
    ca_out_text(picture->out, "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
    write_heading(picture);
    write_subtitle(picture);
    print(picture, "<text class=\"details\" x=\"%u\" y=\"70\"></text>\n", MARGIN);
    write_frames(picture);
    write_foot(picture);
    ca_out_text(picture->out, "<script><![CDATA[\n");
    ca_out_text(picture->out, ca_flame_js);
    ca_out_text(picture->out, "]]></script>\n</svg>\n");
}

enum ca_status ca_flame_svg_write(const struct ca_stack_tree *tree,
                                  const struct ca_flame_style *style, struct ca_out *out,
                                  struct ca_flame_result *ret_result, struct ca_error *err) {
    struct picture picture = {.tree = tree, .style = style, .out = out};
    picture.total = tree->nodes[CA_STACK_ROOT].total_count[CA_STACK_NEW];
    picture.px_per_count = (style->width_px - 2.0 * MARGIN) / (double)picture.total;
    picture.starts = calloc((size_t)tree->deepest + 1, sizeof *picture.starts);
    if (picture.starts == NULL)
        return ca_error_memory(err);
    measure(&picture);
    write_document(&picture);
    free(picture.starts);
    *ret_result = picture.result;
    return CA_OK;
}
