/* SPDX-License-Identifier: MIT
 *
 * A file descriptor as the target of a struct ca_out (interpose/report/record.h). */
#ifndef CA_FD_TARGET_H
#define CA_FD_TARGET_H

#include <stddef.h>

struct ca_fd_target {
    int fd;           /* kept, not closed */
    int error_number; /* errno of the first write that failed, after which nothing more is written;
                         0: none */
};

/* For ca_out_init: writes all of it, through short writes and interruptions. `target`: a struct
 * ca_fd_target. */
void ca_fd_target_write(void *target, const char *bytes, size_t byte_count);

#endif
