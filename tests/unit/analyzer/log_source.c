/* SPDX-License-Identifier: MIT */
#include "log_source.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

static int open_nameless_file(void) {
    char path[] = "/tmp/logstat-source-XXXXXX";
    const int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    unlink(path);
    return fd;
}

struct ca_source log_source(struct text log) {
    static int fd = -1;
    struct ca_source source;
    struct ca_error err;
    if (fd < 0)
        fd = open_nameless_file();
    cr_assert_eq(ftruncate(fd, 0), 0);
    for (size_t done_bytes = 0; done_bytes < log.byte_count;) {
        const ssize_t written_bytes =
            pwrite(fd, log.bytes + done_bytes, log.byte_count - done_bytes, (off_t)done_bytes);
        cr_assert_gt(written_bytes, 0);
        done_bytes += (size_t)written_bytes;
    }
    cr_assert_eq(ca_source_open_fd(fd, "x.log", &source, &err), CA_OK);
    return source;
}
