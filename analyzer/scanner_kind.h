/* SPDX-License-Identifier: MIT
 *
 * scanner_kind.h: the threads of v9, for any scanner that one thread can have. Private to v9 and
 * v10.
 */
#ifndef COUNTALLOC_SCANNER_KIND_H
#define COUNTALLOC_SCANNER_KIND_H

#include "blocked_users.h"
#include "logstat.h"
#include "source.h"

/* A scanner as bytes and what is done with them; all zero before `init`. */
struct ca_scanner_kind {
    size_t scanner_bytes;
    /* Starts; `job` and `blocked` are kept. */
    void (*init)(void *scanner, const struct ca_job *job, const struct ca_blocked_users *blocked);
    /* As ca_word_scanner_scan. */
    enum ca_status (*scan)(void *scanner, struct ca_source *source, struct ca_result *result,
                           struct ca_error *err);
    void (*release)(void *scanner);
};

/* Whether the job's log can be shared out and there are threads to do it with. */
bool ca_job_has_threads(const struct ca_job *job);

/* As ca_scan_function, with as many threads, each with a scanner of that kind, as the job says. */
enum ca_status ca_scan_in_threads(const struct ca_scanner_kind *kind, const struct ca_job *job,
                                  struct ca_result *result, struct ca_error *err);

#endif
