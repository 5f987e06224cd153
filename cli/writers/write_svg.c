/* SPDX-License-Identifier: MIT */
#include "sites/record_picture.h"
#include "writers/writers.h"

enum ca_status ca_write_svg(const struct ca_record *record, struct ca_out *out,
                            struct ca_error *err) {
    static const struct ca_record_tree_options options = {0};
    struct ca_record_picture picture;
    struct ca_stack_tree tree = {0};
    struct ca_flame_result result;
    enum ca_status status = ca_stack_tree_init(&tree, err);
    if (status == CA_OK)
        status = ca_record_tree_add(&tree, record, &options, record->name, err);
    if (status == CA_OK && tree.counted[CA_STACK_NEW] == 0)
        status = ca_error_set(err, CA_ERROR_INPUT, "'%s' has no allocations to draw", record->name);
    if (status == CA_OK)
        status = ca_stack_tree_finish(&tree, err);
    ca_record_picture_init(&picture, record, &options);
    if (status == CA_OK)
        status = ca_flame_svg_write(&tree, &picture.style, out, &result, err);
    ca_stack_tree_release(&tree);
    return status;
}
