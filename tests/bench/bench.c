/* SPDX-License-Identifier: MIT
 *
 * What counting costs: `bench [--rounds N] [--json FILE] [--no-callgrind]`. It measures and judges
 * nothing; no test runs it.
 *
 * Method. Each workload runs as child processes: without the shim, with counts only, with live
 * bytes. In each round the three follow each other in shuffled order, on one core (two threads: on
 * all), and a figure is the ratio to the run without the shim of the same round; the table has the
 * medians and quartiles. Each run carries a calibration before and after; a round whose
 * calibrations differ by more than 8 % was disturbed, and is repeated; one that stays disturbed is
 * left out, unless most do. Instructions per operation are callgrind's, from runs of N and 2 N operations, so that
 * start-up cancels: they repeat where times do not. */
#include <getopt.h>
#include <jansson.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibration.h"
#include "support/spawn.h"

#define MOST_ROUNDS          200
#define MOST_REPEATS         3
#define NOISE_LIMIT          1.08
#define LOG_LINES            "100000"
#define CALLGRIND_OPERATIONS 20000

enum {
    NONE,
    COUNTS,
    LIVE,
    VARIANT_COUNT
};

static const char *const variant_names[VARIANT_COUNT] = {"none", "counts", "live"};

static const char *const environments[VARIANT_COUNT][5] = {
    {NULL},
    {"LD_PRELOAD=" COUNTALLOC_LIBRARY, "COUNTALLOC_REPORT=none", "COUNTALLOC_LIVE=off", NULL},
    {"LD_PRELOAD=" COUNTALLOC_LIBRARY, "COUNTALLOC_REPORT=none", "COUNTALLOC_LIVE=on", NULL},
};

struct workload {
    const char *name;
    const char *operation;
    const char *operation_count; /* of a timed run; NULL: logstat v0, timed as a whole */
    int is_pinned;
    int has_callgrind;
};

static const struct workload workloads[] = {
    {"tight", "pair", "8000000", 1, 1},  {"ring", "pair", "3000000", 1, 1},
    {"log", "line", "200000", 1, 1},     {"logstat v0", "line", NULL, 1, 0},
    {"tight2", "pair", "8000000", 0, 0}, {"ring2", "pair", "3000000", 0, 0},
};

#define WORKLOAD_COUNT (sizeof workloads / sizeof workloads[0])

struct result {
    int round_count; /* rounds with figures: quiet ones, or all when too few were quiet */
    int quiet_count;
    double ns[MOST_ROUNDS];
    double ratio[VARIANT_COUNT][MOST_ROUNDS];
    double noisy_ns[MOST_ROUNDS];
    double noisy_ratio[VARIANT_COUNT][MOST_ROUNDS];
    double instructions[VARIANT_COUNT]; /* per operation; negative: not measured */
};

struct bench {
    int round_count;
    int has_callgrind;
    const char *json_path;
    char *directory;
    char log_path[4200];
    cpu_set_t all_cores;
    cpu_set_t one_core;
    double best_calibration_ns;
};

/* ---- one run ---- */

static void pin(const struct bench *bench, int is_pinned) {
    const cpu_set_t *set = is_pinned ? &bench->one_core : &bench->all_cores;
    sched_setaffinity(0, sizeof *set, set);
}

static void fail(const char *what, const struct ca_spawned *spawned) {
    fprintf(stderr, "bench: %s failed: %s\n", what,
            spawned->err != NULL ? spawned->err : "not started");
    exit(1);
}

static void run_logstat(const struct bench *bench, int variant, double *ret_before, double *ret_ns,
                        double *ret_after) {
    const char *argv[] = {COUNTALLOC_LOGSTAT, "run", "v0", bench->log_path, NULL};
    struct ca_spawned spawned;
    *ret_before = ca_calibrate();
    if (!ca_spawn_run(&(struct ca_spawn){.argv = argv, .environment = environments[variant]},
                      &spawned) ||
        spawned.exit_status != 0)
        fail("logstat run v0", &spawned);
    *ret_after = ca_calibrate();
    *ret_ns = (double)spawned.cpu_ns / strtod(LOG_LINES, NULL);
    ca_spawned_release(&spawned);
}

