/* SPDX-License-Identifier: MIT
 *
 * The JSON record of a program that was run under the shim, and its figures by name. */
#ifndef CA_RECORD_OF_H
#define CA_RECORD_OF_H

#include <jansson.h>

#include "spawn.h"

enum ca_how {
    CA_HOW_RUN,  /* under `countalloc run -q -o FILE` */
    CA_HOW_PLAIN /* with the preload variable and COUNTALLOC_REPORT=json */
};

struct ca_record_request {
    enum ca_how how;
    struct ca_spawn spawn;          /* the program itself */
    const char *const *run_options; /* for CA_HOW_RUN; NULL-ended or NULL */
};

struct ca_recorded {
    struct ca_spawned spawned;
    json_t *root; /* NULL when there is no readable record: then `problem` says why */
    char problem[1024];
};

/* Runs the program and reads its record. Always to be followed by ca_recorded_release(). True when
 * there is a record. */
bool ca_recorded_init(struct ca_recorded *recorded, const struct ca_record_request *request);

void ca_recorded_release(struct ca_recorded *recorded);

/* The figure called `path` as text ("null", "true", a number, a string). False when there is none
 * of that name.
 *
 *     KEY              of the total: malloc, frees, bytes_peak, size_histogram (as 16:3,32:1),
 *                      unit.NAME, per.UNIT.KEY ...
 *     phase.NAME.KEY   of a phase; also opened; phase.NAME.thread.N.KEY is a thread's share
 *                      (also opened, adopted)
 *     thread.N.KEY     of thread number N; also name, thread_count
 *     process.N.KEY    of the N-th image, from 1; also complete, exe
 *     site.FUNCTION.KEY   of the sites in a function; under.FUNCTION.KEY of those whose stack it is in
 *     in.MODULE.KEY    of the sites in a module, by its file name; in.[anonymous].KEY
 *     rest.KEY         of what no site has; cut.KEY of the stacks that go on
 *     site_count (without rests)  longest_stack  sample_bytes  samples
 *     phases           the names of all phases, separated by commas
 *     phase_count  thread_rows  threads_ever  process_count
 *     attached  level  complete  exit_status  signal  name  rules
 */
bool ca_recorded_text(const struct ca_recorded *recorded, const char *path, char *ret_text,
                      size_t size);

/* The same as an integer; LLONG_MIN when it is none. */
long long ca_recorded_integer(const struct ca_recorded *recorded, const char *path);

/* Whether a note of the record contains `part`. */
bool ca_recorded_has_note(const struct ca_recorded *recorded, const char *part);

/* Holds the record against itself: kinds add up to allocations, phases, threads and processes to
 * the total, the histogram to the allocations, live blocks are the difference. Appends what is
 * wrong to `problems` (a NUL-terminated text of `size` bytes). */
void ca_recorded_check_sums(const struct ca_recorded *recorded, char *problems, size_t size);

#endif
