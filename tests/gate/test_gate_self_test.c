/* SPDX-License-Identifier: MIT
 *
 * check --self-test: each budget must notice allocations that are added. */
#include "gate_case.h"

#include <stdio.h>

#define PROGRAM COUNTALLOC_GATE_PROGRAM

static struct gate_case gate;

static void begin(void) {
    gate_case_init(&gate, NULL);
}

static void end(void) {
    gate_case_release(&gate);
}

TestSuite(gate_self_test, .init = begin, .fini = end);

#define SELF_TEST(...) CHECK(&gate, "--self-test", "--name", "p", "--", PROGRAM, __VA_ARGS__)

Test(gate_self_test, every_budget_turns_over) {
    gate_write(&gate, "b.ini",
               "[p/parse]\nper = line\nrate = 1/4\nfixed = 3\nbytes.fixed = 1000\ntolerance = 2\n"
               "[p/load]\nfixed = 5\n[p/main]\nfixed = 4\n[p/startup]\nfixed = 1\n"
               "[p/exit]\nfixed = 0\n[p/total]\nfixed = 100\n");
    SELF_TEST("lines=100", "parse=20", "load=5", "main=1");
    ASSERT_STATUS(&gate, 0);
    ASSERT_OUT(&gate,
               "countalloc check --self-test: PASS  7 limits turned over, 0 did not, 0 not tested");
    ASSERT_OUT(&gate, "b.ini:4: p/parse: turned over by 11 more: 31 allocations, limit 30");
    ASSERT_OUT(&gate, "b.ini:5: p/parse: turned over by 521 more: 1001 bytes, limit 1000");
    ASSERT_OUT(&gate, "b.ini:8: p/load: turned over by 1 more: 6 allocations, limit 5");
    ASSERT_OUT(&gate, "b.ini:10: p/main: turned over by 4 more: 5 allocations, limit 4");
    ASSERT_OUT(&gate, "b.ini:12: p/startup: turned over by 2 more: 2 allocations, limit 1");
    ASSERT_OUT(&gate, "b.ini:14: p/exit: turned over by 1 more: 1 allocation, limit 0");
    ASSERT_OUT(&gate, "b.ini:16: p/total: turned over by 75 more: 101 allocations, limit 100");
}

Test(gate_self_test, a_budget_that_nothing_could_trip_fails) {
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = 3\n[p/total]\nfixed = 18446744073709551615\n");
    SELF_TEST("parse=3");
    ASSERT_STATUS(&gate, 1);
    ASSERT_OUT(&gate,
               "countalloc check --self-test: FAIL  1 limits turned over, 1 did not, 0 not tested");
    ASSERT_OUT(&gate, "b.ini:4: p/total: nothing would turn it over: 3 allocations, limit "
                      "18446744073709551615; lower it: countalloc check --update");
    ASSERT_OUT(&gate, "b.ini:2: p/parse: turned over by 1 more: 4 allocations, limit 3");
}

Test(gate_self_test, a_tolerance_that_hides_everything_fails) {
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = 3\ntolerance = 5000000000\n");
    SELF_TEST("parse=3");
    ASSERT_STATUS(&gate, 1);
}

Test(gate_self_test, a_program_that_does_less_the_second_time_is_named) {
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = 3\n");
    gate_write(&gate, "once",
               "#!/bin/sh\nif [ -e again ]; then exec \"$P\" parse=1; fi\n"
               ": > again\nexec \"$P\" parse=3\n");
    RUN(&gate, "chmod", "+x", "once");
    gate.environment[0] = "P=" PROGRAM;
    CHECK(&gate, "--self-test", "--name", "p", "--", "./once");
    ASSERT_STATUS(&gate, 1);
    ASSERT_OUT(&gate, "b.ini:2: p/parse: did not turn over: 1 were added to 3 allocations, then 2 "
                      "were counted, limit 3; the program does not do the same each time "
                      "('countalloc run --repeat 5' says where)");
}

Test(gate_self_test, without_a_measurement_there_is_no_test) {
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = 3\n");
    SELF_TEST("load=1");
    ASSERT_STATUS(&gate, 3);
    ASSERT_OUT(&gate, "b.ini:1: p/parse: not measured: phase 'parse' was never opened");
}

Test(gate_self_test, a_run_with_additions_that_fails_is_no_proof) {
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = 3\n");
    gate_write(&gate, "once",
               "#!/bin/sh\nif [ -e again ]; then exec \"$P\" parse=3 exit=1; fi\n"
               ": > again\nexec \"$P\" parse=3\n");
    RUN(&gate, "chmod", "+x", "once");
    gate.environment[0] = "P=" PROGRAM;
    CHECK(&gate, "--self-test", "--name", "p", "--", "./once");
    ASSERT_STATUS(&gate, 3);
    ASSERT_OUT(&gate, "countalloc check --self-test: NOT MEASURED  0 limits turned over, 0 did "
                      "not, 1 not tested");
    ASSERT_OUT(&gate, "b.ini:2: p/parse: not tested: the run with 1 more was not measured: the "
                      "program failed with exit status 1");
}

Test(gate_self_test, limits_that_it_cannot_test_are_named) {
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = 3\nlive_blocks.fixed = 0\n");
    SELF_TEST("parse=3");
    ASSERT_STATUS(&gate, 3);
    ASSERT_OUT(&gate, "b.ini:3: p/parse: not tested: what is added is freed again, so that it does "
                      "not raise live_blocks");
}

Test(gate_self_test, over_already_is_noticed) {
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = 3\n");
    SELF_TEST("parse=5");
    ASSERT_STATUS(&gate, 0);
    ASSERT_OUT(&gate, "b.ini:2: p/parse: over without any added: 5 allocations, limit 3");
}

Test(gate_self_test, every_run_reads_the_same_input) {
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = 4\n");
    gate_write(&gate, "input", "abc\n");
    char path[4200];
    snprintf(path, sizeof path, "%s/input", gate.folder);
    gate.stdin_path = path;
    SELF_TEST("input=-");
    ASSERT_STATUS(&gate, 0);
    ASSERT_OUT(&gate, "b.ini:2: p/parse: turned over by 1 more: 5 allocations, limit 4");
}

Test(gate_self_test, it_wants_a_program) {
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = 4\n");
    CHECK(&gate, "--self-test", "r.json");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR(&gate, "countalloc check: --self-test runs the program again: give it after '--'");
}
