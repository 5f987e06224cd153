/* SPDX-License-Identifier: MIT
 *
 * What counting costs: one command, one table, one JSON. It measures, and says of each bar
 * whether it was met; it judges nothing, and no test runs it. README.md here tells the method
 * and how to read the table. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_results.h"
#include "support/spawn.h"

#define ROUNDS      15
#define PEER_ROUNDS 3

struct options {
    int round_count;
    const char *workloads; /* names with commas between; NULL: all */
    const char *variants;
    bool has_peers;
    bool has_callgrind;
    const char *json_path;
};

static void usage(int status) {
    size_t count;
    FILE *to = status == 0 ? stdout : stderr;
    fprintf(
        to,
        "usage: bench [--rounds 1-%d] [--only WORKLOAD[,...]] [--variants NAME[,...]] [--peers]\n"
        "             [--json FILE] [--no-callgrind]\n\nworkloads:",
        CA_PAIRS_MAX);
    const struct ca_workload *workloads = ca_workloads(&count);
    for (size_t i = 0; i < count; i++)
        fprintf(to, "%s %s", i == 0 ? "" : ",", workloads[i].name);
    fprintf(to, "\nvariants:\n");
    const struct ca_variant *variants = ca_variants(&count);
    for (size_t i = 1; i < count; i++)
        fprintf(to, "  %-16s %s%s\n", variants[i].name, variants[i].meaning,
                variants[i].is_peer ? " (with --peers, or by name)" : "");
    exit(status);
}

/* Whether `name` is one of the words of `list`; blanks belong to words. */
static bool is_listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* ---- options ---- */

static bool is_known(const char *name, size_t length, bool is_variant) {
    size_t count;
    const struct ca_workload *workloads = ca_workloads(&count);
    for (size_t i = 0; !is_variant && i < count; i++)
        if (strlen(workloads[i].name) == length && strncmp(workloads[i].name, name, length) == 0)
            return true;
    const struct ca_variant *variants = ca_variants(&count);
    for (size_t i = 1; is_variant && i < count; i++)
        if (strlen(variants[i].name) == length && strncmp(variants[i].name, name, length) == 0)
            return true;
    return false;
}

static const char *checked_list(const char *list, bool is_variant) {
    for (const char *at = list; *at != '\0';) {
        size_t length = strcspn(at, ",");
        if (!is_known(at, length, is_variant)) {
            fprintf(stderr, "bench: no %s is called '%.*s'\n", is_variant ? "variant" : "workload",
                    (int)length, at);
            usage(2);
        }
        at += length + (at[length] == ',');
    }
    return list;
}

static struct options read_options(int argc, char **argv) {
    static const struct option known[] = {
        {"rounds", required_argument, NULL, 'r'},   {"only", required_argument, NULL, 'o'},
        {"variants", required_argument, NULL, 'v'}, {"peers", no_argument, NULL, 'p'},
        {"json", required_argument, NULL, 'j'},     {"no-callgrind", no_argument, NULL, 'n'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0}};
    struct options options = {.round_count = ROUNDS, .has_callgrind = true};
    int option;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (option) {
        case 'r':
            options.round_count = atoi(optarg);
            break;
        case 'o':
            options.workloads = checked_list(optarg, false);
            break;
        case 'v':
            options.variants = checked_list(optarg, true);
            break;
        case 'p':
            options.has_peers = true;
            break;
        case 'j':
            options.json_path = optarg;
            break;
        case 'n':
            options.has_callgrind = false;
            break;
        default:
            usage(option == 'h' ? 0 : 2);
        }
    }
    if (optind < argc || options.round_count < 1 || options.round_count > CA_PAIRS_MAX)
        usage(2);
    char *valgrind = ca_spawn_find("valgrind");
    options.has_callgrind = options.has_callgrind && valgrind != NULL;
    free(valgrind);
    return options;
}

/* ---- what is measured ---- */

static bool is_wanted(const struct options *options, const struct ca_variant *variant) {
    if (options->variants != NULL)
        return is_listed(options->variants, variant->name) ||
               (variant->is_peer && options->has_peers);
    return !variant->is_peer || options->has_peers;
}

static bool is_possible(const struct ca_workload *workload, const struct ca_variant *variant) {
    return !variant->is_peer || workload->has_peers;
}

