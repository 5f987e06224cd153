/* SPDX-License-Identifier: MIT */
#include "bench_protocol.h"

#include <stdlib.h>

#define LEARNING_TURNS    400
#define LEARNING_PAUSE_NS 5000000
#define SLICE_ATTEMPTS    4
#define ENOUGH_TO_LEARN   20
#define ENOUGH_SHARE      0.25 /* of the slices of a run */
#define QUIET_SHARE       0.85 /* of a whole run */
#define ENOUGH_PAIRS      3

struct figure {
    bool is_quiet;
    double ns;
    double calibration_ns;
};

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double ca_quantile(double *values, int count, double share) {
    if (count == 0)
        return 0;
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    double at = share * (count - 1);
    int below = (int)at;
    int above = below + 1 < count ? below + 1 : below;
    return values[below] + (at - below) * (values[above] - values[below]);
}

void ca_machine_learn(struct ca_machine *machine, const char *directory) {
    static double calibrations_ns[LEARNING_TURNS];
    machine->directory = directory;
    sched_getaffinity(0, sizeof machine->all_cores, &machine->all_cores);
    CPU_ZERO(&machine->one_core);
    for (size_t core = CPU_SETSIZE; core-- > 0;)
        if (CPU_ISSET(core, &machine->all_cores)) {
            CPU_SET(core, &machine->one_core);
            break;
        }
    sched_setaffinity(0, sizeof machine->one_core, &machine->one_core);
    for (int i = 0; i < LEARNING_TURNS; i++) {
        calibrations_ns[i] = ca_calibrate();
        nanosleep(&(struct timespec){0, LEARNING_PAUSE_NS}, NULL);
    }
    machine->best_calibration_ns = ca_quantile(calibrations_ns, LEARNING_TURNS, 0.02);
}

/* ---- a run's figure ---- */

