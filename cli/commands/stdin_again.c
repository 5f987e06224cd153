/* SPDX-License-Identifier: MIT */
#include "commands/stdin_again.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum ca_status ca_stdin_again_init(struct ca_stdin_again *again, const char *option,
                                   struct ca_error *err) {
    struct stat facts;
    *again = (struct ca_stdin_again){.is_rewound = false};
    if (fstat(STDIN_FILENO, &facts) != 0)
        return CA_OK;
    if (S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode))
        return ca_error_set(
            err, CA_ERROR_USAGE,
            "%s: standard input is a %s, of which the first run leaves nothing to the next: give "
            "a file (< FILE), which each run reads from its beginning, or < /dev/null",
            option, S_ISFIFO(facts.st_mode) ? "pipe" : "socket");
    again->start = S_ISREG(facts.st_mode) ? lseek(STDIN_FILENO, 0, SEEK_CUR) : -1;
    again->is_rewound = again->start >= 0;
    return CA_OK;
}

enum ca_status ca_stdin_again_rewind(const struct ca_stdin_again *again, struct ca_error *err) {
    if (!again->is_rewound || lseek(STDIN_FILENO, again->start, SEEK_SET) >= 0)
        return CA_OK;
    return ca_error_set(err, CA_ERROR_SYSTEM, "cannot rewind standard input: %s", strerror(errno));
}
