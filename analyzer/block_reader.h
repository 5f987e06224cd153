/* SPDX-License-Identifier: MIT
 *
 * block_reader.h: a log as a sequence of pieces, each of whole lines, in one buffer that is used
 * again and again.
 *
 *     | headroom | block           | padding |
 *            ^^^^                ^^^
 *            the unfinished line of the piece before, moved here; then the next is read behind it
 *
 * The buffer is as large as a block and a little, however long the log is: it stays in the
 * processor's cache, and its pages are touched for the first time once. Only a line longer than a
 * block makes it grow, and it shrinks again after that line.
 *
 * Each read, and what it allocates, is marked as phase "read".
 */
#ifndef COUNTALLOC_BLOCK_READER_H
#define COUNTALLOC_BLOCK_READER_H

#include "logstat.h"
#include "source.h"

enum {
    CA_BLOCK_BYTES = 128 * 1024, /* what a version reads at a time unless the job says otherwise */
    CA_BLOCK_PADDING_BYTES = 64, /* readable bytes, all 0 or old, behind every piece */
};

struct ca_block_reader {
    struct ca_source *source; /* kept */
    size_t block_bytes;
    char *memory; /* `capacity_bytes` */
    size_t capacity_bytes;
    size_t pending_at; /* the unfinished line: `pending_bytes` from memory + pending_at */
    size_t pending_bytes;
};

/* Starts reading at the source's position; `block_bytes` 0 is CA_BLOCK_BYTES. Allocates nothing
 * yet. */
void ca_block_reader_init(struct ca_block_reader *reader, struct ca_source *source,
                          size_t block_bytes);

/* Goes on with another source, in the same buffer. */
void ca_block_reader_restart(struct ca_block_reader *reader, struct ca_source *source);

/* Makes the next piece: whole lines with their ends; the last line of the log may have none. Valid
 * until the next call, with CA_BLOCK_PADDING_BYTES readable behind it. A piece of no bytes is the
 * end. CA_IO or CA_NO_MEMORY on failure. */
enum ca_status ca_block_reader_next(struct ca_block_reader *reader, struct ca_slice *ret_lines,
                                    struct ca_error *err);

/* Frees the buffer. */
void ca_block_reader_release(struct ca_block_reader *reader);

#endif
