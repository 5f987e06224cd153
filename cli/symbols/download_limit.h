/* SPDX-License-Identifier: MIT
 *
 * Holds debuginfod to a time. libdwfl loads debuginfod's client by itself, and that is told what to
 * do by the environment only: so this changes DEBUGINFOD_URLS, DEBUGINFOD_TIMEOUT,
 * DEBUGINFOD_MAXTIME and DEBUGINFOD_RETRY_LIMIT while files are looked for, and puts back what was
 * there. A server that answers slowly, or not at all, is waited for once, not once for each module.
 */
#ifndef CA_DOWNLOAD_LIMIT_H
#define CA_DOWNLOAD_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define CA_DOWNLOAD_VARIABLES 4

struct ca_download_limit {
    char *saved[CA_DOWNLOAD_VARIABLES]; /* NULL: was not set */
    bool is_on;                         /* debuginfod may be asked */
    bool is_used_up;                    /* and may no longer, because it took its time */
    uint32_t limit_seconds;
    uint64_t left_ns;
    uint64_t begin_ns;
};

/* `is_off`: nothing may be downloaded. ca_download_limit_release() puts the environment back. */
void ca_download_limit_init(struct ca_download_limit *limit, bool is_off, uint32_t limit_seconds);
void ca_download_limit_release(struct ca_download_limit *limit);

/* Around each look-up that may download. */
void ca_download_limit_begin(struct ca_download_limit *limit);
void ca_download_limit_end(struct ca_download_limit *limit);

#endif
