/* SPDX-License-Identifier: MIT */
#include "base/fd_target.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

void ca_fd_target_write(void *target, const char *bytes, size_t byte_count) {
    struct ca_fd_target *file = target;
    while (byte_count > 0 && file->error_number == 0) {
        ssize_t written = write(file->fd, bytes, byte_count);
        if (written >= 0) {
            bytes += written;
            byte_count -= (size_t)written;
        } else if (errno == EAGAIN) {
            /* A program may have left a shared terminal or pipe non-blocking. */
            struct pollfd wait_for = {.fd = file->fd, .events = POLLOUT};
            poll(&wait_for, 1, -1);
        } else if (errno != EINTR) {
            file->error_number = errno;
        }
    }
}
