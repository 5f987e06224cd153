/* SPDX-License-Identifier: MIT
 *
 * A stack tree as a flame graph: one SVG file that needs nothing else. Without JavaScript it is a
 * complete picture, with the names and numbers in tooltips (<title>) and the heaviest functions in
 * its description; with it, one can zoom, search and walk by keyboard (assets/flame.js).
 *
 * The picture's size is bounded: frames narrower than a tenth of a pixel and levels too deep are
 * left out, counted, and said in the picture.
 */
#ifndef CA_FLAME_SVG_H
#define CA_FLAME_SVG_H

#include <stdbool.h>

#include "flame/stack_tree.h"
#include "interpose/report/record.h"

#define CA_FLAME_WIDTH_MIN     300u
#define CA_FLAME_WIDTH_DEFAULT 1200u
#define CA_FLAME_WIDTH_MAX     100000u
#define CA_FLAME_DEPTH_MAX     2000u

struct ca_flame_style {
    const char *title;
    const char *unit; /* a plural noun: "samples" */
    const char
        *per; /* a singular noun that counts are also given for each of: "line"; NULL: none */
    uint64_t per_count; /* how many of these there are; 0: not known, then `per` is not used */
    unsigned width_px;  /* CA_FLAME_WIDTH_MIN to CA_FLAME_WIDTH_MAX */
    bool is_inverted;   /* the root on top */
    bool is_difference; /* colours show the change against the tree's column CA_STACK_OLD */
};

struct ca_flame_result {
    uint64_t frame_count; /* of all frames with a count */
    uint64_t drawn_count;
    uint64_t narrow_count; /* left out: narrower than a tenth of a pixel, or above such a frame */
    uint64_t deep_count;   /* left out: deeper than CA_FLAME_DEPTH_MAX */
    uint64_t gone_stacks;  /* stacks with a count in CA_STACK_OLD only */
    uint64_t gone_count;   /* and their counts */
};

/* Writes the SVG of a finished tree with at least one count; the caller flushes. All pointers are
 * borrowed. CA_ERROR_SYSTEM: no memory; nothing was written. */
enum ca_status ca_flame_svg_write(const struct ca_stack_tree *tree,
                                  const struct ca_flame_style *style, struct ca_out *out,
                                  struct ca_flame_result *ret_result, struct ca_error *err);

#endif
