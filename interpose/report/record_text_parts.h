/* SPDX-License-Identifier: MIT
 *
 * The parts of the text report below its heading. Each writes whole lines, or nothing where the
 * record has nothing of it. Inside the report only. */
#ifndef CA_RECORD_TEXT_PARTS_H
#define CA_RECORD_TEXT_PARTS_H

#include "record.h"

#define NAME_COLUMNS 32u

/* The table: a row for each phase, as many as fit, and the total. */
void ca_record_write_text_phases(const struct ca_record *record, struct ca_out *out);

/* Calls by kind, frees and, when there were any, what realloc did. */
void ca_record_write_text_calls(const struct ca_record *record, struct ca_out *out);
void ca_record_write_text_sizes(const struct ca_record *record, struct ca_out *out);
void ca_record_write_text_units(const struct ca_record *record, struct ca_out *out);
/* What the allocator said of itself at the end. */
void ca_record_write_text_allocator(const struct ca_record *record, struct ca_out *out);

/* How many there are, and the busiest of several. */
void ca_record_write_text_threads(const struct ca_record *record, struct ca_out *out);
void ca_record_write_text_processes(const struct ca_record *record, struct ca_out *out);

/* How the program ended and, when wanted, what it took. */
void ca_record_write_text_exit(const struct ca_record *record, struct ca_out *out,
                               bool has_resources);

/* The number at `offset` of `counts`. */
static inline uint64_t ca_count_at(const struct ca_counts *counts, size_t offset) {
    return *(const uint64_t *)((const char *)counts + offset);
}

#endif