static void run_work(const struct workload *workload, int variant, double *ret_before,
                     double *ret_ns, double *ret_after) {
    const char *argv[] = {COUNTALLOC_BENCH_WORK, workload->name, workload->operation_count, NULL};
    struct ca_spawned spawned;
    if (!ca_spawn_run(&(struct ca_spawn){.argv = argv, .environment = environments[variant]},
                      &spawned) ||
        sscanf(spawned.out, "%lf %lf %lf", ret_before, ret_ns, ret_after) != 3)
        fail("bench_work", &spawned);
    ca_spawned_release(&spawned);
}

/* Nanoseconds per operation; widens the range of the round's calibrations. */
static double run_once(struct bench *bench, const struct workload *workload, int variant,
                       double range_ns[2]) {
    double calibration_ns[2];
    double ns;
    if (workload->operation_count == NULL)
        run_logstat(bench, variant, &calibration_ns[0], &ns, &calibration_ns[1]);
    else
        run_work(workload, variant, &calibration_ns[0], &ns, &calibration_ns[1]);
    for (int i = 0; i < 2; i++) {
        range_ns[0] = calibration_ns[i] < range_ns[0] ? calibration_ns[i] : range_ns[0];
        range_ns[1] = calibration_ns[i] > range_ns[1] ? calibration_ns[i] : range_ns[1];
    }
    if (range_ns[0] < bench->best_calibration_ns)
        bench->best_calibration_ns = range_ns[0];
    return ns;
}

