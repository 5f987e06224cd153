/* SPDX-License-Identifier: MIT
 *
 * diff, and run --repeat, from end to end. */
#include "gate_case.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define PROGRAM COUNTALLOC_GATE_PROGRAM

static struct gate_case gate;

static void begin(void) {
    gate_case_init(&gate, NULL);
}

static void end(void) {
    gate_case_release(&gate);
}

TestSuite(gate_diff, .init = begin, .fini = end);
TestSuite(gate_repeat, .init = begin, .fini = end);

#define RECORD(file, ...)                                                                          \
    COUNTALLOC(&gate, "run", "-q", "-o", file, "--name", "p", "--", PROGRAM, __VA_ARGS__)

Test(gate_diff, no_difference) {
    RECORD("a.json", "lines=10", "parse=5");
    RECORD("b.json", "lines=10", "parse=5");
    COUNTALLOC(&gate, "diff", "--exit-code", "a.json", "b.json");
    ASSERT_STATUS(&gate, 0);
    ASSERT_OUT(&gate, "countalloc diff: no difference");
}

Test(gate_diff, from_nothing_it_says_0_to_3_and_never_a_percentage) {
    RECORD("a.json", "lines=1000", "parse=0", "load=7");
    RECORD("b.json", "lines=1000", "parse=3", "load=7");
    COUNTALLOC(&gate, "diff", "a.json", "b.json");
    ASSERT_STATUS(&gate, 0);
    ASSERT_OUT(&gate, "countalloc diff: +3 allocations, +72 bytes requested; 1 of 5 phases "
                      "differs");
    ASSERT_OUT(&gate, "  allocations        0 -> 3                                 +3   0 -> 0.003 "
                      "per line");
    cr_assert_null(strchr(gate.spawned.out, '%'));
    COUNTALLOC(&gate, "diff", "--exit-code", "a.json", "b.json");
    ASSERT_STATUS(&gate, 1);
}

Test(gate_diff, largest_first_and_phases_that_come_and_go) {
    RECORD("a.json", "parse=5", "load=200");
    RECORD("b.json", "parse=100", "main=1");
    COUNTALLOC(&gate, "diff", "a.json", "b.json");
    const char *load = strstr(gate.spawned.out, "\nload   (only in the old record)\n");
    const char *parse = strstr(gate.spawned.out, "\nparse\n");
    const char *main_phase = strstr(gate.spawned.out, "\nmain\n");
    cr_assert(load != NULL && load < parse && parse < main_phase, "%s", gate.spawned.out);
    COUNTALLOC(&gate, "diff", "b.json", "a.json");
    ASSERT_OUT(&gate, "load   (only in the new record)");
}

Test(gate_diff, the_thread_is_named_whose_difference_it_is) {
    RECORD("a.json", "parse=5", "other=4");
    RECORD("b.json", "parse=5", "other=9");
    COUNTALLOC(&gate, "diff", "a.json", "b.json");
    ASSERT_OUT(&gate, "    thread 2 (adopted)");
    ASSERT_OUT(&gate, "      allocations    4 -> 9                                 +5");
    cr_assert(!gate_has_line(gate.spawned.out, "    thread 1"));
}

Test(gate_diff, what_makes_it_doubtful_is_said) {
    RECORD("a.json", "parse=5");
    COUNTALLOC(&gate, "run", "-q", "-o", "b.json", "--name", "q", "--", PROGRAM, "parse=5",
               "exit=3");
    RUN(&gate, "sed", "-i", "-e", "s/\"rules\": 1/\"rules\": 2/", "-e",
        "s/\"key\": \"[^\"]*\"/\"key\": \"linux-x86_64-musl\"/", "-e",
        "s/\"countalloc\": \"[^\"]*\"/\"countalloc\": \"9.9.9\"/", "b.json");
    COUNTALLOC(&gate, "diff", "a.json", "b.json");
    ASSERT_STATUS(&gate, 0);
    ASSERT_OUT(&gate, "  note: counting rules: 1 and 2: the numbers do not mean the same");
    ASSERT_OUT_START(&gate, "  note: platform: ");
    ASSERT_OUT(&gate, "  note: program: p and q");
    ASSERT_OUT_START(&gate, "  note: countalloc: ");
    ASSERT_OUT(&gate, "  note: the new program exited with status 3");
}

Test(gate_diff, json_has_pairs) {
    RECORD("a.json", "lines=10", "parse=0");
    RECORD("b.json", "lines=10", "parse=3");
    COUNTALLOC(&gate, "diff", "--format", "json", "a.json", "b.json");
    ASSERT_STATUS(&gate, 0);
    json_t *root = json_loads(gate.spawned.out, JSON_REJECT_DUPLICATES, NULL);
    const char *name, *change;
    json_int_t before, after;
    cr_assert_eq(json_unpack(root, "{s:[{s:s, s:s, s:{s:[I, I]}}]}", "phases", "name", &name,
                             "change", &change, "counts", "allocations", &before, &after),
                 0);
    cr_assert(strcmp(name, "parse") == 0 && strcmp(change, "changed") == 0 && before == 0 &&
              after == 3);
    json_decref(root);
}

