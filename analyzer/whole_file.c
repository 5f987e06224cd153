/* SPDX-License-Identifier: MIT */
#include "whole_file.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source.h"

enum {
    FIRST_STREAM_BYTES = 64 * 1024,
    LARGEST_CALL_BYTES = 1 << 30, /* Linux moves 2 GiB at most, macOS refuses more than INT_MAX */
};

const char *ca_file_name(const char *path, const char *stream) {
    return strcmp(path, "-") == 0 ? stream : path;
}

static const char *cause(void) {
    return errno == EBADF ? "it is closed" : strerror(errno);
}

static enum ca_status no_memory(const char *name, size_t size_bytes, struct ca_error *err) {
    return ca_fail(err, CA_NO_MEMORY,
                   "cannot hold '%s' in memory (%zu bytes): %s; it is read whole, so give the "
                   "program more or split the file",
                   name, size_bytes, strerror(errno));
}

static enum ca_status grow(struct ca_file *file, size_t *capacity_bytes, const char *name,
                           struct ca_error *err) {
    const size_t larger_bytes = *capacity_bytes > SIZE_MAX / 2 ? SIZE_MAX : 2 * *capacity_bytes;
    char *bytes = realloc(file->bytes, larger_bytes);
    if (bytes == NULL)
        return no_memory(name, larger_bytes, err);
    file->bytes = bytes;
    *capacity_bytes = larger_bytes;
    return CA_OK;
}

/* Reads on until the end; `file` holds `capacity_bytes` and is released by the caller if this
 * fails. */
static enum ca_status read_on(struct ca_source *source, size_t capacity_bytes, struct ca_file *file,
                              struct ca_error *err) {
    for (;;) {
        enum ca_status status = CA_OK;
        size_t got_bytes = 0;
        if (file->byte_count == capacity_bytes)
            status = grow(file, &capacity_bytes, source->name, err);
        if (status == CA_OK)
            status = ca_source_read(source, file->bytes + file->byte_count,
                                    capacity_bytes - file->byte_count, &got_bytes, err);
        if (status != CA_OK)
            return status;
        if (got_bytes == 0)
            break;
        file->byte_count += got_bytes;
    }
    if (capacity_bytes - file->byte_count > FIRST_STREAM_BYTES) {
        char *bytes = realloc(file->bytes, file->byte_count + 1);
        if (bytes != NULL)
            file->bytes = bytes;
    }
    return CA_OK;
}

static enum ca_status read_source(struct ca_source *source, struct ca_file *ret_file,
                                  struct ca_error *err) {
    const size_t capacity_bytes =
        source->size_bytes > 0 ? (size_t)source->size_bytes + 1 : FIRST_STREAM_BYTES;
    struct ca_file file = {malloc(capacity_bytes), 0};
    if (file.bytes == NULL)
        return no_memory(source->name, capacity_bytes, err);
    const enum ca_status status = read_on(source, capacity_bytes, &file, err);
    if (status != CA_OK)
        ca_file_release(&file);
    else
        *ret_file = file;
    return status;
}

enum ca_status ca_file_read(const char *path, struct ca_file *ret_file, struct ca_error *err) {
    struct ca_source source;
    enum ca_status status = ca_source_open(path, &source, err);
    if (status != CA_OK)
        return status;
    status = read_source(&source, ret_file, err);
    ca_source_close(&source);
    return status;
}

void ca_file_release(struct ca_file *file) {
    free(file->bytes);
    *file = (struct ca_file){0};
}

enum ca_status ca_write_all(int fd, const char *name, struct ca_slice bytes, struct ca_error *err) {
    while (bytes.byte_count > 0) {
        const size_t wanted_bytes =
            bytes.byte_count < LARGEST_CALL_BYTES ? bytes.byte_count : LARGEST_CALL_BYTES;
        const ssize_t written_bytes = write(fd, bytes.bytes, wanted_bytes);
        if (written_bytes < 0 && errno == EINTR)
            continue;
        if (written_bytes < 0)
            return ca_fail(err, CA_IO, "cannot write to '%s': %s", name, cause());
        bytes.bytes += written_bytes;
        bytes.byte_count -= (size_t)written_bytes;
    }
    return CA_OK;
}
