/* SPDX-License-Identifier: MIT
 *
 * Real programs: allocations, frees and bytes equal to Valgrind's "total heap usage", in three runs
 * each. The two runs of a program see the same files, and environments of the same sizes, because
 * some programs copy theirs to the heap. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/expectation.h"
#include "support/record_of.h"
#include "victim_list.h"

#define MOST_VARIABLES  60u
#define RUNS            3
#define FEWEST_PROGRAMS 8

/* Python by its full name: a python3 found first in PATH may be a script of a version manager. Not
 * here: cc1, because what it allocates depends on where the system puts its memory, from run to
 * run; shells, because they keep the numbers of several processes as text. */
static const char *const programs[][8] = {
    {"ls", "-lR", "/usr/share/common-licenses"},
    {"sort", "numbers"},
    {"git", "-C", "repository", "log", "--stat"},
    {"/usr/bin/python3", "-c", "print(sum(len(str(i)) for i in range(10000)))"},
    {"perl", "-e", "my %h; $h{$_ % 97} .= $_ for 1..5000; print scalar keys %h"},
    {"sqlite3", ":memory:",
     "create table t(a,b); insert into t values(1,'x'),(2,'y'); select * from t order by b"},
    {"jq", ".[] | select(.a > 1)", "data.json"},
    {"as", "-o", "/dev/null", "unit.s"},
    {"mawk", "{ a[$1 % 100] += $1 } END { for (k in a) print k, a[k] }", "numbers"},
    {"gawk", "{ a[$1 % 100] += $1 } END { for (k in a) print k, a[k] }", "numbers"},
    {"sed", "s/1/2/g", "numbers"},
    {"grep", "-c", "7[0-9]*3", "numbers"},
    {"xmllint", "data.xml"},
    {"openssl", "dgst", "-sha256", "numbers"},
    {"find", "/usr/share/common-licenses", "-name", "G*"},
    {"tar", "cf", "-", "numbers"},
    {"date", "-u", "-d", "2026-11-03"},
};

struct variables {
    const char *entries[MOST_VARIABLES + 1];
    size_t count;
};

struct heap {
    long long allocs;
    long long frees;
    long long bytes;
};

static char *directory;
static struct variables under_valgrind;
static struct variables under_shim;
static size_t prepared_digit_count;

static const char *const valgrind_options[] = {
    "valgrind",        "--run-libc-freeres=no", "--run-cxx-freeres=no", "--log-file=valgrind.log",
    "--tool=memcheck", "--leak-check=no"};
#define VALGRIND_WORDS (sizeof valgrind_options / sizeof valgrind_options[0])

/* ---- environments ---- */

static void add_variable(struct variables *variables, const char *entry) {
    if (variables->count < MOST_VARIABLES)
        variables->entries[variables->count++] = entry;
}

static const char *find_variable(const struct variables *variables, const char *entry) {
    size_t length = strcspn(entry, "=") + 1;
    for (size_t i = 0; i < variables->count; i++)
        if (strncmp(variables->entries[i], entry, length) == 0)
            return variables->entries[i];
    return NULL;
}

static struct variables basic_variables(void) {
    static char path[4096];
    snprintf(path, sizeof path, "PATH=%s", getenv("PATH"));
    struct variables basic = {.count = 0};
    add_variable(&basic, path);
    add_variable(&basic, "HOME=/nonexistent");
    add_variable(&basic, "LC_ALL=C");
    add_variable(&basic, "TZ=UTC");
    add_variable(&basic, "PYTHONHASHSEED=0");
    add_variable(&basic, "PERL_HASH_SEED=0");
    add_variable(&basic, "GIT_CONFIG_NOSYSTEM=1");
    return basic;
}

