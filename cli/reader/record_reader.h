/* SPDX-License-Identifier: MIT
 *
 * Reading a record back: from the JSON that was written, or from a counter file. Files may hold
 * anything: what is read is checked, and what does not fit is an error that names the file and the
 * place. */
#ifndef CA_RECORD_READER_H
#define CA_RECORD_READER_H

#include <stdio.h>

#include "base/error.h"
#include "interpose/report/record.h"
#include "symbols/symbols.h"

/* The largest file that is read: far more than any record or counter file has. */
#define CA_READER_BYTES_MAX (512u << 20)

struct ca_loaded_record {
    struct ca_record record; /* its strings and arrays lie in `memory` */
    struct ca_memory_block *memory;
    void *json;
    struct ca_symbols *symbols; /* of frames that had no names in the file; NULL: none */
};

/* Reads the record or counter file at `path` ("-": standard input). Release with
 * ca_loaded_record_release, also after a failure. CA_ERROR_SYSTEM, CA_ERROR_INPUT. */
enum ca_status ca_record_load(struct ca_loaded_record *ret_loaded, const char *path,
                              struct ca_error *err);

void ca_loaded_record_release(struct ca_loaded_record *loaded);

/* ---- the two kinds; `bytes` is borrowed, `shown` names the file in messages ---- */

/* Schema countalloc.record/1 (contract, section 5). Every member must be there once and have its
 * type; members that are not known are passed over. */
enum ca_status ca_record_load_json(struct ca_loaded_record *loaded, const char *bytes,
                                   size_t byte_count, const char *shown, struct ca_error *err);

/* countalloc/counterfile.h. `bytes`: aligned to 16, at least as long as a magic number; they are
 * changed, so that every string in them ends, and must outlive the record. */
enum ca_status ca_record_load_counters(struct ca_loaded_record *loaded, char *bytes,
                                       size_t byte_count, const char *shown, struct ca_error *err);

/* Zeroed memory that lives as long as the record; NULL when there is none. */
void *ca_loaded_record_allocate(struct ca_loaded_record *loaded, size_t element_count,
                                size_t element_bytes);

#endif
