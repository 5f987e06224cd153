/* SPDX-License-Identifier: MIT
 *
 * check --base: a change cannot approve itself. */
#include "gate_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM COUNTALLOC_GATE_PROGRAM
#define BASE                                                                                       \
    "[p/parse]\nper = line\nrate = 1/4\nfixed = 3\n"                                               \
    "[p/load]\nfixed = 5\n"
/* parse raised, load removed, main new */
#define CHANGED                                                                                    \
    "[p/parse]\nper = line\nrate = 1/4\nfixed = 300\nwhy = it seemed right\n"                      \
    "[p/main]\nfixed = 4\n"

static struct gate_case gate;
static char commit[13]; /* as it is shown */

static void git(const char *command) {
    char line[512];
    snprintf(line, sizeof line,
             "git -c user.name=t -c user.email=t@example.invalid -c commit.gpgsign=false %s",
             command);
    RUN(&gate, "sh", "-c", line);
    ASSERT_STATUS(&gate, 0);
}

/* Branch "change" with CHANGED in the file as it lies there; branch "main" has gone on. */
static void begin(void) {
    gate_case_init(&gate, BASE);
    git("init -q -b main .");
    git("add b.ini");
    git("commit -q -m base");
    git("rev-parse HEAD");
    memcpy(commit, gate.spawned.out, 12);
    git("checkout -q -b change");
    git("checkout -q main");
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = 1000\n");
    git("commit -q -a -m later");
    git("checkout -q change");
    gate_write(&gate, "b.ini", CHANGED);
}

static void end(void) {
    gate_case_release(&gate);
}

TestSuite(gate_base, .init = begin, .fini = end);

#define JUDGE(...) CHECK(&gate, "--base", "main", "--name", "p", __VA_ARGS__)

static void assert_out(const char *format) {
    char line[512];
    snprintf(line, sizeof line, format, commit);
    ASSERT_OUT(&gate, line);
}

/* Formats are literals of this file. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

Test(gate_base, a_raise_does_not_count) {
    JUDGE("--", PROGRAM, "lines=100", "parse=50", "load=5");
    ASSERT_STATUS(&gate, 1);
    assert_out("  judged by the budgets at %s, the merge base with main; 1 raised, 1 removed");
    ASSERT_OUT(&gate, "b.ini:4: p/parse: over budget on thread 1 (owner)");
    ASSERT_OUT(&gate, "    budget   28 allocations  = (1/4)/line + 3 for 100 lines");
    assert_out("    base     raised: the limit on allocations is 325, at the base %s it is 28: "
               "that still counts");
    ASSERT_OUT(&gate, "  accept:    a number above the base's counts once it is merged: let a "
                      "person decide, and merge with this check failing");
    cr_assert(!gate_has_start(gate.spawned.out, "  accept:    countalloc"));
    /* Without the base the change approves itself. */
    CHECK(&gate, "--name", "p", "--", PROGRAM, "lines=100", "parse=50", "load=5");
    ASSERT_STATUS(&gate, 0);
}

Test(gate_base, a_removed_budget_still_counts) {
    JUDGE("--", PROGRAM, "lines=100", "parse=28", "load=6");
    ASSERT_STATUS(&gate, 1);
    ASSERT_OUT(&gate, "p/load: over budget on thread 1 (owner)");
    assert_out("    base     removed: only the base %s has this budget, and it still counts");
}

Test(gate_base, a_raise_that_is_not_needed_is_flagged_and_passes) {
    JUDGE("--", PROGRAM, "lines=100", "parse=28", "load=5");
    ASSERT_STATUS(&gate, 0);
    assert_out("b.ini:4: p/parse: within budget: 28 allocations, limit 28 ((1/4)/line + 3 for 100 "
               "lines): 0; raised: the limit on allocations is 325, at the base %s it is 28: that "
               "still counts");
}

Test(gate_base, a_lower_number_counts_at_once) {
    gate_write(&gate, "b.ini",
               "[p/parse]\nper = line\nrate = 1/4\nfixed = 1\n[p/load]\nfixed = 5\n");
    JUDGE("--", PROGRAM, "lines=100", "parse=27", "load=5");
    ASSERT_STATUS(&gate, 1);
    ASSERT_OUT(&gate, "    budget   26 allocations  = (1/4)/line + 1 for 100 lines");
    ASSERT_OUT_START(&gate, "  accept:    countalloc check --update=all -b b.ini --name p -- ");
}

