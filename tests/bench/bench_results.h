/* SPDX-License-Identifier: MIT
 *
 * What a bench prints: the bars, the table, the JSON. */
#ifndef CA_BENCH_RESULTS_H
#define CA_BENCH_RESULTS_H

#include "bench_protocol.h"

#define CA_CELLS_MAX 512

struct ca_bench {
    int round_count;
    int peer_round_count;
    struct ca_machine machine;
    size_t cell_count;
    struct ca_cell *cells; /* by workload, in the order of the table */
};

/* The bar for `workload` (a name, or "real programs" for the median of these) under `variant`;
 * 0: none. Of a start, the added nanoseconds. */
double ca_bar_ratio(const char *workload, const char *variant);

/* The bar for the instructions that `variant` adds to the tight pair; 0: none. */
double ca_bar_instructions(const char *variant);

/* What a figure and its quartiles say about a bar, in words: met, not met; with "?" when the bar
 * lies between the quartiles. */
const char *ca_verdict(double figure, double first_quartile, double third_quartile, double bar);

/* The median over the real programs under `variant`, of their medians; false when none was
 * measured. */
bool ca_real_programs_median(const struct ca_bench *bench, const struct ca_variant *variant,
                             struct ca_summary *ret_summary);

/* "" and 0 where the system does not say. */
struct ca_machine_facts {
    char processor[64];
    int family; /* of the processor: what its name alone does not tell */
    int model;
    char system[64];
    char libc[64];
};

void ca_machine_describe(struct ca_machine_facts *ret_facts);

void ca_bench_print(const struct ca_bench *bench);

/* False, with a message, when it cannot be written. */
bool ca_bench_write_json(const struct ca_bench *bench, const char *path);

#endif
