/* SPDX-License-Identifier: MIT */
#include "fold/line_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reads once, behind what is there. */
static enum ca_status fill(struct ca_line_reader *reader, struct ca_error *err) {
    struct ca_byte_buffer *buffer = &reader->buffer;
    if (reader->at > 0) {
        memmove(buffer->bytes, buffer->bytes + reader->at, buffer->byte_count - reader->at);
        buffer->byte_count -= reader->at;
        reader->at = 0;
    }
    if (!ca_byte_buffer_reserve(buffer, CA_LINE_LOOK_AHEAD))
        return ca_error_memory(err);
    ssize_t count;
    do
        count = read(reader->fd, buffer->bytes + buffer->byte_count, CA_LINE_LOOK_AHEAD);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot read '%s': %s", reader->shown,
                            strerror(errno));
    reader->is_at_end = count == 0;
    buffer->byte_count += (size_t)count;
    return CA_OK;
}

enum ca_status ca_line_reader_open(struct ca_line_reader *reader, const char *path,
                                   struct ca_error *err) {
    bool is_stdin = strcmp(path, "-") == 0;
    *reader = (struct ca_line_reader){.shown = is_stdin ? "standard input" : path};
    reader->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (reader->fd < 0)
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot open '%s': %s", path, strerror(errno));
    enum ca_status status = CA_OK;
    while (status == CA_OK && !reader->is_at_end && reader->buffer.byte_count < CA_LINE_LOOK_AHEAD)
        status = fill(reader, err);
    if (status != CA_OK)
        ca_line_reader_close(reader);
    return status;
}

enum ca_status ca_line_reader_open_bytes(struct ca_line_reader *reader, const char *bytes,
                                         size_t byte_count, const char *shown,
                                         struct ca_error *err) {
    *reader = (struct ca_line_reader){.shown = shown, .fd = -1, .is_at_end = true};
    if (!ca_byte_buffer_add(&reader->buffer, bytes, byte_count))
        return ca_error_memory(err);
    return CA_OK;
}

void ca_line_reader_close(struct ca_line_reader *reader) {
    if (reader->fd > STDIN_FILENO)
        close(reader->fd);
    ca_byte_buffer_release(&reader->buffer);
    reader->fd = -1;
}

void ca_line_reader_peek(const struct ca_line_reader *reader, const char **ret_bytes,
                         size_t *ret_byte_count) {
    *ret_bytes = reader->buffer.bytes;
    *ret_byte_count = reader->buffer.byte_count < CA_LINE_LOOK_AHEAD ? reader->buffer.byte_count
                                                                     : CA_LINE_LOOK_AHEAD;
}

enum ca_status ca_line_reader_next(struct ca_line_reader *reader, struct ca_line *ret_line,
                                   bool *ret_is_end, struct ca_error *err) {
    const struct ca_byte_buffer *buffer = &reader->buffer;
    size_t searched = 0;
    const char *newline = NULL;
    for (;;) {
        size_t present = buffer->byte_count - reader->at;
        if (present > searched)
            newline = memchr(buffer->bytes + reader->at + searched, '\n', present - searched);
        if (newline != NULL || reader->is_at_end)
            break;
        searched = present;
        enum ca_status status = fill(reader, err);
        if (status != CA_OK)
            return status;
    }
    *ret_is_end = newline == NULL && reader->at == buffer->byte_count;
    if (*ret_is_end)
        return CA_OK;
    const char *from = buffer->bytes + reader->at;
    size_t length = newline != NULL ? (size_t)(newline - from) : buffer->byte_count - reader->at;
    reader->at += length + (newline != NULL);
    if (length > 0 && from[length - 1] == '\r')
        length--;
    *ret_line = (struct ca_line){from, length, ++reader->line_number, newline != NULL};
    return CA_OK;
}

enum ca_status ca_line_error(const struct ca_line_reader *reader, struct ca_error *err,
                             const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ca_error_set(err, CA_ERROR_INPUT, "%.512s:%" PRIu64 ": %s", reader->shown,
                        reader->line_number, text);
}

const char *ca_line_shown(const struct ca_line *line, char *text) {
    size_t count = line->byte_count < 48 ? line->byte_count : 48;
    for (size_t i = 0; i < count; i++) {
        unsigned char byte = (unsigned char)line->bytes[i];
        text[i] = byte < 0x20 || byte == 0x7f ? ' ' : (char)byte;
    }
    memcpy(text + count, line->byte_count > count ? "..." : "", line->byte_count > count ? 4 : 1);
    return text;
}