Test(gate_base, a_new_budget_is_judged_by_itself) {
    JUDGE("--", PROGRAM, "lines=100", "parse=28", "load=5", "main=5");
    ASSERT_STATUS(&gate, 1);
    ASSERT_OUT(&gate, "b.ini:7: p/main: over budget (all threads)");
    assert_out("    base     new since the base %s: judged by itself");
}

Test(gate_base, another_unit_does_not_get_around_it) {
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = 300\n[p/load]\nfixed = 5\n");
    JUDGE("--", PROGRAM, "lines=100", "parse=50", "load=5");
    ASSERT_STATUS(&gate, 1);
    assert_out("    base     its unit differs from the base %s: what is there counts");
}

Test(gate_base, every_format_flags_it) {
    JUDGE("--format", "json=j", "--format", "junit=x", "--format", "github=g", "--format", "md=m",
          "--", PROGRAM, "lines=100", "parse=50", "load=5");
    ASSERT_STATUS(&gate, 1);
    static const char *const names[] = {"j", "x", "g", "m"};
    char note[128];
    for (size_t i = 0; i < 4; i++) {
        char *text = gate_read(&gate, names[i]);
        snprintf(note, sizeof note, "at the base %s it is 28", commit);
        cr_assert_not_null(strstr(text, note), "%s", text);
        snprintf(note, sizeof note, i == 0 ? "\"ref\": \"main\"" : "budgets at %s, the merge base",
                 commit);
        cr_assert_not_null(strstr(text, note), "%s", text);
        free(text);
    }
}

Test(gate_base, a_file_that_is_new_is_judged_by_itself) {
    gate_write(&gate, "new.ini", "[p/parse]\nfixed = 3\n");
    RUN(&gate, COUNTALLOC_COMMAND, "check", "-b", "new.ini", "--base", "main", "--name", "p", "--",
        PROGRAM, "parse=3");
    ASSERT_STATUS(&gate, 0);
    assert_out("  new.ini is new since %s, the merge base with main: judged by itself");
}

Test(gate_base, a_mistake_at_the_base_is_named) {
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = x\n");
    git("commit -q -a -m mistake");
    git("branch broken");
    gate_write(&gate, "b.ini", BASE);
    CHECK(&gate, "--base", "broken", "--name", "p", "--", PROGRAM, "parse=3");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR_START(&gate, "countalloc check: b.ini at ");
}

Test(gate_base, no_such_commit) {
    CHECK(&gate, "--base", "nowhere", "--name", "p", "--", PROGRAM, "parse=3");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR(&gate, "countalloc check: --base nowhere: git knows no such commit here; fetch it "
                      "first: git fetch origin BRANCH (actions/checkout: 'fetch-depth: 0'), then "
                      "--base origin/BRANCH");
}

Test(gate_base, no_common_commit) {
    git("checkout -q --orphan alone");
    git("commit -q -a -m alone");
    CHECK(&gate, "--base", "main", "--name", "p", "--", PROGRAM, "parse=3");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR(&gate, "countalloc check: --base main: HEAD has no commit in common with it here; a "
                      "shallow clone has cut the history: git fetch --unshallow (actions/checkout: "
                      "'fetch-depth: 0')");
}

Test(gate_base, no_git) {
    gate.environment[0] = "PATH=/nowhere";
    CHECK(&gate, "--base", "main", "--name", "p", "--", PROGRAM, "parse=3");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR(&gate, "countalloc check: --base needs git, which is not in PATH");
}

Test(gate_base, no_repository) {
    RUN(&gate, "rm", "-rf", ".git");
    gate.environment[0] = "GIT_CEILING_DIRECTORIES=/";
    gate.environment[1] = "LC_ALL=C";
    CHECK(&gate, "--base", "main", "--name", "p", "--", PROGRAM, "parse=3");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR_START(&gate, "countalloc check: --base main: the budget file is in no git "
                            "repository that can be read (fatal: not a git repository");
}

Test(gate_base, a_reference_is_never_an_option) {
    CHECK(&gate, "--base=--help", "--name", "p", "--", PROGRAM, "parse=3");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR(&gate, "countalloc check: --base wants a branch or commit, not '--help'");
}

Test(gate_base, it_judges_and_writes_nothing) {
    CHECK(&gate, "--base", "main", "--update", "--name", "p", "--", PROGRAM, "parse=3");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR(&gate, "countalloc check: --base judges a file as it is: leave out --update and "
                      "--fit");
}
