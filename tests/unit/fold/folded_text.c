/* SPDX-License-Identifier: MIT */
#include "folded_text.h"

#include "flame/folded_output.h"

static void collect(void *target, const char *bytes, size_t byte_count) {
    ca_byte_buffer_add(target, bytes, byte_count);
}

static void fold(struct folded_text *folded, const struct ca_fold_kind *kind,
                 struct ca_line_reader *reader, const struct ca_fold_options *options) {
    struct ca_stack_tree tree;
    struct ca_out out;
    folded->status = ca_stack_tree_init(&tree, &folded->err);
    if (folded->status == CA_OK)
        folded->status = ca_fold_read(kind, reader, options, &tree, &folded->notes, &folded->err);
    ca_out_init(&out, collect, &folded->text);
    if (folded->status == CA_OK)
        folded->status = ca_folded_write(&tree, CA_STACK_NEW, &out, &folded->err);
    ca_out_flush(&out);
    folded->sum = tree.counted[CA_STACK_NEW];
    ca_stack_tree_release(&tree);
}

void folded_text_init(struct folded_text *folded, const struct ca_fold_kind *kind,
                      const char *bytes, size_t byte_count, const char *shown,
                      const struct ca_fold_options *options) {
    static const struct ca_fold_options none = {0};
    struct ca_line_reader reader;
    *folded = (struct folded_text){0};
    folded->status = ca_line_reader_open_bytes(&reader, bytes, byte_count, shown, &folded->err);
    if (folded->status == CA_OK && kind == NULL)
        folded->status = ca_fold_kind_guess(&reader, &kind, &folded->err);
    if (folded->status == CA_OK)
        fold(folded, kind, &reader, options != NULL ? options : &none);
    ca_line_reader_close(&reader);
    ca_byte_buffer_add(&folded->text, "", 1);
    folded->text.byte_count--;
}

void folded_text_release(struct folded_text *folded) {
    ca_byte_buffer_release(&folded->text);
}