/* What `env` prints below the given words, as entries. The text lives as long as the test. */
static struct variables seen_below(const char *const *words, size_t word_count,
                                   const struct variables *given) {
    const char *argv[VALGRIND_WORDS + 2] = {NULL};
    for (size_t i = 0; i < word_count; i++)
        argv[i] = words[i];
    argv[word_count] = "env";
    struct ca_spawn spawn = {.argv = argv,
                             .environment = given->entries,
                             .has_fresh_environment = true,
                             .directory = directory};
    struct ca_spawned spawned;
    struct variables seen = {.count = 0};
    cr_assert(ca_spawn_run(&spawn, &spawned) && spawned.exit_status == 0,
              "env does not run below %s", words[0]);
    char *rest;
    for (char *line = strtok_r(spawned.out, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        add_variable(&seen, line);
    return seen;
}

/* Gives `to` what the other side has and this one lacks; LD_PRELOAD is padded to `preload_length`
 * instead. */
static void even_out(struct variables *to, const struct variables *own,
                     const struct variables *other, size_t preload_length, char *padding,
                     size_t size) {
    for (size_t i = 0; i < other->count; i++)
        if (find_variable(own, other->entries[i]) == NULL)
            add_variable(to, other->entries[i]);
    size_t length = strlen(find_variable(own, "LD_PRELOAD="));
    cr_assert(preload_length >= length + 2 && preload_length - length < size - 16);
    strcpy(padding, "LD_PRELOAD=");
    memset(padding + 11, ':',
           preload_length - length - 1); /* behind one that the tool puts in between */
    padding[11 + preload_length - length - 1] = '\0';
    add_variable(to, padding);
}

/* Of the next process number. */
static size_t count_pid_digits(void) {
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return (size_t)snprintf(NULL, 0, "%d", child);
}

static void prepare_environments(void) {
    prepared_digit_count = count_pid_digits();
    static char shim_padding[512];
    static char valgrind_padding[512];
    static const char *const run[] = {COUNTALLOC_COMMAND, "run", "-q", "--"};
    under_shim = under_valgrind = basic_variables();
    struct variables below_valgrind = seen_below(valgrind_options, VALGRIND_WORDS, &under_valgrind);
    struct variables below_shim = seen_below(run, sizeof run / sizeof run[0], &under_shim);
    size_t a = strlen(find_variable(&below_valgrind, "LD_PRELOAD="));
    size_t b = strlen(find_variable(&below_shim, "LD_PRELOAD="));
    size_t both = (a > b ? a : b) + 2;
    even_out(&under_valgrind, &below_valgrind, &below_shim, both, valgrind_padding,
             sizeof valgrind_padding);
    even_out(&under_shim, &below_shim, &below_valgrind, both, shim_padding, sizeof shim_padding);
}

/* ---- files ---- */

static void write_file(const char *name, const char *text) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void prepare_files(void) {
    static char numbers[20000];
    size_t length = 0;
    for (unsigned i = 1; i <= 2000; i++)
        length +=
            (size_t)snprintf(numbers + length, sizeof numbers - length, "%u\n", i * 7919 % 10007);
    write_file("numbers", numbers);
    write_file("data.json", "[{\"a\": 1}, {\"a\": 2, \"b\": [1, 2, \"three\"]}, {\"a\": 3}]\n");
    write_file("data.xml", "<list><item n=\"1\">one</item><item n=\"2\">two</item></list>\n");
    write_file("unit.s", ".text\n.globl main\nmain:\n\tnop\n1:\t.long 1b, main\n"
                         ".section .data\ntable:\t.fill 64, 4, 7\n");
    const char *script =
        "git init -q repository && cd repository && for i in 1 2 3; do echo $i >file && git add "
        "file && "
        "git -c user.name=N -c user.email=n@example.org commit -q -m \"commit $i\"; done";
    const char *argv[] = {"sh", "-c", script, NULL};
    struct ca_spawned spawned;
    if (ca_spawn_run(&(struct ca_spawn){.argv = argv, .directory = directory}, &spawned))
        ca_spawned_release(&spawned);
}

static void prepare(void) {
    directory = ca_spawn_make_directory();
    cr_assert_not_null(directory);
    prepare_environments();
    prepare_files();
}

static void clean_up(void) {
    ca_spawn_remove_directory(directory);
}

TestSuite(oracle, .init = prepare, .fini = clean_up, .timeout = 0);

/* ---- the two counts ---- */

static bool count_below_valgrind(const char *const *words, struct heap *ret) {
    const char *argv[VALGRIND_WORDS + 16] = {NULL};
    size_t count = 0;
    for (; count < VALGRIND_WORDS; count++)
        argv[count] = valgrind_options[count];
    for (; *words != NULL; words++)
        argv[count++] = *words;
    struct ca_spawn spawn = {.argv = argv,
                             .environment = under_valgrind.entries,
                             .has_fresh_environment = true,
                             .directory = directory,
                             .hang_limit_s = 120};
    struct ca_spawned spawned;
    if (!ca_spawn_run(&spawn, &spawned))
        return false;
    ca_spawned_release(&spawned);
    char path[4096];
    snprintf(path, sizeof path, "%s/valgrind.log", directory);
    char *log = ca_spawn_read_file(path, NULL);
    char *line = log != NULL ? strstr(log, "total heap usage: ") : NULL;
    bool is_found = false;
    if (line != NULL) {
        char *to = line;
        for (const char *from = line; *from != '\0' && *from != '\n'; from++)
            if (*from != ',')
                *to++ = *from;
        *to = '\0';
        is_found = sscanf(line, "total heap usage: %lld allocs %lld frees %lld bytes", &ret->allocs,
                          &ret->frees, &ret->bytes) == 3;
    }
    free(log);
    return is_found;
}

static void count_below_shim(const char *const *words, struct heap *ret) {
    struct ca_record_request request = {.how = CA_HOW_RUN,
                                        .spawn = {.argv = words,
                                                  .environment = under_shim.entries,
                                                  .has_fresh_environment = true,
                                                  .directory = directory}};
    struct ca_recorded recorded;
    cr_assert(ca_recorded_init(&recorded, &request), "%s: %s", words[0], recorded.problem);
    ret->allocs = ca_recorded_integer(&recorded, "allocations");
    ret->frees = ca_recorded_integer(&recorded, "frees");
    ret->bytes = ca_recorded_integer(&recorded, "bytes_requested");
    ca_recorded_release(&recorded);
}

/* One comparison; process numbers are in variables and so on the heap of some programs. False when
 * they got longer or shorter meanwhile, which makes it worth nothing. */
static bool is_comparable(const char *name, const char *const *words, struct heap *ret_wanted,
                          struct heap ret_seen[RUNS]) {
    size_t digit_count = count_pid_digits();
    if (digit_count != prepared_digit_count)
        prepare_environments();
    cr_assert(count_below_valgrind(words, ret_wanted), "%s does not run under Valgrind", name);
    for (int run = 0; run < RUNS; run++)
        count_below_shim(words, &ret_seen[run]);
    return prepared_digit_count == digit_count && count_pid_digits() == digit_count;
}

static void compare(const char *name, const char *const *words) {
    struct heap wanted;
    struct heap seen[RUNS];
    while (!is_comparable(name, words, &wanted, seen))
        ;
    for (int run = 0; run < RUNS; run++)
        cr_expect(seen[run].allocs == wanted.allocs && seen[run].frees == wanted.frees &&
                      seen[run].bytes == wanted.bytes,
                  "%s, run %d: %lld allocations, %lld frees, %lld bytes; Valgrind: %lld, %lld, "
                  "%lld",
                  name, run + 1, seen[run].allocs, seen[run].frees, seen[run].bytes, wanted.allocs,
                  wanted.frees, wanted.bytes);
}

/* ---- tests ---- */

Test(oracle, real_programs_allocate_what_valgrind_says) {
    int compared_count = 0;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        const char *words[9] = {NULL};
        for (size_t k = 0; k < 8 && programs[i][k] != NULL; k++)
            words[k] = programs[i][k];
        bool is_there = words[0][0] == '/' && access(words[0], X_OK) == 0;
        char *path = is_there ? strdup(words[0]) : ca_spawn_find(words[0]);
        if (path == NULL) {
            cr_log_warn("%s is not installed: not compared", words[0]);
            continue;
        }
        words[0] = path;
        compare(path, words);
        compared_count++;
        free(path);
    }
    cr_assert_geq(compared_count, FEWEST_PROGRAMS, "only %d programs were there to compare",
                  compared_count);
}

static const struct {
    const char *source;
    const char *program;
} victims[] = {
#define VICTIM(name, source, program) {source, program},
    VICTIM_LIST(VICTIM)
#undef VICTIM
};

/* A copy without debug information, because Valgrind refuses a program whose kind of it is too new
 * for it. To be freed. */
static char *make_stripped(const char *program) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", directory, strrchr(program, '/') + 1);
    const char *argv[] = {"strip", "-g", "-o", path, program, NULL};
    struct ca_spawned spawned;
    cr_assert(ca_spawn_run(&(struct ca_spawn){.argv = argv}, &spawned));
    bool is_done = spawned.exit_status == 0;
    ca_spawned_release(&spawned);
    return strdup(is_done ? path : program);
}

Test(oracle, victims_allocate_what_valgrind_says) {
    for (size_t i = 0; i < sizeof victims / sizeof victims[0]; i++) {
        struct ca_expectation expectation;
        if (ca_expectation_init(&expectation, victims[i].source) && expectation.has_valgrind) {
            char *program = make_stripped(victims[i].program);
            const char *words[] = {program, NULL};
            compare(program, words);
            free(program);
        }
        ca_expectation_release(&expectation);
    }
}

Test(oracle, logstat_allocates_what_valgrind_says) {
    const char *generate[] = {COUNTALLOC_LOGSTAT, "gen", "access.log", "2000", NULL};
    struct ca_spawned spawned;
    cr_assert(ca_spawn_run(&(struct ca_spawn){.argv = generate, .directory = directory}, &spawned));
    cr_assert_eq(spawned.exit_status, 0, "logstat gen: %s", spawned.err);
    ca_spawned_release(&spawned);
    char *program = make_stripped(COUNTALLOC_LOGSTAT);
    static const char *const versions[] = {"v0", "v1", "v2", "v3", "v4"};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        const char *words[] = {program, "run", versions[i], "access.log", NULL};
        compare(versions[i], words);
    }
    free(program);
}
