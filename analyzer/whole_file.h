/* SPDX-License-Identifier: MIT
 *
 * whole_file.h: reads a file whole, and writes bytes whole.
 *
 * The name "-" is standard input or output. Interrupted and partial calls are continued.
 */
#ifndef COUNTALLOC_WHOLE_FILE_H
#define COUNTALLOC_WHOLE_FILE_H

#include <stddef.h>

#include "logstat.h"

/* `bytes`: `byte_count` of them, never NULL. */
struct ca_file {
    char *bytes;
    size_t byte_count;
};

/* Reads all of `path` into memory. A regular file costs one allocation of its size and a byte, and
 * one more reading call than its size needs, because it may have grown; anything else doubles a
 * buffer and gives the rest back. CA_IO or CA_NO_MEMORY on failure. */
enum ca_status ca_file_read(const char *path, struct ca_file *ret_file, struct ca_error *err);

/* Frees the bytes. */
void ca_file_release(struct ca_file *file);

/* Writes all the bytes to a descriptor; `name` is for the message. CA_IO on failure: some of the
 * bytes may be written. */
enum ca_status ca_write_all(int fd, const char *name, struct ca_slice bytes, struct ca_error *err);

/* What messages call that path: itself, or `stream` for "-". */
const char *ca_file_name(const char *path, const char *stream);

#endif
