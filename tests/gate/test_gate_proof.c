/* SPDX-License-Identifier: MIT
 *
 * Proof of measurement: what was not measured is never within a budget. Each of the ways to a false
 * success ends with status 3, names the cause and the next step. */
#include "gate_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUDGETS "[p/parse]\nfixed = 3\n"
#define PROGRAM COUNTALLOC_GATE_PROGRAM

#define ASK_DOCTOR                                                                                 \
    "    next     'countalloc doctor -- PROGRAM' says whether the program can be counted, and how"

static struct gate_case gate;

static void begin(void) {
    gate_case_init(&gate, BUDGETS);
}

static void end(void) {
    gate_case_release(&gate);
}

TestSuite(gate_proof, .init = begin, .fini = end);

static void assert_not_measured(void) {
    ASSERT_STATUS(&gate, 3);
    ASSERT_OUT(&gate, "  nothing was compared, so nothing is known to be within its budget");
    cr_assert_eq(strncmp(gate.spawned.out, "countalloc check: NOT MEASURED  1 invalid,", 42), 0);
}

Test(gate_proof, within_budget_is_0) {
    CHECK(&gate, "--name", "p", "--", PROGRAM, "parse=3");
    ASSERT_STATUS(&gate, 0);
    ASSERT_OUT(&gate, "b.ini:2: p/parse: within budget: 3 allocations, limit 3: 0");
}

Test(gate_proof, one_allocation_too_many_is_1) {
    CHECK(&gate, "--name", "p", "--", PROGRAM, "parse=4");
    ASSERT_STATUS(&gate, 1);
    ASSERT_OUT(&gate, "b.ini:2: p/parse: over budget on thread 1 (owner)");
    ASSERT_OUT(&gate, "    budget   3 allocations");
    ASSERT_OUT(&gate, "    measured 4 allocations  +1");
    ASSERT_OUT(&gate, "             a number rises only for a reason: 'why = ...' in its section");
}

Test(gate_proof, a_preload_path_that_is_not_there) {
    gate.environment[0] = "COUNTALLOC_LIBRARY=/nowhere/libcountalloc.so";
    CHECK(&gate, "--name", "p", "--", PROGRAM, "parse=3");
    assert_not_measured();
    ASSERT_OUT(&gate, "p: not measured: COUNTALLOC_LIBRARY: cannot read "
                      "'/nowhere/libcountalloc.so': No such file or directory");
    ASSERT_OUT(&gate, "    budgets not judged: 1, from b.ini:1 on");
    ASSERT_OUT(&gate, ASK_DOCTOR);
}

/* The loader says so on standard error and goes on; the program ends with 0. */
Test(gate_proof, a_preload_that_the_loader_ignores) {
    char variable[4200];
    gate_write(&gate, "libcountalloc.so", "no library\n");
    snprintf(variable, sizeof variable, "COUNTALLOC_LIBRARY=%s/libcountalloc.so", gate.folder);
    gate.environment[0] = variable;
    CHECK(&gate, "--name", "p", "--", PROGRAM, "parse=3");
    assert_not_measured();
    ASSERT_OUT(&gate, "p: not measured: '" PROGRAM
                      "': countalloc's library was never loaded into it, or could not reach its "
                      "counters through /proc (the program exited with status 0); messages of the "
                      "loader above say more, else a sandbox or a limit on memory may be the "
                      "cause: try 'countalloc doctor', and the program without them");
    ASSERT_OUT(&gate, ASK_DOCTOR);
}

Test(gate_proof, a_static_program) {
    if (strcmp(COUNTALLOC_GATE_STATIC, "") == 0)
        cr_skip_test("no static libc here");
    CHECK(&gate, "--name", "p", "--", COUNTALLOC_GATE_STATIC, "parse=0");
    assert_not_measured();
    ASSERT_OUT(&gate, "p: not measured: '" COUNTALLOC_GATE_STATIC
                      "' is statically linked, so nothing can be preloaded into it; link it "
                      "dynamically (without -static) to count it");
    ASSERT_OUT(&gate, ASK_DOCTOR);
}

Test(gate_proof, a_program_with_a_sanitizer) {
    if (strcmp(COUNTALLOC_GATE_ASAN, "") == 0)
        cr_skip_test("this compiler has no AddressSanitizer");
    CHECK(&gate, "--name", "p", "--", COUNTALLOC_GATE_ASAN, "parse=0");
    assert_not_measured();
    ASSERT_OUT(&gate, "p: not measured: '" COUNTALLOC_GATE_ASAN
                      "' is built with AddressSanitizer, whose runtime has its own malloc; count "
                      "a build without -fsanitize");
    ASSERT_OUT(&gate, ASK_DOCTOR);
}

/* As with a test filter that matches nothing: the program ends with 0 and did nothing. */
Test(gate_proof, a_phase_that_was_never_opened) {
    CHECK(&gate, "--name", "p", "--", PROGRAM, "load=3");
    assert_not_measured();
    ASSERT_OUT(&gate, "b.ini:1: p/parse: not measured: phase 'parse' was never opened");
    ASSERT_OUT(&gate, "    next     the phases that the program opened: load; "
                      "countalloc_phase_begin(\"parse\") opens this one");
}

Test(gate_proof, a_budget_that_matches_nothing) {
    CHECK(&gate, "--name", "q", "--", PROGRAM, "parse=3");
    assert_not_measured();
    ASSERT_OUT(&gate, "q/total: not measured: no section of b.ini is for program 'q'");
    ASSERT_OUT(&gate, "    next     add [q/total], or name the program with --name as the file has "
                      "it: p");
    ASSERT_OUT(&gate, "b.ini:1: p/parse: stale: there is no record of program 'p'");
}

