/* SPDX-License-Identifier: MIT */
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static const char *advice(void) {
    if (errno == ENOENT || errno == ENOTDIR)
        return "; check the path";
    return errno == EACCES ? "; check its permissions and those of its folder" : "";
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
static enum ca_status read_on(int fd, const char *name, size_t capacity_bytes, struct ca_file *file,
                              struct ca_error *err) {
    for (;;) {
        if (file->byte_count == capacity_bytes) {
            const enum ca_status status = grow(file, &capacity_bytes, name, err);
            if (status != CA_OK)
                return status;
        }
        size_t wanted_bytes = capacity_bytes - file->byte_count;
        if (wanted_bytes > LARGEST_CALL_BYTES)
            wanted_bytes = LARGEST_CALL_BYTES;
        const ssize_t got_bytes = read(fd, file->bytes + file->byte_count, wanted_bytes);
        if (got_bytes == 0)
            break;
        if (got_bytes > 0)
            file->byte_count += (size_t)got_bytes;
        else if (errno != EINTR)
            return ca_fail(err, CA_IO, "cannot read '%s': %s", name, cause());
    }
    if (capacity_bytes - file->byte_count > FIRST_STREAM_BYTES) {
        char *bytes = realloc(file->bytes, file->byte_count + 1);
        if (bytes != NULL)
            file->bytes = bytes;
    }
    return CA_OK;
}

static enum ca_status read_open(int fd, const char *name, struct ca_file *ret_file,
                                struct ca_error *err) {
    struct stat facts;
    if (fstat(fd, &facts) != 0)
        return ca_fail(err, CA_IO, "cannot read '%s': %s", name, cause());
    if (S_ISDIR(facts.st_mode))
        return ca_fail(err, CA_IO, "cannot read '%s': it is a directory; name a file in it", name);
    size_t capacity_bytes = FIRST_STREAM_BYTES;
    if (S_ISREG(facts.st_mode) && facts.st_size > 0)
        capacity_bytes = (size_t)facts.st_size + 1;
    struct ca_file file = {malloc(capacity_bytes), 0};
    if (file.bytes == NULL)
        return no_memory(name, capacity_bytes, err);
    const enum ca_status status = read_on(fd, name, capacity_bytes, &file, err);
    if (status != CA_OK)
        ca_file_release(&file);
    else
        *ret_file = file;
    return status;
}

enum ca_status ca_file_read(const char *path, struct ca_file *ret_file, struct ca_error *err) {
    if (strcmp(path, "-") == 0)
        return read_open(STDIN_FILENO, "standard input", ret_file, err);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ca_fail(err, CA_IO, "cannot open '%s': %s%s", path, strerror(errno), advice());
    const enum ca_status status = read_open(fd, path, ret_file, err);
    close(fd);
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
