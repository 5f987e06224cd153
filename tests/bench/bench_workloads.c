/* SPDX-License-Identifier: MIT */
#include "bench_workloads.h"

#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_inputs.h"
#include "bench_protocol.h"
#include "support/spawn.h"

#define CALLGRIND_OPERATIONS 20000
#define CALLGRIND_DIVISOR    10
#define PEER_SLICES          8
#define HANG_LIMIT_S         300
#define WATCH_PAUSE_NS       15000000

#define SLICES(count)  .kind = CA_WORKLOAD_SLICES, .amount = (count)
#define PROGRAM(units) .kind = CA_WORKLOAD_PROGRAM, .amount = (units), .has_peers = true

static const struct ca_workload workloads[] = {
    {"tight", "pair", SLICES(40), .has_peers = true},
    {"deep", "pair", SLICES(40)},
    {"ring", "pair", SLICES(40), .has_peers = true},
    {"log", "line", SLICES(40)},
    {"tight2", "pair", SLICES(40), .is_in_two_threads = true},
    {"ring2", "pair", SLICES(40), .is_in_two_threads = true},
    {"pc", "block", SLICES(40), .is_in_two_threads = true},
    {"logstat v0", "line", PROGRAM(100000), .argv = {COUNTALLOC_LOGSTAT, "run", "v0", "@INPUT"}},
    {"sqlite3", "row", PROGRAM(70000), .is_real_program = true, .argv = {"sqlite3", ":memory:"},
     .has_stdin = true, .write_input = ca_input_sql},
    {"python3", "turn", PROGRAM(80), .is_real_program = true,
     .argv = {"@PYTHON", "-S", "-c", CA_PYTHON_JSON, "@AMOUNT"},
     .environment = {"PYTHONMALLOC=malloc"}},
    {"perl", "key", PROGRAM(500000), .is_real_program = true,
     .argv = {"perl", "-e", CA_PERL_HASHES, "@AMOUNT"}, .environment = {"PERL_HASH_SEED=0"}},
    {"jq", "object", PROGRAM(60000), .is_real_program = true,
     .argv = {"jq", "-c", "group_by(.k) | map({k: .[0].k, n: length, s: (map(.v) | add)})",
              "@INPUT"},
     .write_input = ca_input_json},
    {"cc1", "function", PROGRAM(250), .is_real_program = true,
     .argv = {"@CC1", "-quiet", "-O1", "@INPUT", "-o", "/dev/null"},
     .write_input = ca_input_source},
    {"start", "start", .kind = CA_WORKLOAD_START, .amount = 20, .argv = {"/bin/true"}},
};

const struct ca_workload *ca_workloads(size_t *ret_count) {
    *ret_count = sizeof workloads / sizeof workloads[0];
    return workloads;
}

static void fail(const char *what, const struct ca_spawned *spawned) {
    fprintf(stderr, "bench: %s failed (status %d, signal %d): %s\n", what, spawned->exit_status,
            spawned->signal, spawned->err != NULL ? spawned->err : "not started");
    exit(1);
}

/* ---- commands ---- */

/* The first line that `argv` prints, in `ret_line`, or "". */
static void first_line_of(const char *const *argv, char *ret_line, size_t size_bytes) {
    struct ca_spawned spawned;
    ret_line[0] = '\0';
    if (!ca_spawn_run(&(struct ca_spawn){.argv = argv}, &spawned))
        return;
    if (spawned.exit_status == 0) {
        snprintf(ret_line, size_bytes, "%s", spawned.out);
        ret_line[strcspn(ret_line, "\n")] = '\0';
    }
    ca_spawned_release(&spawned);
}

/* python3 and gcc may be scripts or drivers, which would be measured along: what they end in is
 * run. */
static const char *program_of(const char *word) {
    static char python[4096];
    static char compiler[4096];
    if (strcmp(word, "@PYTHON") == 0) {
        const char *const argv[] = {"python3", "-c", "import sys; print(sys.executable)", NULL};
        if (python[0] == '\0')
            first_line_of(argv, python, sizeof python);
        return python;
    }
    if (strcmp(word, "@CC1") == 0) {
        const char *const argv[] = {"gcc", "-print-prog-name=cc1", NULL};
        if (compiler[0] == '\0')
            first_line_of(argv, compiler, sizeof compiler);
        return compiler;
    }
    return word;
}

bool ca_workload_is_here(const struct ca_workload *workload) {
    if (workload->argv[0] == NULL)
        return true;
    const char *program = program_of(workload->argv[0]);
    if (strchr(program, '/') != NULL)
        return access(program, X_OK) == 0;
    char *path = ca_spawn_find(program);
    free(path);
    return path != NULL;
}

