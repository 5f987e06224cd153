/* SPDX-License-Identifier: MIT
 *
 * How runs are compared. A figure is never one run's time but the ratio of a pair: the program
 * bare and the program under a variant, in the same surroundings. Programs run at once on one
 * core, where they take turns of a few milliseconds; of the small workloads one process has both
 * sides, slice beside slice (bench_work --paired), where libc has names for its functions that
 * nothing is preloaded in front of. Tools that work in other processes, or slow a program down many
 * times, run one right after the other in random order, and so do starts. All pairs of a round are
 * shuffled, so that nothing that drifts favours a variant.
 *
 * What the method itself errs by shows in the variant "control": no shim, beside no shim.
 *
 * Virtual machines have a fast and a slow regime that change within milliseconds when a neighbour
 * works. A slice (calibration.h) is quiet when the calibrations on both sides of it are within
 * CA_QUIET_LIMIT of the best that was seen; of a run its quiet slices count, a quarter of all at
 * least, and of these the first quartile, because a disturbance between two calibrations only adds
 * time. A program cannot be cut: it is quiet when nearly all calibrations made while it ran are. So
 * pairs are of three kinds:
 *
 *     quiet      both runs had enough quiet slices, or ran at once: what the bars are stated for
 *     even       not quiet, but both runs had the same calibrations within CA_EVEN_LIMIT
 *     disturbed  the rest: the two runs did not have the same machine
 *
 * A pair that is not quiet is repeated a few times and its best kind kept. A median is taken
 * over the quiet pairs; when too few are, over quiet and even ones; when those are too few, over
 * all, and the table says so. */
#ifndef CA_BENCH_PROTOCOL_H
#define CA_BENCH_PROTOCOL_H

#include <sched.h>

#include "bench_workloads.h"

#define CA_QUIET_LIMIT 1.15
#define CA_EVEN_LIMIT  1.08
#define CA_PAIRS_MAX   200

enum ca_pair_kind {
    CA_PAIR_QUIET,
    CA_PAIR_EVEN,
    CA_PAIR_DISTURBED,
    CA_PAIR_KINDS
};

struct ca_pair {
    enum ca_pair_kind kind;
    double bare_ns; /* per operation */
    double ns;
    double bare_calibration_ns;
    double calibration_ns;
};

/* One workload under one variant. */
struct ca_cell {
    const struct ca_workload *workload;
    const struct ca_variant *variant;
    int pair_count;
    struct ca_pair pairs[CA_PAIRS_MAX];
    double bare_instructions; /* negative: not measured */
    double instructions;
};

struct ca_machine {
    cpu_set_t all_cores;
    cpu_set_t one_core; /* the last: the first ones serve most interrupts */
    double best_calibration_ns;
    const char *directory;
};

struct ca_summary {
    int pair_count[CA_PAIR_KINDS]; /* all there were */
    enum ca_pair_kind worst;       /* kind of the worst pairs that were used */
    int used_count;
    double bare_ns; /* median */
    double ratio;   /* of a start: added nanoseconds instead, here and below */
    double first_quartile;
    double third_quartile;
    double ratio_of_fastest; /* the fastest run of each side: noise only ever adds time */
};

/* Learns the cores and how fast they are at their best; about two seconds. Every run may show that
 * they can be faster. */
void ca_machine_learn(struct ca_machine *machine, const char *directory);

/* Adds a pair to `cell`. */
void ca_pair_measure(struct ca_machine *machine, struct ca_cell *cell);

/* Once all is measured: a pair that was quiet by what was known of the machine then may not be by
 * the best that was seen since. */
void ca_cell_settle(const struct ca_machine *machine, struct ca_cell *cell);

void ca_cell_summarise(const struct ca_cell *cell, struct ca_summary *ret_summary);

/* The value below which `share` of the `count` values lie, between two neighbours where it falls
 * there. Sorts `values`. */
double ca_quantile(double *values, int count, double share);

#endif