/* There is room for every workload under every variant. */
static void choose_cells(struct ca_bench *bench, const struct options *options,
                         const char *directory) {
    size_t workload_count;
    size_t variant_count;
    const struct ca_workload *workloads = ca_workloads(&workload_count);
    const struct ca_variant *variants = ca_variants(&variant_count);
    bool works[CA_CELLS_MAX] = {false};
    for (size_t i = 1; i < variant_count; i++)
        works[i] = is_wanted(options, &variants[i]) && ca_variant_works(&variants[i], directory);
    for (size_t k = 0; k < workload_count; k++) {
        if (options->workloads != NULL && !is_listed(options->workloads, workloads[k].name))
            continue;
        if (!ca_workload_is_here(&workloads[k])) {
            fprintf(stderr, "bench: left out: %s: not installed\n", workloads[k].name);
            continue;
        }
        for (size_t i = 1; i < variant_count; i++)
            if (works[i] && is_possible(&workloads[k], &variants[i]))
                bench->cells[bench->cell_count++] = (struct ca_cell){.workload = &workloads[k],
                                                                     .variant = &variants[i],
                                                                     .bare_instructions = -1,
                                                                     .instructions = -1};
    }
}

static void check_room(void) {
    size_t workload_count;
    size_t variant_count;
    (void)ca_workloads(&workload_count);
    (void)ca_variants(&variant_count);
    if (workload_count * variant_count > CA_CELLS_MAX) {
        fprintf(stderr, "bench: %zu workloads under %zu variants are more than CA_CELLS_MAX\n",
                workload_count, variant_count);
        exit(1);
    }
}

static void say(const char *what, int at, int count, const struct ca_cell *cell) {
    if (isatty(2))
        fprintf(stderr, "\r\033[K%s %d of %d: %s, %s", what, at, count, cell->workload->name,
                cell->variant->name);
}

static void run_round(struct ca_bench *bench, int round) {
    size_t order[CA_CELLS_MAX];
    for (size_t i = 0; i < bench->cell_count; i++)
        order[i] = i;
    for (size_t i = bench->cell_count; i-- > 1;) {
        size_t k = (size_t)rand() % (i + 1);
        size_t kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    for (size_t i = 0; i < bench->cell_count; i++) {
        struct ca_cell *cell = &bench->cells[order[i]];
        if (cell->variant->is_peer && round >= bench->peer_round_count)
            continue;
        say("round", round + 1, bench->round_count, cell);
        ca_pair_measure(&bench->machine, cell);
    }
}

static void count_instructions(struct ca_bench *bench) {
    size_t variant_count;
    double bare = -1;
    for (size_t i = 0; i < bench->cell_count; i++) {
        struct ca_cell *cell = &bench->cells[i];
        say("instructions", (int)i + 1, (int)bench->cell_count, cell);
        if (i == 0 || cell->workload != bench->cells[i - 1].workload)
            bare = ca_workload_instructions(cell->workload, ca_variants(&variant_count),
                                            bench->machine.directory);
        cell->bare_instructions = bare;
        cell->instructions =
            ca_workload_instructions(cell->workload, cell->variant, bench->machine.directory);
    }
}

int main(int argc, char **argv) {
    struct options options = read_options(argc, argv);
    struct ca_bench bench = {
        .round_count = options.round_count,
        .peer_round_count = options.round_count < PEER_ROUNDS ? options.round_count : PEER_ROUNDS,
        .cells = calloc(CA_CELLS_MAX, sizeof(struct ca_cell))};
    char *directory = ca_spawn_make_directory();
    if (bench.cells == NULL || directory == NULL)
        return 1;
    srand((unsigned)getpid());
    check_room();
    choose_cells(&bench, &options, directory);
    ca_machine_learn(&bench.machine, directory);
    for (int round = 0; round < bench.round_count; round++)
        run_round(&bench, round);
    for (size_t i = 0; i < bench.cell_count; i++)
        ca_cell_settle(&bench.machine, &bench.cells[i]);
    if (options.has_callgrind)
        count_instructions(&bench);
    if (isatty(2))
        fprintf(stderr, "\r\033[K");
    ca_bench_print(&bench);
    ca_spawn_remove_directory(directory);
    bool is_good = options.json_path == NULL || ca_bench_write_json(&bench, options.json_path);
    free(bench.cells);
    return is_good ? 0 : 1;
}
