/* SPDX-License-Identifier: MIT
 *
 * A file that is promised early and written late. ca_output_open finds out, before a long run,
 * whether the file can be written, and leaves nothing behind; ca_output_write puts it there in one
 * piece, so that neither a failed run nor a full disk leaves half a record where a whole one was.
 */
#ifndef CA_OUTPUT_FILE_H
#define CA_OUTPUT_FILE_H

#include "writers/writers.h"

struct ca_output {
    const char *path; /* kept; "-" is standard output */
    int fd;           /* of what is no regular file (a pipe, a device), held open; -1 otherwise */
};

/* Standard output and error and other descriptors go by "-", /dev/stdout, /dev/stderr and
 * /dev/fd/N. CA_ERROR_SYSTEM. */
enum ca_status ca_output_open(struct ca_output *output, const char *path, struct ca_error *err);

/* Writes the record. A regular file is replaced at once, keeping its mode; where its directory
 * permits no new files it is overwritten in place. */
enum ca_status ca_output_write(const struct ca_output *output, const struct ca_writer *writer,
                               const struct ca_record *record, struct ca_error *err);

void ca_output_close(struct ca_output *output);

#endif