static int is_round_quiet(struct bench *bench, const struct workload *workload,
                          double ret_ns[VARIANT_COUNT]) {
    int order[VARIANT_COUNT] = {NONE, COUNTS, LIVE};
    double range_ns[2] = {1e9, 0};
    for (int i = VARIANT_COUNT - 1; i > 0; i--) {
        int k = rand() % (i + 1);
        int kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    for (int i = 0; i < VARIANT_COUNT; i++)
        ret_ns[order[i]] = run_once(bench, workload, order[i], range_ns);
    return range_ns[1] <= range_ns[0] * NOISE_LIMIT;
}

static void note_round(const double ns[VARIANT_COUNT], int at, double *ret_ns,
                       double ret_ratio[VARIANT_COUNT][MOST_ROUNDS]) {
    ret_ns[at] = ns[NONE];
    for (int variant = COUNTS; variant < VARIANT_COUNT; variant++)
        ret_ratio[variant][at] = ns[variant] / ns[NONE];
}

static void run_round(struct bench *bench, const struct workload *workload, struct result *result) {
    double ns[VARIANT_COUNT];
    int is_quiet = 0;
    pin(bench, workload->is_pinned);
    for (int attempt = 0; attempt < MOST_REPEATS && !is_quiet; attempt++)
        is_quiet = is_round_quiet(bench, workload, ns);
    if (is_quiet)
        note_round(ns, result->quiet_count++, result->ns, result->ratio);
    else
        note_round(ns, result->round_count - result->quiet_count, result->noisy_ns,
                   result->noisy_ratio);
    result->round_count++;
}

/* Drops the disturbed rounds, or, when most were, takes them in again. */
static void settle_rounds(struct result *result) {
    if (result->quiet_count * 2 >= result->round_count) {
        result->round_count = result->quiet_count;
        return;
    }
    size_t noisy_bytes = (size_t)(result->round_count - result->quiet_count) * sizeof *result->ns;
    memcpy(result->ns + result->quiet_count, result->noisy_ns, noisy_bytes);
    for (int variant = COUNTS; variant < VARIANT_COUNT; variant++)
        memcpy(result->ratio[variant] + result->quiet_count, result->noisy_ratio[variant],
               noisy_bytes);
}

/* ---- instructions ---- */

static double instructions_of(const struct workload *workload, int variant, int operation_count) {
    char operations[24];
    snprintf(operations, sizeof operations, "-%d", operation_count);
    const char *argv[] = {"valgrind",
                          "--tool=callgrind",
                          "--callgrind-out-file=/dev/null",
                          COUNTALLOC_BENCH_WORK,
                          workload->name,
                          operations,
                          NULL};
    struct ca_spawned spawned;
    double instructions = -1;
    if (!ca_spawn_run(&(struct ca_spawn){.argv = argv,
                                         .environment = environments[variant],
                                         .hang_limit_s = 300},
                      &spawned))
        return -1;
    const char *collected = strstr(spawned.err, "Collected : ");
    if (collected != NULL)
        instructions = strtod(collected + strlen("Collected : "), NULL);
    ca_spawned_release(&spawned);
    return instructions;
}

static void count_instructions(const struct workload *workload, struct result *result) {
    for (int variant = 0; variant < VARIANT_COUNT; variant++) {
        double once = instructions_of(workload, variant, CALLGRIND_OPERATIONS);
        double twice = instructions_of(workload, variant, 2 * CALLGRIND_OPERATIONS);
        if (once > 0 && twice > once)
            result->instructions[variant] = (twice - once) / CALLGRIND_OPERATIONS;
    }
}

/* ---- results ---- */

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which `share` of the `count` values lie, between two neighbours where it falls
 * there. */
static double quantile(const double *values, int count, double share) {
    double sorted[MOST_ROUNDS];
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
    double at = share * (count - 1);
    int below = (int)at;
    int above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

static void print_table(const struct bench *bench, const struct result *results) {
    printf("Ratios of CPU time to a run without the shim in the same round: median [quartiles].\n"
           "%d rounds wanted; calibration at best %.3f ns a turn, rounds in which it varies by "
           "more than %.0f %% repeated.\n\n",
           bench->round_count, bench->best_calibration_ns, (NOISE_LIMIT - 1) * 100);
    printf("%-11s %-5s %6s %10s   %-20s %-20s %28s\n", "", "", "", "no shim", "counts",
           "counts and live", "instructions per operation");
    printf("%-11s %-5s %6s %10s   %-20s %-20s %8s %9s %9s\n", "workload", "per", "rounds", "ns",
           "ratio", "ratio", "no shim", "+ counts", "+ live");
    for (size_t i = 0; i < WORKLOAD_COUNT; i++) {
        const struct result *result = &results[i];
        printf("%-11s %-5s %5d%s ", workloads[i].name, workloads[i].operation, result->round_count,
               result->quiet_count < result->round_count ? "*" : " ");
        printf("%10.2f  ", quantile(result->ns, result->round_count, 0.5));
        for (int variant = COUNTS; variant < VARIANT_COUNT; variant++) {
            char cell[64];
            const double *ratio = result->ratio[variant];
            snprintf(cell, sizeof cell, "%.3f [%.3f-%.3f]",
                     quantile(ratio, result->round_count, 0.5),
                     quantile(ratio, result->round_count, 0.25),
                     quantile(ratio, result->round_count, 0.75));
            printf(" %-20s", cell);
        }
        if (result->instructions[NONE] >= 0)
            printf(" %8.2f %9.2f %9.2f", result->instructions[NONE],
                   result->instructions[COUNTS] - result->instructions[NONE],
                   result->instructions[LIVE] - result->instructions[NONE]);
        else
            printf(" %8s %9s %9s", "-", "-", "-");
        printf("\n");
    }
    printf("* most rounds were disturbed: figures from all of them\n");
}

static json_t *variant_json(const struct result *result, int variant) {
    json_t *json = json_object();
    int count = result->round_count;
    if (variant == NONE && count > 0)
        json_object_set_new(json, "ns_per_operation", json_real(quantile(result->ns, count, 0.5)));
    if (variant != NONE && count > 0) {
        json_object_set_new(json, "ratio", json_real(quantile(result->ratio[variant], count, 0.5)));
        json_object_set_new(json, "ratio_q1",
                            json_real(quantile(result->ratio[variant], count, 0.25)));
        json_object_set_new(json, "ratio_q3",
                            json_real(quantile(result->ratio[variant], count, 0.75)));
    }
    if (result->instructions[variant] >= 0)
        json_object_set_new(json, "instructions_per_operation",
                            json_real(result->instructions[variant]));
    return json;
}

static int write_json(const struct bench *bench, const struct result *results) {
    json_t *root = json_object();
    json_t *rows = json_array();
    for (size_t i = 0; i < WORKLOAD_COUNT; i++) {
        json_t *row = json_object();
        json_object_set_new(row, "workload", json_string(workloads[i].name));
        json_object_set_new(row, "operation", json_string(workloads[i].operation));
        json_object_set_new(row, "rounds", json_integer(results[i].round_count));
        json_object_set_new(row, "quiet_rounds", json_integer(results[i].quiet_count));
        for (int variant = 0; variant < VARIANT_COUNT; variant++)
            json_object_set_new(row, variant_names[variant], variant_json(&results[i], variant));
        json_array_append_new(rows, row);
    }
    json_object_set_new(root, "schema", json_string("countalloc.bench/1"));
    json_object_set_new(root, "calibration_ns", json_real(bench->best_calibration_ns));
    json_object_set_new(root, "workloads", rows);
    int status = json_dump_file(root, bench->json_path, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    json_decref(root);
    if (status != 0)
        fprintf(stderr, "bench: cannot write %s\n", bench->json_path);
    return status != 0;
}

/* ---- set-up ---- */

static void make_log(struct bench *bench) {
    struct ca_spawned spawned;
    bench->directory = ca_spawn_make_directory();
    snprintf(bench->log_path, sizeof bench->log_path, "%s/access.log", bench->directory);
    const char *argv[] = {COUNTALLOC_LOGSTAT, "gen", bench->log_path, LOG_LINES, NULL};
    if (!ca_spawn_run(&(struct ca_spawn){.argv = argv}, &spawned) || spawned.exit_status != 0)
        fail("logstat gen", &spawned);
    ca_spawned_release(&spawned);
}

/* The last core that we may use: the first ones serve most interrupts. */
static void choose_cores(struct bench *bench) {
    sched_getaffinity(0, sizeof bench->all_cores, &bench->all_cores);
    CPU_ZERO(&bench->one_core);
    for (size_t core = CPU_SETSIZE; core-- > 0;)
        if (CPU_ISSET(core, &bench->all_cores)) {
            CPU_SET(core, &bench->one_core);
            break;
        }
    pin(bench, 1);
    bench->best_calibration_ns = ca_calibrate();
    for (int i = 0; i < 40; i++) {
        double ns = ca_calibrate();
        if (ns < bench->best_calibration_ns)
            bench->best_calibration_ns = ns;
    }
}

static void read_options(struct bench *bench, int argc, char **argv) {
    static const struct option options[] = {{"rounds", required_argument, NULL, 'r'},
                                            {"json", required_argument, NULL, 'j'},
                                            {"no-callgrind", no_argument, NULL, 'n'},
                                            {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'r')
            bench->round_count = atoi(optarg);
        else if (option == 'j')
            bench->json_path = optarg;
        else if (option == 'n')
            bench->has_callgrind = 0;
        if (option == '?' || bench->round_count < 1 || bench->round_count > MOST_ROUNDS) {
            fprintf(stderr, "usage: bench [--rounds 1-%d] [--json FILE] [--no-callgrind]\n",
                    MOST_ROUNDS);
            exit(2);
        }
    }
}

int main(int argc, char **argv) {
    static struct result results[WORKLOAD_COUNT];
    struct bench bench = {.round_count = 15, .has_callgrind = 1};
    read_options(&bench, argc, argv);
    char *valgrind = ca_spawn_find("valgrind");
    bench.has_callgrind = bench.has_callgrind && valgrind != NULL;
    free(valgrind);
    choose_cores(&bench);
    make_log(&bench);
    for (int round = 0; round < bench.round_count; round++) {
        for (size_t i = 0; i < WORKLOAD_COUNT; i++)
            run_round(&bench, &workloads[i], &results[i]);
        if (isatty(2))
            fprintf(stderr, "\rround %d of %d", round + 1, bench.round_count);
    }
    if (isatty(2))
        fprintf(stderr, "\n");
    for (size_t i = 0; i < WORKLOAD_COUNT; i++) {
        settle_rounds(&results[i]);
        for (int variant = 0; variant < VARIANT_COUNT; variant++)
            results[i].instructions[variant] = -1;
        if (bench.has_callgrind && workloads[i].has_callgrind)
            count_instructions(&workloads[i], &results[i]);
    }
    print_table(&bench, results);
    ca_spawn_remove_directory(bench.directory);
    return bench.json_path != NULL ? write_json(&bench, results) : 0;
}
