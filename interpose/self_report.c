/* SPDX-License-Identifier: MIT */
#include "self_report.h"

#include "plain.h"
#include "report/record.h"
#include "shim_state.h"

static void write_to_fd(void *target, const char *bytes, size_t byte_count) {
    ca_platform_write(*(const int *)target, bytes, byte_count);
}

/* The kept copy of stderr, or fd 2 itself when that still is what it was and the copy is not, or
 * was not to be had. -1: the program began without, or closed both. */
static int find_stderr(void) {
    const int candidates[] = {ca_shim.report_fd, 2};
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
        if (candidates[i] >= 0 && ca_shim.has_stderr &&
            ca_platform_is_same_file(candidates[i], ca_shim.report_identity))
            return candidates[i];
    return -1;
}

void ca_self_report(void) {
    char *const *environment = ca_platform_environ();
    const char *format = ca_plain_getenv(environment, "COUNTALLOC_REPORT");
    const char *path = ca_plain_getenv(environment, "COUNTALLOC_REPORT_FILE");
    bool has_file = path != NULL && path[0] != '\0';
    int fd = has_file ? ca_platform_open_output(path) : find_stderr();
    if (fd < 0)
        return;
    size_t record_bytes = sizeof(struct ca_record) + 64;
    size_t bytes = record_bytes + ca_record_build_bytes(ca_shim.region, ca_shim.region_bytes);
    char *memory = ca_platform_map(bytes);
    if (memory != NULL) {
        struct ca_record *record = (struct ca_record *)(void *)memory;
        struct ca_out out;
        ca_out_init(&out, write_to_fd, &fd);
        ca_record_build(record, ca_shim.region, ca_shim.region_bytes,
                        memory + record_bytes / 64 * 64, bytes - record_bytes);
        record->is_complete = true;
        ca_record_note(
            record, "preloaded without the countalloc command: library destructors that ran after "
                    "this report are not included, nor is the exit status known; `countalloc run` "
                    "has both");
        if (format != NULL && ca_plain_is_equal(format, "json"))
            ca_record_write_json(record, &out);
        else
            ca_record_write_text(record, &out);
        ca_out_flush(&out);
        ca_platform_unmap(memory, bytes);
    }
    if (has_file)
        ca_platform_close(fd);
}
