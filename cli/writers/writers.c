/* SPDX-License-Identifier: MIT */
#include "writers/writers.h"

#include <stdio.h>
#include <string.h>

#include "base/fd_target.h"

static const struct ca_writer writers[] = {
    {"text", "a report for people", false, false, ca_write_text},
    {"json", "the whole record", false, false, ca_write_json},
    {"folded", "call stacks, for tools", false, true, ca_write_folded},
    {"svg", "call stacks, as a flame graph", false, true, ca_write_svg},
};

#define WRITER_COUNT (sizeof writers / sizeof writers[0])

enum ca_status ca_write_text(const struct ca_record *record, struct ca_out *out,
                             struct ca_error *err) {
    (void)err;
    ca_record_write_text(record, out);
    return CA_OK;
}

enum ca_status ca_write_json(const struct ca_record *record, struct ca_out *out,
                             struct ca_error *err) {
    (void)err;
    ca_record_write_json(record, out);
    return CA_OK;
}

const struct ca_writer *ca_writers(size_t *ret_count) {
    *ret_count = WRITER_COUNT;
    return writers;
}

enum ca_status ca_writer_find(const char *name, size_t name_length,
                              const struct ca_writer **ret_writer, struct ca_error *err) {
    for (size_t i = 0; i < WRITER_COUNT; i++)
        if (strlen(writers[i].name) == name_length &&
            memcmp(writers[i].name, name, name_length) == 0) {
            *ret_writer = &writers[i];
            return CA_OK;
        }
    char known[256] = "";
    for (size_t i = 0, length = 0; i < WRITER_COUNT && length < sizeof known; i++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? ", " : "",
                                   writers[i].name);
    return ca_error_set(err, CA_ERROR_USAGE, "unknown format '%.*s'; known are: %s",
                        (int)name_length, name, known);
}

enum ca_status ca_writer_write(const struct ca_writer *writer, const struct ca_record *record,
                               int fd, const char *shown, struct ca_error *err) {
    struct ca_fd_target target = {.fd = fd};
    struct ca_out out;
    ca_out_init(&out, ca_fd_target_write, &target);
    enum ca_status status = writer->write(record, &out, err);
    ca_out_flush(&out);
    if (status != CA_OK || target.error_number == 0)
        return status;
    return ca_error_set(err, CA_ERROR_SYSTEM, "cannot write '%s': %s", shown,
                        strerror(target.error_number));
}