long ca_workload_divisor(const struct ca_workload *workload, const struct ca_variant *variant) {
    return workload->kind == CA_WORKLOAD_SLICES ? variant->slice_divisor : variant->program_divisor;
}

struct command {
    const char *argv[CA_VARIANT_WORDS + CA_WORKLOAD_WORDS + 4];
    const char *environment[CA_VARIANT_WORDS + 4];
    char input[4200];
    char amount[24];
};

static void make_log(const char *path, const char *line_count) {
    const char *const argv[] = {COUNTALLOC_LOGSTAT, "gen", path, line_count, NULL};
    struct ca_spawned spawned;
    if (!ca_spawn_run(&(struct ca_spawn){.argv = argv}, &spawned) || spawned.exit_status != 0)
        fail("logstat gen", &spawned);
    ca_spawned_release(&spawned);
}

static void make_input(const struct ca_workload *workload, const struct command *command,
                       long amount) {
    if (access(command->input, F_OK) == 0)
        return;
    if (workload->write_input == NULL) {
        make_log(command->input, command->amount);
        return;
    }
    FILE *file = fopen(command->input, "w");
    if (file == NULL)
        fail(command->input, &(struct ca_spawned){0});
    workload->write_input(file, amount);
    fclose(file);
}

static const char *word_of(const char *word, const struct command *command) {
    if (strcmp(word, "@INPUT") == 0)
        return command->input;
    return strcmp(word, "@AMOUNT") == 0 ? command->amount : program_of(word);
}

static void build_command(struct command *ret, const struct ca_workload *workload,
                          const struct ca_variant *variant, long divisor, const char *directory) {
    size_t words = 0;
    size_t variables = 0;
    long amount = workload->amount / divisor > 0 ? workload->amount / divisor : 1;
    memset(ret, 0, sizeof *ret);
    snprintf(ret->amount, sizeof ret->amount, "%ld", amount);
    snprintf(ret->input, sizeof ret->input, "%s/%.8s.%ld.%s", directory, workload->name, amount,
             strcmp(workload->name, "cc1") == 0 ? "c" : "in");
    for (size_t i = 0; i < CA_VARIANT_WORDS && variant->prefix[i] != NULL; i++)
        ret->argv[words++] = variant->prefix[i];
    bool has_input = workload->has_stdin;
    for (size_t i = 0; i < CA_WORKLOAD_WORDS && workload->argv[i] != NULL; i++) {
        has_input |= strcmp(workload->argv[i], "@INPUT") == 0;
        ret->argv[words++] = word_of(workload->argv[i], ret);
    }
    for (size_t i = 0; i < CA_VARIANT_WORDS && variant->environment[i] != NULL; i++)
        ret->environment[variables++] = variant->environment[i];
    if (workload->environment[0] != NULL)
        ret->environment[variables++] = workload->environment[0];
    if (has_input)
        make_input(workload, ret, amount);
}

/* ---- runs ---- */

static void spawn(const struct ca_workload *workload, const struct command *command,
                  const char *directory, struct ca_spawned *ret_spawned) {
    struct ca_spawn how = {.argv = command->argv,
                           .environment = command->environment,
                           .stdin_path = workload->has_stdin ? command->input : NULL,
                           .directory = directory,
                           .hang_limit_s = HANG_LIMIT_S};
    if (!ca_spawn_run(&how, ret_spawned) || ret_spawned->exit_status != 0)
        fail(workload->name, ret_spawned);
}

/* ---- what the machine was like during a run that is not cut ---- */

struct watch {
    pthread_t thread;
    atomic_bool is_over;
    int count;
    double calibrations_ns[CA_RUN_SLICES_MAX + 1];
};

/* On the core of whoever began the watch. */
static void *watch_machine(void *argument) {
    struct watch *watch = argument;
    struct timespec pause = {0, WATCH_PAUSE_NS};
    do {
        if (watch->count <= CA_RUN_SLICES_MAX)
            watch->calibrations_ns[watch->count++] = ca_calibrate();
        nanosleep(&pause, NULL);
    } while (!atomic_load(&watch->is_over));
    return NULL;
}

static void watch_begin(struct watch *watch) {
    watch->count = 1;
    watch->calibrations_ns[0] = ca_calibrate();
    atomic_store(&watch->is_over, false);
    if (pthread_create(&watch->thread, NULL, watch_machine, watch) != 0)
        fail("a thread", &(struct ca_spawned){0});
}

static void watch_end(struct watch *watch, double ns, struct ca_run *ret_run) {
    atomic_store(&watch->is_over, true);
    pthread_join(watch->thread, NULL);
    ret_run->is_whole = true;
    ret_run->slice_count = watch->count - 1;
    for (int i = 0; i + 1 < watch->count; i++)
        ret_run->slices[i] =
            (struct ca_slice){watch->calibrations_ns[i], ns, watch->calibrations_ns[i + 1]};
}

