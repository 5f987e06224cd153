/* SPDX-License-Identifier: MIT
 *
 * Running another program for what it prints. */
#ifndef CA_CAPTURED_COMMAND_H
#define CA_CAPTURED_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define CA_CAPTURED_BYTES_MAX (16u << 20)

struct ca_captured {
    int exit_status; /* -1: a signal ended it */
    bool is_late;    /* it was killed when its time was up; what it printed until then is here */
    char *out;       /* out_bytes and a NUL; returned: ca_captured_release() */
    size_t out_bytes;
    char err[512]; /* the beginning of what it said on standard error, on one line */
};

/* Runs `arguments` (NULL-terminated; the first is looked up in PATH) to its end, without a shell
 * and with nothing to read. CA_OK: it ran; nothing is said about its exit status.
 * CA_ERROR_PROGRAM_ABSENT; CA_ERROR_SYSTEM, also for output beyond CA_CAPTURED_BYTES_MAX. */
enum ca_status ca_captured_run(struct ca_captured *ret_captured, const char *const *arguments,
                               struct ca_error *err);

/* The same with something to read, `input` of `input_bytes`, and for at most `limit_ns`. That it
 * reads all of it is not asked for. */
enum ca_status ca_captured_ask(struct ca_captured *ret_captured, const char *const *arguments,
                               const char *input, size_t input_bytes, uint64_t limit_ns,
                               struct ca_error *err);

void ca_captured_release(struct ca_captured *captured);

#endif
