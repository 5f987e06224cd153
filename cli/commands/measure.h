/* SPDX-License-Identifier: MIT
 *
 * One program under the shim, from an inspected target to a record. */
#ifndef CA_MEASURE_H
#define CA_MEASURE_H

#include "commands/wanted_option.h"
#include "interpose/report/record.h"
#include "platform/cli_platform.h"
#include "symbols/symbols.h"

struct ca_measure_settings {
    const struct ca_target *target;
    char **program; /* NULL-terminated, as given */
    const struct ca_error *
        refusal; /* why the target cannot be counted; it then runs without the shim. NULL: it can */
    const char *name; /* of the program in the record; NULL: its own */
    struct ca_wanted wanted;
    const struct ca_symbols_wanted *symbols; /* NULL: frames stay without names */
    const struct ca_signals *signals;        /* taken */
    uint64_t timeout_ns;                     /* 0: none */
    bool is_output_on_stderr;                /* the program's standard output */
    size_t region_bytes;                     /* 0: as many as `wanted` needs */
    const struct ca_injection *injections;   /* injection_count, up to CA_INJECTION_CAPACITY */
    uint32_t injection_count;
    const struct ca_allocator *allocator; /* to serve malloc below the shim, and to say how it
                                             stands at the end; NULL: the program's own */
};

struct ca_measurement {
    char library[CA_PATH_SIZE];
    char unwinder[CA_PATH_SIZE];  /* "" when no samples are wanted */
    char operators[CA_PATH_SIZE]; /* "" when no allocator is preloaded */
    struct ca_shared_region shared;
    char **environment;
    struct ca_outcome outcome;
    struct ca_record record; /* its strings are the measurement's, the target's and the settings' */
    void *record_memory;
    struct ca_symbols *symbols; /* of the record's frames */
    char *arguments;
};

/* Names the frames of `record` as the options want it, with a progress line at a terminal. `pid`:
 * of the process that ran just now, 0: of an old record. `*ret`: returned, NULL when there was
 * nothing to do; it must outlive the use of the record. */
enum ca_status ca_symbols_resolve_shown(struct ca_record *record,
                                        const struct ca_symbols_wanted *wanted, uint32_t pid,
                                        struct ca_symbols **ret, struct ca_error *err);

void ca_measurement_init(struct ca_measurement *measurement);

/* Runs the program and builds the record, exit status, resources and coverage included. CA_OK: it
 * ran; `*ret_measured` is CA_OK when something was measured, else CA_ERROR_UNCOUNTABLE with the
 * cause in `ret_cause`. Else it did not run, or its counters cannot be read. Settings and target
 * are kept. */
enum ca_status ca_measurement_run(struct ca_measurement *measurement,
                                  const struct ca_measure_settings *settings,
                                  enum ca_status *ret_measured, struct ca_error *ret_cause,
                                  struct ca_error *err);

void ca_measurement_release(struct ca_measurement *measurement);

#endif
