/* SPDX-License-Identifier: MIT
 *
 * Lines of a file or of standard input, one at a time, of any length and any bytes; memory for the
 * longest line and no more than a look ahead. */
#ifndef CA_LINE_READER_H
#define CA_LINE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "flame/byte_buffer.h"

#define CA_LINE_LOOK_AHEAD ((size_t)64 * 1024)

struct ca_line {
    const char *bytes; /* borrowed until the next line is asked for */
    size_t byte_count; /* without the line's end, which is "\n" or "\r\n" */
    uint64_t number;   /* from 1 */
    bool is_whole;     /* false: the file ends without a newline */
};

struct ca_line_reader {
    const char *shown; /* the file's name for messages; kept */
    int fd;
    bool is_at_end;
    int error_number;             /* of a read that failed, or 0 */
    struct ca_byte_buffer buffer; /* read and not yet passed on: from `at` */
    size_t at;
    uint64_t line_number;
};

/* Opens the file, "-" being standard input, and reads the look-ahead. CA_ERROR_SYSTEM, with the
 * cause, when it cannot; then there is nothing to close. `path` is kept. */
enum ca_status ca_line_reader_open(struct ca_line_reader *reader, const char *path,
                                   struct ca_error *err);

/* The same for bytes in memory (copied), called `shown`. */
enum ca_status ca_line_reader_open_bytes(struct ca_line_reader *reader, const char *bytes,
                                         size_t byte_count, const char *shown,
                                         struct ca_error *err);

void ca_line_reader_close(struct ca_line_reader *reader);

/* The file's first bytes, at most CA_LINE_LOOK_AHEAD; only before the first line is asked for. Less
 * than that: the whole file. */
void ca_line_reader_peek(const struct ca_line_reader *reader, const char **ret_bytes,
                         size_t *ret_byte_count);

/* The next line; `*ret_is_end` when there is none. CA_ERROR_SYSTEM: it could not be read. */
enum ca_status ca_line_reader_next(struct ca_line_reader *reader, struct ca_line *ret_line,
                                   bool *ret_is_end, struct ca_error *err);

/* A message "FILE:LINE: …" about the line given last; returns CA_ERROR_INPUT. */
enum ca_status ca_line_error(const struct ca_line_reader *reader, struct ca_error *err,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The front of the line, cut and made printable, for messages. `text` of 64 bytes is returned. */
const char *ca_line_shown(const struct ca_line *line, char *text);

#endif