static double median_ns(struct ca_run *run) {
    double ns[CA_RUN_SLICES_MAX];
    for (int i = 0; i < run->slice_count; i++)
        ns[i] = run->slices[i].ns;
    return ca_quantile(ns, run->slice_count, 0.5);
}

/* What `spawned` printed behind `label`. */
static void read_slices(const struct ca_spawned *spawned, const char *label,
                        struct ca_run *ret_run) {
    char format[32];
    snprintf(format, sizeof format, "%s %%lf %%lf %%lf", label);
    ret_run->slice_count = 0;
    ret_run->is_whole = false;
    for (const char *at = spawned->out; (at = strstr(at, label)) != NULL; at++) {
        struct ca_slice *slice = &ret_run->slices[ret_run->slice_count];
        if (ret_run->slice_count < CA_RUN_SLICES_MAX &&
            sscanf(at, format, &slice->before_ns, &slice->ns, &slice->after_ns) == 3)
            ret_run->slice_count++;
    }
    if (ret_run->slice_count == 0)
        fail(label, spawned);
}

/* Runs bench_work; `flag`: "--paired", or NULL. */
static void spawn_slices(const struct ca_workload *workload, const struct ca_variant *variant,
                         const char *flag, long divisor, const char *directory,
                         struct ca_spawned *ret_spawned) {
    struct command command;
    char slices[24];
    char parts[24];
    size_t words = 0;
    build_command(&command, workload, variant, 1, directory);
    while (command.argv[words] != NULL)
        words++;
    snprintf(slices, sizeof slices, "%ld", variant->is_peer ? PEER_SLICES : workload->amount);
    snprintf(parts, sizeof parts, "%ld", divisor);
    command.argv[words++] = COUNTALLOC_BENCH_WORK;
    if (flag != NULL)
        command.argv[words++] = flag;
    command.argv[words++] = workload->name;
    command.argv[words++] = slices;
    command.argv[words++] = parts;
    spawn(workload, &command, directory, ret_spawned);
}

static void run_slices(const struct ca_workload *workload, const struct ca_variant *variant,
                       long divisor, const char *directory, struct ca_run *ret_run) {
    struct ca_spawned spawned;
    static struct watch watch;
    if (variant->is_emulated)
        watch_begin(&watch);
    spawn_slices(workload, variant, NULL, divisor, directory, &spawned);
    read_slices(&spawned, "slice", ret_run);
    if (variant->is_emulated)
        watch_end(&watch, median_ns(ret_run), ret_run);
    ca_spawned_release(&spawned);
}

static void run_slices_paired(const struct ca_workload *workload, const struct ca_variant *variant,
                              const char *directory, struct ca_run *ret_bare,
                              struct ca_run *ret_run) {
    struct ca_spawned spawned;
    spawn_slices(workload, variant, "--paired", 1, directory, &spawned);
    read_slices(&spawned, "bare", ret_bare);
    read_slices(&spawned, "slice", ret_run);
    ca_spawned_release(&spawned);
}

static void run_program(const struct ca_workload *workload, const struct ca_variant *variant,
                        long divisor, const char *directory, struct ca_run *ret_run) {
    struct command command;
    struct ca_spawned spawned;
    build_command(&command, workload, variant, divisor, directory);
    static struct watch watch;
    watch_begin(&watch);
    spawn(workload, &command, directory, &spawned);
    watch_end(&watch, (double)spawned.cpu_ns / strtod(command.amount, NULL), ret_run);
    ca_spawned_release(&spawned);
}

/* ---- both sides at once ---- */

struct side {
    const struct ca_workload *workload;
    const char *directory;
    struct command command;
    struct ca_spawned spawned;
};

static void *run_side(void *argument) {
    struct side *side = argument;
    spawn(side->workload, &side->command, side->directory, &side->spawned);
    return NULL;
}

/* Calibrations say nothing here: what disturbs one side disturbs the other. */
static void end_side(struct side *side, struct ca_run *ret_run) {
    ret_run->is_whole = true;
    ret_run->slice_count = 1;
    ret_run->slices[0] =
        (struct ca_slice){.ns = (double)side->spawned.cpu_ns / strtod(side->command.amount, NULL)};
    ca_spawned_release(&side->spawned);
}

/* On the core of whoever calls, where they take turns of a few milliseconds. */
static void run_programs_at_once(const struct ca_workload *workload,
                                 const struct ca_variant *variant, const char *directory,
                                 struct ca_run *ret_bare, struct ca_run *ret_run) {
    static struct side sides[2];
    pthread_t threads[2];
    size_t variant_count;
    int first = rand() & 1;
    for (int i = 0; i < 2; i++) {
        sides[i] = (struct side){.workload = workload, .directory = directory};
        build_command(&sides[i].command, workload, i == 0 ? ca_variants(&variant_count) : variant,
                      1, directory);
    }
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run_side, &sides[i ^ first]) != 0)
            fail("a thread", &(struct ca_spawned){0});
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    end_side(&sides[0], ret_bare);
    end_side(&sides[1], ret_run);
}

