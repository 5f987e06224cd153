/* SPDX-License-Identifier: MIT */
#include "flame/folded_output.h"
#include "sites/record_tree.h"
#include "writers/writers.h"

enum ca_status ca_write_folded(const struct ca_record *record, struct ca_out *out,
                               struct ca_error *err) {
    static const struct ca_record_tree_options options = {0};
    struct ca_stack_tree tree = {0};
    enum ca_status status = ca_stack_tree_init(&tree, err);
    if (status == CA_OK)
        status = ca_record_tree_add(&tree, record, &options, record->name, err);
    if (status == CA_OK)
        status = ca_stack_tree_finish(&tree, err);
    if (status == CA_OK)
        status = ca_folded_write(&tree, CA_STACK_NEW, out, err);
    ca_stack_tree_release(&tree);
    return status;
}
