/* SPDX-License-Identifier: MIT
 *
 * How the flame graph of a record is titled: by the program, what is counted, and for each of which
 * unit. */
#ifndef CA_RECORD_PICTURE_H
#define CA_RECORD_PICTURE_H

#include "flame/flame_svg.h"
#include "sites/record_tree.h"

struct ca_record_picture {
    struct ca_flame_style style; /* points to the members below */
    char title[256];
    char per[64];
};

/* The style for the tree that `options` makes: CA_FLAME_WIDTH_DEFAULT wide, the caller may change
 * what it likes. Counts are also given for each of the total's first unit. Nothing of `record` is
 * kept. */
void ca_record_picture_init(struct ca_record_picture *picture, const struct ca_record *record,
                            const struct ca_record_tree_options *options);

#endif
