/* SPDX-License-Identifier: MIT
 *
 * versions.h: the versions of the program, in one table.
 *
 * To add one: write vN_<idea>.c with a ca_scan_vN, declare it here, add its line to the table in
 * versions.c and the file to CMakeLists.txt. test_versions holds every line of the table against
 * all others.
 */
#ifndef COUNTALLOC_VERSIONS_H
#define COUNTALLOC_VERSIONS_H

#include "logstat.h"

/* Scans a log: counts every line into `result`, which the caller has initialised and releases, also
 * after a failure. Returns CA_OK, CA_MALFORMED (only if the job stops there), CA_NO_MEMORY or, if
 * it reads, CA_IO. May be called any number of times. */
typedef enum ca_status ca_scan_function(const struct ca_job *job, struct ca_result *result,
                                        struct ca_error *err);

/* How a version wants the log. */
enum ca_reading {
    CA_READS_WHOLE,  /* in memory, as job->log */
    CA_READS_BLOCKS, /* reads job->source from its position to its end */
    CA_READS_RANGES, /* the same, with job->thread_count threads */
};

struct ca_version {
    const char *name;
    const char *idea;
    ca_scan_function *scan;
    enum ca_reading reading;
};

/* `ca_version_count` elements, in the order of their names. */
extern const struct ca_version ca_versions[];
extern const size_t ca_version_count;

/* The version of that name, or NULL. */
const struct ca_version *ca_version_find(const char *name);

ca_scan_function ca_scan_v0;
ca_scan_function ca_scan_v1;
ca_scan_function ca_scan_v2;
ca_scan_function ca_scan_v3;
ca_scan_function ca_scan_v4;
ca_scan_function ca_scan_v5;
ca_scan_function ca_scan_v6;
ca_scan_function ca_scan_v7;
ca_scan_function ca_scan_v8;
ca_scan_function ca_scan_v9;
ca_scan_function ca_scan_v10;

#endif