bool ca_workload_is_paired(const struct ca_workload *workload, const struct ca_variant *variant) {
#ifdef __GLIBC__
    bool has_bare_names = true;
#else
    bool has_bare_names = false;
#endif
    return !variant->is_peer && (workload->kind == CA_WORKLOAD_PROGRAM ||
                                 (workload->kind == CA_WORKLOAD_SLICES && has_bare_names));
}

void ca_workload_run_paired(const struct ca_workload *workload, const struct ca_variant *variant,
                            const char *directory, struct ca_run *ret_bare,
                            struct ca_run *ret_run) {
    if (workload->kind == CA_WORKLOAD_PROGRAM)
        run_programs_at_once(workload, variant, directory, ret_bare, ret_run);
    else
        run_slices_paired(workload, variant, directory, ret_bare, ret_run);
}

/* By hand: ca_spawn_run polls, which a start is too short for. */
static void run_starts(const struct ca_workload *workload, const struct ca_variant *variant,
                       struct ca_run *ret_run) {
    char *environment[CA_VARIANT_WORDS + 1] = {NULL};
    char *argv[] = {(char *)(size_t)workload->argv[0], NULL};
    for (size_t i = 0; i < CA_VARIANT_WORDS && variant->environment[i] != NULL; i++)
        environment[i] = (char *)(size_t)variant->environment[i];
    double before_ns = ca_calibrate();
    for (long i = 0; i < workload->amount; i++) {
        pid_t pid;
        int status = -1;
        double start_ns = ca_clock_ns(CLOCK_MONOTONIC);
        if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environment) != 0 ||
            waitpid(pid, &status, 0) != pid || status != 0)
            fail(argv[0], &(struct ca_spawned){.exit_status = status});
        double spent_ns = ca_clock_ns(CLOCK_MONOTONIC) - start_ns;
        double after_ns = ca_calibrate();
        ret_run->slices[ret_run->slice_count++] = (struct ca_slice){before_ns, spent_ns, after_ns};
        before_ns = after_ns;
    }
}

void ca_workload_run(const struct ca_workload *workload, const struct ca_variant *variant,
                     long divisor, const char *directory, struct ca_run *ret_run) {
    ret_run->slice_count = 0;
    ret_run->is_whole = false;
    switch (workload->kind) {
    case CA_WORKLOAD_SLICES:
        run_slices(workload, variant, divisor, directory, ret_run);
        break;
    case CA_WORKLOAD_PROGRAM:
        run_program(workload, variant, divisor, directory, ret_run);
        break;
    case CA_WORKLOAD_START:
        run_starts(workload, variant, ret_run);
        break;
    }
}

/* ---- instructions ---- */

static double collected(struct ca_workload workload, const struct ca_variant *variant,
                        long operation_count, const char *directory) {
    struct ca_variant under = *variant;
    struct command command;
    char operations[24];
    snprintf(operations, sizeof operations, "-%ld", operation_count);
    under.prefix[0] = "valgrind";
    under.prefix[1] = "--tool=callgrind";
    under.prefix[2] = "--callgrind-out-file=/dev/null";
    if (workload.kind == CA_WORKLOAD_SLICES) {
        workload.argv[0] = COUNTALLOC_BENCH_WORK;
        workload.argv[1] = workload.name;
        workload.argv[2] = operations;
    }
    build_command(&command, &workload, &under,
                  workload.kind == CA_WORKLOAD_PROGRAM ? CALLGRIND_DIVISOR : 1, directory);
    struct ca_spawned spawned;
    spawn(&workload, &command, directory, &spawned);
    const char *said = strstr(spawned.err, "Collected : ");
    double instructions = said != NULL ? strtod(said + strlen("Collected : "), NULL) : -1;
    ca_spawned_release(&spawned);
    return instructions;
}

double ca_workload_instructions(const struct ca_workload *workload,
                                const struct ca_variant *variant, const char *directory) {
    if (workload->kind == CA_WORKLOAD_START || workload->is_in_two_threads || variant->is_peer)
        return -1;
    double once = collected(*workload, variant, CALLGRIND_OPERATIONS, directory);
    if (workload->kind == CA_WORKLOAD_PROGRAM || once < 0)
        return once;
    double twice = collected(*workload, variant, 2L * CALLGRIND_OPERATIONS, directory);
    return twice > once ? (twice - once) / CALLGRIND_OPERATIONS : -1;
}