Test(gate_diff, nothing_measured_is_no_0) {
    RECORD("a.json", "parse=5");
    gate_write(&gate, "lib", "no library\n");
    char variable[4200];
    snprintf(variable, sizeof variable, "COUNTALLOC_LIBRARY=%s/lib", gate.folder);
    gate.environment[0] = variable;
    RECORD("b.json", "parse=5");
    gate.environment[0] = NULL;
    COUNTALLOC(&gate, "diff", "a.json", "b.json");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR_START(&gate, "countalloc diff: b.json: nothing was measured: ");
}

Test(gate_diff, sites_are_not_pretended) {
    RECORD("a.json", "parse=5");
    COUNTALLOC(&gate, "diff", "--by", "site", "a.json", "a.json");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR(&gate, "countalloc diff: neither 'a.json' nor 'a.json' has call sites: record both "
                      "again with 'countalloc run --sites -o FILE', or compare by phase");
}

/* ---- run --repeat ---- */

Test(gate_repeat, identical_runs_say_so) {
    COUNTALLOC(&gate, "run", "--repeat", "3", "--", PROGRAM, "parse=5", "other=4");
    ASSERT_STATUS(&gate, 0);
    ASSERT_ERR(&gate, "3 runs: identical");
}

Test(gate_repeat, what_differs_is_named_by_phase_and_thread) {
    gate_write(&gate, "turn", "");
    COUNTALLOC(&gate, "run", "--repeat", "3", "-o", "r.json", "--", PROGRAM, "parse=5", "turn=turn",
               "other=4");
    ASSERT_STATUS(&gate, 0);
    ASSERT_ERR(&gate, "3 runs: not identical; lowest and highest of what differed:");
    ASSERT_ERR(&gate, "  phase 'parse', thread 1");
    ASSERT_ERR(&gate, "    allocations        5 to 7");
    cr_assert(!gate_has_line(gate.spawned.err, "  phase 'parse', thread 2 (adopted)"));
    char path[4200];
    snprintf(path, sizeof path, "%s/r.json", gate.folder);
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    int runs, identical, total;
    cr_assert_eq(json_unpack(root, "{s:{s:i, s:b}, s:{s:i}}", "repeat", "runs", &runs, "identical",
                             &identical, "total", "allocations", &total),
                 0);
    /* The record is the first run's: 9 in the phase, 2 of stdio, 1 of the thread. */
    cr_assert(runs == 3 && !identical && total == 12, "%d %d %d", runs, identical, total);
    json_decref(root);
    COUNTALLOC(&gate, "report", "r.json");
    ASSERT_STATUS(&gate, 0);
}

Test(gate_repeat, differences_are_a_warning_that_q_does_not_silence) {
    gate_write(&gate, "turn", "");
    COUNTALLOC(&gate, "run", "-q", "--repeat", "2", "--", PROGRAM, "turn=turn");
    ASSERT_ERR(&gate, "countalloc run: 2 runs: not identical; lowest and highest of what "
                      "differed:");
}

Test(gate_repeat, the_first_failing_run_gives_the_status) {
    gate_write(&gate, "once",
               "#!/bin/sh\nif [ -e again ]; then exec \"$P\" exit=5; fi\n"
               ": > again\nexec \"$P\" parse=3\n");
    RUN(&gate, "chmod", "+x", "once");
    gate.environment[0] = "P=" PROGRAM;
    COUNTALLOC(&gate, "run", "--repeat", "3", "--", "./once");
    ASSERT_STATUS(&gate, 5);
    ASSERT_ERR(&gate, "    exit status        0 to 5");
    ASSERT_ERR(&gate, "  phase 'parse', in 1 of 3 runs");
}

Test(gate_repeat, a_pipe_is_refused_because_the_second_run_would_read_nothing) {
    RUN(&gate, "sh", "-c", "echo x | \"$0\" run --repeat 2 -- cat", COUNTALLOC_COMMAND);
    ASSERT_STATUS(&gate, 125);
    ASSERT_ERR(&gate,
               "countalloc run: --repeat: standard input is a pipe, of which the first run leaves "
               "nothing to the next: give a file (< FILE), which each run reads from its "
               "beginning, or < /dev/null");
}

Test(gate_repeat, a_file_is_read_by_every_run) {
    gate_write(&gate, "input", "abc\n");
    RUN(&gate, "sh", "-c", "exec \"$0\" run --repeat 2 -- \"$1\" input=- < input",
        COUNTALLOC_COMMAND, PROGRAM);
    ASSERT_STATUS(&gate, 0);
    ASSERT_ERR(&gate, "2 runs: identical");
}
