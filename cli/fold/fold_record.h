/* SPDX-License-Identifier: MIT
 *
 * Records as a source of stacks. */
#ifndef CA_FOLD_RECORD_H
#define CA_FOLD_RECORD_H

#include "fold/fold.h"
#include "reader/record_reader.h"

/* Reads the reader's file, of which no line was asked for, as a record in JSON. Release it with
 * ca_loaded_record_release, also after a failure. CA_ERROR_INPUT, CA_ERROR_SYSTEM. */
enum ca_status ca_fold_record_load(struct ca_line_reader *reader,
                                   struct ca_loaded_record *ret_loaded, struct ca_error *err);

/* What a person should know about the stacks of the record. */
void ca_fold_record_note(const struct ca_record *record,
                         const struct ca_record_tree_options *options, uint64_t counted,
                         struct ca_fold_notes *notes);

#endif
