/* SPDX-License-Identifier: MIT
 *
 * source.h: the bytes of an opened log, in order.
 *
 * A regular file is read by position (pread), so it can be read again and several sources may read
 * parts of it at once; anything else is read as it comes, once. The name "-" is standard input.
 * Interrupted calls are continued.
 */
#ifndef COUNTALLOC_SOURCE_H
#define COUNTALLOC_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "logstat.h"

/* `at_byte` to `end_byte` are still to be read; `end_byte` is UINT64_MAX for "until there is no
 * more". A copy of a seekable source reads on its own, and is not closed. */
struct ca_source {
    const char *name; /* for messages; kept */
    int fd;
    bool is_owned;       /* closed by ca_source_close */
    bool is_seekable;    /* a regular file */
    uint64_t size_bytes; /* when it was opened, from its first byte; 0 unless seekable */
    uint64_t first_byte; /* where reading begins: not 0 when standard input was read before */
    uint64_t at_byte;
    uint64_t end_byte;
};

/* Opens `path`. CA_IO on failure, also for a directory. */
enum ca_status ca_source_open(const char *path, struct ca_source *ret_source, struct ca_error *err);

/* Reads from a descriptor that stays the caller's (and must outlive the source). */
enum ca_status ca_source_open_fd(int fd, const char *name, struct ca_source *ret_source,
                                 struct ca_error *err);

/* Reads at most `wanted_bytes` (at least 1) with one call; `*ret_got_bytes` is 0 only at the end.
 * CA_IO on failure. */
enum ca_status ca_source_read(struct ca_source *source, char *buffer, size_t wanted_bytes,
                              size_t *ret_got_bytes, struct ca_error *err);

/* Begins again; for a seekable source, or one that nothing was read from yet. */
void ca_source_rewind(struct ca_source *source);

/* Closes what ca_source_open opened. A source that is all zero may be closed too. */
void ca_source_close(struct ca_source *source);

#endif
