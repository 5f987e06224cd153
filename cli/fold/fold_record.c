/* SPDX-License-Identifier: MIT
 *
 * Records of `countalloc run`: their call sites and stacks. */
#include "fold/fold_record.h"

#include <inttypes.h>
#include <stdlib.h>

static bool is_like(const char *bytes, size_t byte_count) {
    for (size_t i = 0; i < byte_count; i++)
        if (bytes[i] != ' ' && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\t')
            return bytes[i] == '{';
    return false;
}

enum ca_status ca_fold_record_load(struct ca_line_reader *reader,
                                   struct ca_loaded_record *ret_loaded, struct ca_error *err) {
    struct ca_byte_buffer text = {0};
    struct ca_line line;
    bool is_end = false;
    enum ca_status status;
    *ret_loaded = (struct ca_loaded_record){0};
    while ((status = ca_line_reader_next(reader, &line, &is_end, err)) == CA_OK && !is_end) {
        if (text.byte_count + line.byte_count >= CA_READER_BYTES_MAX)
            status = ca_error_set(err, CA_ERROR_INPUT,
                                  "'%s' is too large for a record: more than %u MiB", reader->shown,
                                  CA_READER_BYTES_MAX >> 20);
        else if (!ca_byte_buffer_add(&text, line.bytes, line.byte_count) ||
                 !ca_byte_buffer_add(&text, "\n", 1))
            status = ca_error_memory(err);
        if (status != CA_OK)
            break;
    }
    if (status == CA_OK)
        status = ca_record_load_json(ret_loaded, text.bytes, text.byte_count, reader->shown, err);
    static const struct ca_symbols_options usual = {0};
    if (status == CA_OK && ret_loaded->record.frames_count > 0)
        status = ca_symbols_resolve(&ret_loaded->record, &usual, &ret_loaded->symbols, err);
    ca_byte_buffer_release(&text);
    return status;
}

void ca_fold_record_note(const struct ca_record *record,
                         const struct ca_record_tree_options *options, uint64_t counted,
                         struct ca_fold_notes *notes) {
    uint64_t total =
        options->is_by_bytes ? record->total.bytes_requested : record->total.allocations;
    if (ca_record_tree_is_estimate(record, options))
        ca_fold_note(notes,
                     "the counts are an estimate, from samples of one in %" PRIu64
                     " bytes; the record has %" PRIu64 " %s",
                     record->sample_bytes, total, options->is_by_bytes ? "bytes" : "allocations");
    else if (counted != total)
        ca_fold_note(notes, "the stacks add up to %" PRIu64 " %s, the record has %" PRIu64, counted,
                     options->is_by_bytes ? "bytes" : "allocations", total);
}

static enum ca_status read_record(struct ca_line_reader *reader,
                                  const struct ca_fold_options *options, struct ca_stack_tree *tree,
                                  struct ca_fold_notes *notes, struct ca_error *err) {
    struct ca_loaded_record *loaded = calloc(1, sizeof *loaded);
    if (loaded == NULL)
        return ca_error_memory(err);
    enum ca_status status = ca_fold_record_load(reader, loaded, err);
    if (status == CA_OK)
        status = ca_record_tree_add(tree, &loaded->record, &options->record, reader->shown, err);
    if (status == CA_OK)
        ca_fold_record_note(&loaded->record, &options->record, tree->counted[CA_STACK_NEW], notes);
    ca_loaded_record_release(loaded);
    free(loaded);
    return status;
}

const struct ca_fold_kind ca_fold_record = {
    .name = "record",
    .shown = "a record",
    .is_like = is_like,
    .read = read_record,
};
