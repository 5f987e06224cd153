/* SPDX-License-Identifier: MIT
 *
 * The output formats. To add one: write a function, add a line to the table in writers.c. */
#ifndef CA_WRITERS_H
#define CA_WRITERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "interpose/report/record.h"

struct ca_writer {
    const char *name;    /* of --format */
    const char *summary; /* for --help */
    bool is_binary;      /* not for a terminal: wants a file */
    bool wants_sites;    /* of a record without call sites or samples it has nothing to say */
    /* CA_ERROR_INPUT: the record has not what the format needs; CA_ERROR_SYSTEM: no memory. */
    enum ca_status (*write)(const struct ca_record *record, struct ca_out *out,
                            struct ca_error *err);
};

/* `*ret_count` writers, in the order of --help. */
const struct ca_writer *ca_writers(size_t *ret_count);

/* The writer called by the first `name_length` bytes of `name`. CA_ERROR_USAGE lists the known
 * ones. */
enum ca_status ca_writer_find(const char *name, size_t name_length,
                              const struct ca_writer **ret_writer, struct ca_error *err);

/* Writes the whole record to `fd`. CA_ERROR_SYSTEM, with the cause, when a write failed; and what
 * the format's function returns. `shown`:
 * the file's name for the message. */
enum ca_status ca_writer_write(const struct ca_writer *writer, const struct ca_record *record,
                               int fd, const char *shown, struct ca_error *err);

/* ---- the formats ---- */

enum ca_status ca_write_text(const struct ca_record *record, struct ca_out *out,
                             struct ca_error *err);
enum ca_status ca_write_json(const struct ca_record *record, struct ca_out *out,
                             struct ca_error *err);
/* Stacks by allocations, each beginning with its phase (sites/record_tree.h). */
enum ca_status ca_write_folded(const struct ca_record *record, struct ca_out *out,
                               struct ca_error *err);
enum ca_status ca_write_svg(const struct ca_record *record, struct ca_out *out,
                            struct ca_error *err);

#endif
