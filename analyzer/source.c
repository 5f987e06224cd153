/* SPDX-License-Identifier: MIT */
#include "source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LARGEST_CALL_BYTES = 1 << 30, /* Linux moves 2 GiB at most, macOS refuses more than INT_MAX */
};

static const char *cause(void) {
    return errno == EBADF ? "it is closed" : strerror(errno);
}

static const char *advice(void) {
    if (errno == ENOENT || errno == ENOTDIR)
        return "; check the path";
    return errno == EACCES ? "; check its permissions and those of its folder" : "";
}

enum ca_status ca_source_open_fd(int fd, const char *name, struct ca_source *ret_source,
                                 struct ca_error *err) {
    struct stat facts;
    struct ca_source source = {.name = name, .fd = fd, .end_byte = UINT64_MAX};
    if (fstat(fd, &facts) != 0)
        return ca_fail(err, CA_IO, "cannot read '%s': %s", name, cause());
    if (S_ISDIR(facts.st_mode))
        return ca_fail(err, CA_IO, "cannot read '%s': it is a directory; name a file in it", name);
    const off_t first_byte = S_ISREG(facts.st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
    if (first_byte >= 0) {
        source.is_seekable = true;
        source.first_byte = (uint64_t)first_byte;
        source.at_byte = source.first_byte;
        if (facts.st_size > first_byte)
            source.size_bytes = (uint64_t)(facts.st_size - first_byte);
    }
    *ret_source = source;
    return CA_OK;
}

enum ca_status ca_source_open(const char *path, struct ca_source *ret_source,
                              struct ca_error *err) {
    if (strcmp(path, "-") == 0)
        return ca_source_open_fd(STDIN_FILENO, "standard input", ret_source, err);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ca_fail(err, CA_IO, "cannot open '%s': %s%s", path, strerror(errno), advice());
    const enum ca_status status = ca_source_open_fd(fd, path, ret_source, err);
    if (status == CA_OK)
        ret_source->is_owned = true;
    else
        close(fd);
    return status;
}

enum ca_status ca_source_read(struct ca_source *source, char *buffer, size_t wanted_bytes,
                              size_t *ret_got_bytes, struct ca_error *err) {
    const uint64_t left_bytes = source->end_byte - source->at_byte;
    if (wanted_bytes > LARGEST_CALL_BYTES)
        wanted_bytes = LARGEST_CALL_BYTES;
    if (wanted_bytes > left_bytes)
        wanted_bytes = (size_t)left_bytes;
    for (;;) {
        const ssize_t got_bytes =
            source->is_seekable ? pread(source->fd, buffer, wanted_bytes, (off_t)source->at_byte)
                                : read(source->fd, buffer, wanted_bytes);
        if (got_bytes >= 0) {
            source->at_byte += (uint64_t)got_bytes;
            *ret_got_bytes = (size_t)got_bytes;
            return CA_OK;
        }
        if (errno != EINTR)
            return ca_fail(err, CA_IO, "cannot read '%s': %s", source->name, cause());
    }
}

void ca_source_rewind(struct ca_source *source) {
    assert(source->is_seekable || source->at_byte == source->first_byte);
    source->at_byte = source->first_byte;
}

void ca_source_close(struct ca_source *source) {
    if (source->is_owned)
        close(source->fd);
    *source = (struct ca_source){0};
}