Test(gate_proof, a_file_without_budgets) {
    gate_write(&gate, "b.ini", "; nothing yet\n");
    CHECK(&gate, "--name", "p", "--", PROGRAM, "parse=3");
    assert_not_measured();
}

Test(gate_proof, a_budget_per_line_without_lines) {
    gate_write(&gate, "b.ini", "[p/parse]\nper = line\nrate = 1\n");
    CHECK(&gate, "--name", "p", "--", PROGRAM, "parse=3");
    assert_not_measured();
    ASSERT_OUT(&gate, "b.ini:1: p/parse: not measured: the phase has no unit 'line' (it has none)");
}

Test(gate_proof, a_crash) {
    CHECK(&gate, "--name", "p", "--", PROGRAM, "parse=3", "abort=1");
    assert_not_measured();
    ASSERT_OUT(&gate, "p: not measured: signal 6 (Aborted) killed the program: its counts end "
                      "there");
    ASSERT_OUT(&gate, "    next     run it without countalloc: if it dies there, too, it is the "
                      "program's own fault");
}

Test(gate_proof, a_timeout) {
    CHECK(&gate, "--name", "p", "--timeout", "0.3", "--", PROGRAM, "parse=3", "sleep=50");
    assert_not_measured();
    ASSERT_OUT(&gate, "p: not measured: --timeout ended the program before it was done");
    ASSERT_OUT(&gate, "    next     raise --timeout, or give the program less to do");
}

Test(gate_proof, a_timeout_in_a_record) {
    COUNTALLOC(&gate, "run", "-q", "-o", "r.json", "--name", "p", "--timeout", "0.3", "--", PROGRAM,
               "parse=3", "sleep=50");
    CHECK(&gate, "r.json");
    assert_not_measured();
    ASSERT_OUT(&gate, "r.json: p: not measured: --timeout ended the program before it was done");
}

Test(gate_proof, a_program_that_failed) {
    CHECK(&gate, "--name", "p", "--", PROGRAM, "parse=3", "exit=4");
    assert_not_measured();
    ASSERT_OUT(&gate, "p: not measured: the program failed with exit status 4");
    ASSERT_OUT(&gate, "    next     see what it said; if that status is expected, --allow-status "
                      "4");
    CHECK(&gate, "--name", "p", "--allow-status", "4", "--", PROGRAM, "parse=3", "exit=4");
    ASSERT_STATUS(&gate, 0);
}

Test(gate_proof, a_program_that_is_not_there) {
    CHECK(&gate, "--name", "p", "--", "./nowhere");
    assert_not_measured();
    ASSERT_OUT(&gate, "p: not measured: './nowhere': no such program; check the name and the "
                      "current directory");
}

Test(gate_proof, leaving_by__exit_is_counted_exactly) {
    CHECK(&gate, "--name", "p", "--", PROGRAM, "parse=3", "_exit=0");
    ASSERT_STATUS(&gate, 0);
    ASSERT_OUT(&gate, "b.ini:2: p/parse: within budget: 3 allocations, limit 3: 0");
    CHECK(&gate, "--name", "p", "--", PROGRAM, "parse=4", "_exit=0");
    ASSERT_STATUS(&gate, 1);
    ASSERT_OUT(&gate, "    measured 4 allocations  +1");
}

Test(gate_proof, a_malformed_budget_names_file_and_line) {
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = 3\nfixd = 4\n");
    CHECK(&gate, "--name", "p", "--", PROGRAM, "parse=3");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR(&gate, "countalloc check: b.ini:3: unknown key 'fixd': did you mean 'fixed'");
    cr_assert_str_eq(gate.spawned.out, "", "the program ran all the same");
}

Test(gate_proof, nothing_is_written_with_CI_set) {
    gate.environment[0] = "CI=true";
    CHECK(&gate, "--update=all", "--name", "p", "--", PROGRAM, "parse=2");
    ASSERT_STATUS(&gate, 0);
    ASSERT_ERR(&gate, "b.ini:2: [p/parse]: fixed 3 -> 2 (not written)");
    ASSERT_ERR(&gate, "countalloc check: CI is set, so nothing was written");
    char *text = gate_read(&gate, "b.ini");
    cr_assert_str_eq(text, BUDGETS);
    free(text);
}

Test(gate_proof, update_touches_one_number) {
    CHECK(&gate, "--update", "--name", "p", "--", PROGRAM, "parse=2");
    ASSERT_STATUS(&gate, 0);
    char *text = gate_read(&gate, "b.ini");
    cr_assert_str_eq(text, "[p/parse]\nfixed = 2\n");
    free(text);
}

/* The artefacts of a matrix: each record its own program or platform. */
Test(gate_proof, many_records_at_once) {
    gate_write(&gate, "b.ini",
               "[p/parse]\nfixed = 3\n[q/parse]\nfixed = 5\n[r/parse]\nfixed = 1\n");
    COUNTALLOC(&gate, "run", "-q", "-o", "p.json", "--name", "p", "--", PROGRAM, "parse=3");
    COUNTALLOC(&gate, "run", "-q", "-o", "q.json", "--name", "q", "--", PROGRAM, "parse=6");
    COUNTALLOC(&gate, "run", "-q", "-o", "r.json", "--name", "r", "--", PROGRAM, "parse=0");
    CHECK(&gate, "p.json", "q.json", "r.json");
    ASSERT_STATUS(&gate, 1);
    ASSERT_OUT_START(&gate, "countalloc check: FAIL  1 over, 1 improved, 1 ok       key ");
    ASSERT_OUT(&gate, "b.ini:4: q/parse: over budget on thread 1 (owner)");
    CHECK(&gate, "p.json", "p.json");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR_START(&gate, "countalloc check: p.json and p.json are both records of 'p' on ");
}