static double larger(double a, double b) {
    return a > b ? a : b;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static bool is_quiet(const struct ca_slice *slice, double limit_ns) {
    return larger(slice->before_ns, slice->after_ns) <= limit_ns;
}

static int quiet_slices(const struct ca_run *run, double limit_ns) {
    int count = 0;
    for (int i = 0; i < run->slice_count; i++)
        count += is_quiet(&run->slices[i], limit_ns);
    return count;
}

/* The first quartile of the slices within the limit: a neighbour may also come and go between two
 * calibrations, and only ever adds time. */
static struct figure quartile_of(const struct ca_run *run, double limit_ns) {
    double ns[CA_RUN_SLICES_MAX];
    double calibrations_ns[CA_RUN_SLICES_MAX];
    int count = 0;
    for (int i = 0; i < run->slice_count; i++)
        if (is_quiet(&run->slices[i], limit_ns)) {
            calibrations_ns[count] = (run->slices[i].before_ns + run->slices[i].after_ns) / 2;
            ns[count++] = run->slices[i].ns;
        }
    return (struct figure){.ns = ca_quantile(ns, count, 0.25),
                           .calibration_ns = ca_quantile(calibrations_ns, count, 0.5)};
}

/* Its time is made of all of its slices, so it is their mean that counts. */
static struct figure figure_of_whole(const struct ca_run *run, double limit_ns) {
    struct figure figure = {.ns = run->slices[0].ns};
    for (int i = 0; i < run->slice_count; i++)
        figure.calibration_ns += run->slices[i].after_ns / run->slice_count;
    figure.is_quiet = quiet_slices(run, limit_ns) >= QUIET_SHARE * run->slice_count;
    return figure;
}

/* Not from the one fastest calibration: a clock from which other guests' time is subtracted may
 * err. */
static void learn_from(struct ca_machine *machine, const struct ca_run *run) {
    double calibrations_ns[CA_RUN_SLICES_MAX];
    for (int i = 0; i < run->slice_count; i++)
        calibrations_ns[i] = run->slices[i].after_ns;
    if (run->slice_count >= ENOUGH_TO_LEARN)
        machine->best_calibration_ns = smaller(machine->best_calibration_ns,
                                               ca_quantile(calibrations_ns, run->slice_count, 0.1));
}

static struct figure figure_of(struct ca_machine *machine, const struct ca_run *run) {
    learn_from(machine, run);
    double limit_ns = machine->best_calibration_ns * CA_QUIET_LIMIT;
    if (run->is_whole)
        return figure_of_whole(run, limit_ns);
    bool has_enough = quiet_slices(run, limit_ns) >= ENOUGH_SHARE * run->slice_count;
    struct figure figure = quartile_of(run, has_enough ? limit_ns : 1e9);
    figure.is_quiet = has_enough;
    return figure;
}

/* ---- pairs ---- */

static bool is_even(double calibration_ns, double other_ns) {
    return larger(calibration_ns, other_ns) <= smaller(calibration_ns, other_ns) * CA_EVEN_LIMIT;
}

static enum ca_pair_kind kind_of(const struct figure *bare, const struct figure *other) {
    if (bare->is_quiet && other->is_quiet)
        return CA_PAIR_QUIET;
    return is_even(bare->calibration_ns, other->calibration_ns) ? CA_PAIR_EVEN : CA_PAIR_DISTURBED;
}

void ca_cell_settle(const struct ca_machine *machine, struct ca_cell *cell) {
    double limit_ns = machine->best_calibration_ns * CA_QUIET_LIMIT;
    for (int i = 0; i < cell->pair_count; i++) {
        struct ca_pair *pair = &cell->pairs[i];
        if (pair->kind == CA_PAIR_QUIET &&
            larger(pair->bare_calibration_ns, pair->calibration_ns) > limit_ns)
            pair->kind = is_even(pair->bare_calibration_ns, pair->calibration_ns)
                             ? CA_PAIR_EVEN
                             : CA_PAIR_DISTURBED;
    }
}

/* Two processes, one after the other. */
static void run_apart(struct ca_machine *machine, const struct ca_cell *cell,
                      struct figure ret_figures[2]) {
    static struct ca_variant bare; /* as short as the other one */
    struct ca_run run;
    size_t variant_count;
    long divisor = ca_workload_divisor(cell->workload, cell->variant);
    int first = rand() & 1;
    bare = ca_variants(&variant_count)[0];
    bare.is_peer = cell->variant->is_peer;
    for (int i = 0; i < 2; i++) {
        int side = i ^ first;
        ca_workload_run(cell->workload, side == 0 ? &bare : cell->variant, divisor,
                        machine->directory, &run);
        ret_figures[side] = figure_of(machine, &run);
    }
}

static void run_paired(struct ca_machine *machine, const struct ca_cell *cell,
                       struct figure ret_figures[2]) {
    static struct ca_run runs[2];
    ca_workload_run_paired(cell->workload, cell->variant, machine->directory, &runs[0], &runs[1]);
    for (int side = 0; side < 2; side++)
        ret_figures[side] = figure_of(machine, &runs[side]);
}

static struct ca_pair measure_once(struct ca_machine *machine, const struct ca_cell *cell) {
    struct figure figures[2];
    if (ca_workload_is_paired(cell->workload, cell->variant))
        run_paired(machine, cell, figures);
    else
        run_apart(machine, cell, figures);
    return (struct ca_pair){kind_of(&figures[0], &figures[1]), figures[0].ns, figures[1].ns,
                            figures[0].calibration_ns, figures[1].calibration_ns};
}

void ca_pair_measure(struct ca_machine *machine, struct ca_cell *cell) {
    if (cell->pair_count == CA_PAIRS_MAX)
        return;
    const cpu_set_t *cores =
        cell->workload->is_in_two_threads ? &machine->all_cores : &machine->one_core;
    sched_setaffinity(0, sizeof *cores, cores);
    int attempts = cell->variant->is_peer ? 1 : SLICE_ATTEMPTS;
    struct ca_pair best = measure_once(machine, cell);
    for (int i = 1; i < attempts && best.kind != CA_PAIR_QUIET; i++) {
        struct ca_pair pair = measure_once(machine, cell);
        if (pair.kind < best.kind)
            best = pair;
    }
    cell->pairs[cell->pair_count++] = best;
}

/* ---- a cell's summary ---- */

static enum ca_pair_kind worst_to_use(const struct ca_cell *cell, const int pair_count[]) {
    int enough = cell->pair_count / 3 > ENOUGH_PAIRS ? cell->pair_count / 3 : ENOUGH_PAIRS;
    int so_far = 0;
    for (enum ca_pair_kind kind = CA_PAIR_QUIET; kind < CA_PAIR_DISTURBED; kind++) {
        so_far += pair_count[kind];
        if (so_far >= enough)
            return kind;
    }
    return so_far == cell->pair_count ? CA_PAIR_EVEN : CA_PAIR_DISTURBED;
}

void ca_cell_summarise(const struct ca_cell *cell, struct ca_summary *ret_summary) {
    double ratios[CA_PAIRS_MAX];
    double bare_ns[CA_PAIRS_MAX];
    double fastest_bare_ns = 1e18;
    double fastest_ns = 1e18;
    bool is_difference = cell->workload->kind == CA_WORKLOAD_START;
    *ret_summary = (struct ca_summary){0};
    for (int i = 0; i < cell->pair_count; i++)
        ret_summary->pair_count[cell->pairs[i].kind]++;
    ret_summary->worst = worst_to_use(cell, ret_summary->pair_count);
    for (int i = 0; i < cell->pair_count; i++) {
        const struct ca_pair *pair = &cell->pairs[i];
        fastest_bare_ns = smaller(fastest_bare_ns, pair->bare_ns);
        fastest_ns = smaller(fastest_ns, pair->ns);
        if (pair->kind > ret_summary->worst)
            continue;
        bare_ns[ret_summary->used_count] = pair->bare_ns;
        ratios[ret_summary->used_count++] =
            is_difference ? pair->ns - pair->bare_ns : pair->ns / pair->bare_ns;
    }
    ret_summary->bare_ns = ca_quantile(bare_ns, ret_summary->used_count, 0.5);
    ret_summary->ratio = ca_quantile(ratios, ret_summary->used_count, 0.5);
    ret_summary->first_quartile = ca_quantile(ratios, ret_summary->used_count, 0.25);
    ret_summary->third_quartile = ca_quantile(ratios, ret_summary->used_count, 0.75);
    if (cell->pair_count > 0)
        ret_summary->ratio_of_fastest =
            is_difference ? fastest_ns - fastest_bare_ns : fastest_ns / fastest_bare_ns;
}
