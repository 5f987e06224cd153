/* SPDX-License-Identifier: MIT
 *
 * logstat.h: the contract between the command, the versions and the report.
 *
 * logstat reads the access log of a gateway and reports, per (route, model), the number of
 * requests, the token total and the latencies p50 and p99. It exists to be measured: several
 * versions of one program, each with one idea more than the one before, and all of them with the
 * same report, byte for byte, for every input.
 *
 * The log line
 *
 *     ts=2026-11-03T00:00:00Z level=INFO route=/v1/tokenize model=mistral-7b user=u08617
 *     tokens=1173 latency_ms=205 status=200                            (one line, broken here)
 *
 *   - A line ends at \n; a \r just before that \n is dropped. A last line without \n counts, and
 *     keeps its \r.
 *   - Fields are split at single spaces. A field without '=' and an empty field are skipped. The
 *     first '=' splits, so a value may hold further ones. Keys come in any order, with any others
 *     between; of a key given twice the last wins.
 *   - Bytes are bytes: no encoding is required, and NUL is a byte like any other. A missing field
 *     is the empty value.
 *
 * What becomes of a line, in this order
 *
 *   blocked     its user is on the blocklist, whatever else it holds
 *   error       its status is not exactly "200" (an empty line is one)
 *   malformed   tokens or latency_ms is no unsigned decimal that fits 64 or 32 bits (one leading
 *               '+' is accepted); it makes no group
 *   kept        it counts in the group of its route and model
 *
 * Percentiles are nearest rank: the value at index ceil(n p / 100) - 1 of the sorted latencies.
 * Token sums wrap at 2^64.
 *
 * Everything here is for one thread, except where a header says more. Nothing below the commands
 * (logstat.c, logstat_*.c) prints or exits.
 */
#ifndef COUNTALLOC_LOGSTAT_H
#define COUNTALLOC_LOGSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "groups.h"
#include "siphash.h"
#include "slice.h"

struct ca_progress;
struct ca_separator_path;
struct ca_source;

/* Why a function failed. The message in struct ca_error says the rest. */
enum ca_status {
    CA_OK = 0,
    CA_NO_MEMORY, /* an allocation failed */
    CA_IO,        /* a file could not be opened, read or written */
    CA_MALFORMED, /* the input breaks its grammar, and the caller asked to stop there */
};

enum {
    CA_ERROR_BYTES = 4096 + 512, /* a path and a sentence */
    CA_REASON_BYTES = 160,
    CA_MALFORMED_SHOWN = 5,
};

/* The message of a failure: one sentence or two with the thing, the cause and the next step; no
 * newline. Untouched while nothing fails. */
struct ca_error {
    char message[CA_ERROR_BYTES];
};

/* Writes the message (cut at CA_ERROR_BYTES) and returns `status`. */
enum ca_status ca_fail(struct ca_error *err, enum ca_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The users whose lines are not counted. `users`: `user_count` elements in the order given; their
 * bytes lie in `bytes`. Made by blocklist.h. */
struct ca_blocklist {
    struct ca_slice *users;
    size_t user_count;
    char *bytes;
};

/* What a version is given. All of it borrowed until the version returns. The log comes whole or as
 * a source, whichever the version asks for (versions.h). The last four are for the versions that
 * they mean something to; 0 or NULL is the default. */
struct ca_job {
    struct ca_slice log;
    struct ca_source *source; /* at the log's first byte */
    const char *log_name;     /* for messages */
    const struct ca_blocklist *blocklist;
    struct ca_sip_key sip_key;
    bool stops_at_malformed;
    struct ca_progress *progress;              /* NULL: none */
    size_t block_bytes;                        /* how much is read at a time */
    uint64_t range_bytes;                      /* how much a thread takes at a time, at least */
    unsigned thread_count;                     /* how many threads scan; default 1 */
    const struct ca_separator_path *simd_path; /* default: the best this processor has */
};

/* A malformed line. `line_number` counts from 1. */
struct ca_malformed {
    uint64_t line_number;
    char reason[CA_REASON_BYTES];
};

/* What a version finds. line_count = blocked_count + error_count + malformed_count + the requests
 * of all groups. `malformed`: the first lines of malformed_count, at most CA_MALFORMED_SHOWN. */
struct ca_result {
    struct ca_groups groups;
    uint64_t line_count;
    uint64_t blocked_count;
    uint64_t error_count;
    uint64_t malformed_count;
    struct ca_malformed malformed[CA_MALFORMED_SHOWN];
};

/* Starts a result of no lines. Allocates nothing. */
void ca_result_init(struct ca_result *result);

/* Frees the groups. The result may then be initialised again. */
void ca_result_release(struct ca_result *result);

/* Counts line number `result->line_count` as malformed and keeps its reason, which is found from
 * the two values. Returns CA_MALFORMED with "NAME:LINE: reason" when the job stops there, else
 * CA_OK. */
enum ca_status ca_result_reject(struct ca_result *result, const struct ca_job *job,
                                struct ca_slice tokens, struct ca_slice latency,
                                struct ca_error *err);

/* Writes "NAME:LINE: reason", the message of a line that a job stops at, and returns CA_MALFORMED.
 */
enum ca_status ca_malformed_fail(const struct ca_malformed *malformed, const struct ca_job *job,
                                 struct ca_error *err);

/* Says that memory ran out, and after how many lines; returns CA_NO_MEMORY. */
enum ca_status ca_result_no_memory(const struct ca_result *result, const struct ca_job *job,
                                   struct ca_error *err);

/* Keeps a function out of line, uncloned and under its own name, because the profiles this program
 * is made for name it. gcc clones in spite of noinline and calls the clone NAME.isra.0; clang does
 * not, and does not know the attribute. */
#if __has_attribute(noclone)
#define CA_OWN_FRAME __attribute__((noinline, noclone))
#else
#define CA_OWN_FRAME __attribute__((noinline))
#endif

#endif
