/* SPDX-License-Identifier: MIT */
#include "sites/record_picture.h"

#include <stdio.h>

void ca_record_picture_init(struct ca_record_picture *picture, const struct ca_record *record,
                            const struct ca_record_tree_options *options) {
    bool is_estimate = ca_record_tree_is_estimate(record, options);
    const char *unit = options->is_by_bytes ? is_estimate ? "estimated bytes" : "bytes"
                       : is_estimate        ? "estimated allocations"
                                            : "allocations";
    *picture = (struct ca_record_picture){
        .style = {.title = picture->title, .unit = unit, .width_px = CA_FLAME_WIDTH_DEFAULT}};
    snprintf(picture->title, sizeof picture->title, "%.200s: %s", record->name, unit);
    if (record->total_units_count == 0 || record->total_units[0].unit_count == 0)
        return;
    snprintf(picture->per, sizeof picture->per, "%s", record->total_units[0].name);
    picture->style.per = picture->per;
    picture->style.per_count = record->total_units[0].unit_count;
}
