/* SPDX-License-Identifier: MIT
 *
 * What is measured, and one run of it. A new workload is a row in bench_workloads.c. */
#ifndef CA_BENCH_WORKLOADS_H
#define CA_BENCH_WORKLOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bench_variants.h"
#include "calibration.h"

#define CA_WORKLOAD_WORDS 8
#define CA_RUN_SLICES_MAX 256

enum ca_workload_kind {
    CA_WORKLOAD_SLICES,  /* bench_work: CPU time, in slices */
    CA_WORKLOAD_PROGRAM, /* a program as a whole: user and system time */
    CA_WORKLOAD_START    /* starts of a program that does nothing: wall time, a slice for each */
};

struct ca_workload {
    const char *name;
    const char *operation; /* what the nanoseconds are of */
    enum ca_workload_kind kind;
    long amount; /* slices, or units of a program's input, or starts */
    bool is_in_two_threads;
    bool is_real_program; /* one of those whose median has a bar */
    bool has_peers;
    const char *argv[CA_WORKLOAD_WORDS]; /* of a program; "@INPUT" and "@AMOUNT" are replaced */
    const char *environment[2];
    bool has_stdin; /* the input is its standard input, too */
    void (*write_input)(FILE *file, long amount);
};

struct ca_run {
    /* Not cut: the slices have one time between them, and their calibrations, made every few
     * milliseconds on the same core, say what the machine was like meanwhile. One slice without
     * calibrations is one side of a pair that ran at once. */
    bool is_whole;
    int slice_count;
    struct ca_slice slices[CA_RUN_SLICES_MAX];
};

const struct ca_workload *ca_workloads(size_t *ret_count);

/* Whether its program is installed. */
bool ca_workload_is_here(const struct ca_workload *workload);

/* How much of it `variant` is given: the divisor that its bare runs must have, too. */
long ca_workload_divisor(const struct ca_workload *workload, const struct ca_variant *variant);

/* Runs it once under `variant` and fills `ret_run`; ends the program when that fails.
 * `directory`: where inputs are, and made when they are not. */
void ca_workload_run(const struct ca_workload *workload, const struct ca_variant *variant,
                     long divisor, const char *directory, struct ca_run *ret_run);

/* Whether it runs with and without `variant` in the same milliseconds: workloads in slices in one
 * process (bench_work --paired), programs as two processes on one core. */
bool ca_workload_is_paired(const struct ca_workload *workload, const struct ca_variant *variant);

/* Both sides of such a pair. */
void ca_workload_run_paired(const struct ca_workload *workload, const struct ca_variant *variant,
                            const char *directory, struct ca_run *ret_bare, struct ca_run *ret_run);

/* Instructions by callgrind: of an operation (slices), or of a whole program given a tenth of
 * its work; negative when they cannot be had. */
double ca_workload_instructions(const struct ca_workload *workload,
                                const struct ca_variant *variant, const char *directory);

#endif
