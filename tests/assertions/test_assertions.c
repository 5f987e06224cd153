/* SPDX-License-Identifier: MIT
 *
 * Runs programs whose allocation assertions must fail, pass or skip, with and without the shim, and
 * holds what they say against what they must say: to the letter, because an assertion that fails
 * for another reason proves nothing.
 *
 * COUNTALLOC_ASSERTION_PROGRAM: the program of the cases; the same source is built as C and C++,
 * with and without optimisation. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/spawn.h"

#define NOT_LOADED                                                                                 \
    "not measured: countalloc is not loaded; run this program with LD_PRELOAD=libcountalloc.so "   \
    "(macOS: DYLD_INSERT_LIBRARIES=libcountalloc.dylib)"
#define NOT_COUNTED                                                                                \
    "not measured: countalloc is loaded but does not count here (a forked child, a process that "  \
    "countalloc run does not follow, or another malloc in front); countalloc doctor -- PROGRAM "   \
    "says why"
#define NOT_REACHED                                                                                \
    "not measured: countalloc is loaded but this program's calls do not reach it (a sanitizer, "   \
    "Valgrind, or an allocator of its own); countalloc doctor -- PROGRAM says why"
#define REQUIRED " (COUNTALLOC_REQUIRE is set)"

enum how {
    WITH_SHIM,
    WITHOUT_SHIM,
    REQUIRED_WITHOUT_SHIM,
    REQUIRED_WITH_SHIM
};

/* Without BXFI_MAP, by which a Criterion program would take itself for a worker of ours. */
#define ALONE "BXFI_MAP"

static const char *const *environment_of(enum how how) {
    static const char *const environments[][5] = {
        [WITHOUT_SHIM] = {ALONE},
        [REQUIRED_WITHOUT_SHIM] = {ALONE, "COUNTALLOC_REQUIRE=1"},
        [WITH_SHIM] = {ALONE, "COUNTALLOC_REPORT=none", "LD_PRELOAD=" COUNTALLOC_SHIM},
        [REQUIRED_WITH_SHIM] = {ALONE, "COUNTALLOC_REPORT=none", "LD_PRELOAD=" COUNTALLOC_SHIM,
                                "COUNTALLOC_REQUIRE=1"},
    };
    return environments[how];
}

static const char *program(void) {
    const char *name = getenv("COUNTALLOC_ASSERTION_PROGRAM");
    cr_assert_not_null(name, "COUNTALLOC_ASSERTION_PROGRAM is not set");
    return name;
}

static struct ca_spawned run(const char *name, const char *one_case, enum how how) {
    const char *const argv[] = {name, one_case, NULL};
    struct ca_spawn spawn = {.argv = argv, .environment = environment_of(how)};
    struct ca_spawned spawned;
    cr_assert(ca_spawn_run(&spawn, &spawned), "%s cannot be run", name);
    cr_assert_not(spawned.is_hung);
    return spawned;
}

/* `text` begins with "DIR/FILE:LINE: " for one of the lines on standard output; returns what
 * follows, or NULL. */
static const char *after_place(const char *text, const char *out) {
    const char *colon = strstr(text, ".c:");
    const char *line = colon != NULL                  ? colon + 3
                       : strstr(text, ".cc:") != NULL ? strstr(text, ".cc:") + 4
                                                      : NULL;
    char wanted[32];
    if (line == NULL || strcspn(line, ":") > 8)
        return NULL;
    snprintf(wanted, sizeof wanted, "%.*s\n", (int)strcspn(line, ":"), line);
    const char *found = strstr(out, wanted);
    if (found == NULL || (found != out && found[-1] != '\n'))
        return NULL;
    line += strcspn(line, ":");
    return line[1] == ' ' ? line + 2 : NULL;
}

static void expect_end(const struct ca_spawned *spawned, const char *name, int exit_status,
                       int signal) {
    cr_expect_eq(spawned->exit_status, exit_status, "%s: exit status %d, not %d\n%s", name,
                 spawned->exit_status, exit_status, spawned->err);
    cr_expect_eq(spawned->signal, signal, "%s: signal %d, not %d\n%s", name, spawned->signal,
                 signal, spawned->err);
}

/* ---- assert.h ---- */

static void expect_abort(const char *one_case, enum how how, const char *message) {
    struct ca_spawned spawned = run(program(), one_case, how);
    const char *said = after_place(spawned.err, spawned.out);
    char wanted[600];
    snprintf(wanted, sizeof wanted, "%s\n", message);
    expect_end(&spawned, one_case, -1, SIGABRT);
    cr_expect(said != NULL && strcmp(said, wanted) == 0, "%s said\n%sat\n%sbut should say\n%s",
              one_case, spawned.err, spawned.out, wanted);
    cr_expect_null(strstr(spawned.out, "not reached"), "%s went on", one_case);
    ca_spawned_release(&spawned);
}

Test(assert, a_failing_block_says_where_what_and_how_many) {
    static const struct {
        const char *name;
        const char *message;
    } cases[] = {
        {"one_malloc_too_many", "one_malloc_too_many: 1 allocation in this block, at most 0 "
                                "allowed (malloc 1, calloc 0, realloc 0, aligned 0; 96 bytes)"},
        {"three_where_two_are_allowed", "parse: 3 allocations in this block, at most 2 allowed "
                                        "(malloc 2, calloc 0, realloc 1, aligned 0; 128 bytes)"},
        {"three_where_fewer_are_allowed",
         "three_where_fewer_are_allowed: 3 allocations in this block, fewer than 3 allowed (malloc "
         "0, calloc 2, realloc 0, "
         "aligned 1; 188 bytes)"},
        {"two_where_one_is_expected",
         "two_where_one_is_expected: 2 allocations in this block, exactly 1 expected (malloc 2, "
         "calloc 0, realloc 0, aligned 0; 1 "
         "byte)"},
        {"two_where_two_are_unexpected",
         "two_where_two_are_unexpected: 2 allocations in this block, any number but 2 expected "
         "(malloc 2, calloc 0, realloc 0, "
         "aligned 0; 2 bytes)"},
        {"none_where_one_is_expected",
         "none_where_one_is_expected: 0 allocations in this block, at least 1 expected (malloc 0, "
         "calloc 0, realloc 0, aligned 0; 0 "
         "bytes)"},
        {"two_where_more_than_two_are_expected",
         "two_where_more_than_two_are_expected: 2 allocations in this block, more than 2 expected "
         "(malloc 2, calloc 0, realloc 0, "
         "aligned 0; 2 bytes)"},
        {"a_realloc_is_an_allocation",
         "a_realloc_is_an_allocation: 1 allocation in this block, at most 0 allowed (malloc 0, "
         "calloc 0, realloc 1, aligned 0; 5000 "
         "bytes)"},
        {"a_failed_call_is_named", "a_failed_call_is_named: 1 allocation in this block, at most 0 "
                                   "allowed (malloc 1, calloc 0, realloc 0, aligned 0; 7 bytes; "
                                   "1 failed)"},
        {"a_block_is_leaked", "a_block_is_leaked: 3 allocations and 2 frees in this block, 1 not "
                              "freed (malloc 3, calloc 0, realloc 0, aligned 0; 60 "
                              "bytes)"},
        {"a_block_from_before_is_freed",
         "a_block_from_before_is_freed: 0 allocations and 1 free in this block, 1 more freed than "
         "allocated (malloc 0, calloc 0, "
         "realloc 0, aligned 0; 0 bytes)"},
        {"a_label_is_made_plain", "a 'b' /c ]]_ d_: 1 allocation in this block, at most 0 allowed "
                                  "(malloc 1, calloc 0, realloc 0, aligned 0; 1 byte)"},
        {"a_limit_is_negative", "a_limit_is_negative: the limit of this block is negative"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_abort(cases[i].name, WITH_SHIM, cases[i].message);
}

Test(assert, a_block_is_checked_however_it_is_left) {
#define ONE                                                                                        \
    "1 allocation in this block, at most 0 allowed (malloc 1, calloc 0, realloc 0, aligned 0; 1 "  \
    "byte)"
    expect_abort("break_leaves_checked", WITH_SHIM, "break_leaves_checked: " ONE);
    expect_abort("continue_leaves_checked", WITH_SHIM, "continue_leaves_checked: " ONE);
    expect_abort("return_leaves_checked", WITH_SHIM, "seven: " ONE);
    expect_abort("goto_leaves_checked", WITH_SHIM, "goto_leaves_checked: " ONE);
}

Test(assert, nested_blocks_fail_each_for_itself) {
    expect_abort("the_inner_of_two_fails", WITH_SHIM, "the_inner_of_two_fails: " ONE);
    expect_abort("the_outer_of_two_fails", WITH_SHIM,
                 "the_outer_of_two_fails: 2 allocations in this block, at most 1 allowed (malloc "
                 "2, calloc 0, realloc 0, aligned 0; 3 "
                 "bytes)");
}

Test(assert, a_permit_block_permits_its_own_allocations_only) {
    expect_abort("a_permit_around_does_not_reach_in", WITH_SHIM,
                 "a_permit_around_does_not_reach_in: " ONE);
    expect_abort("a_permit_ends_with_its_block", WITH_SHIM,
                 "a_permit_ends_with_its_block: 1 allocation in this block, at most 0 allowed "
                 "(malloc 1, calloc 0, realloc 0, aligned "
                 "0; 3 bytes)");
}

static void expect_done(enum how how) {
    struct ca_spawned spawned = run(program(), "everything_passes", how);
    expect_end(&spawned, "everything_passes", 0, 0);
    cr_expect_str_eq(spawned.out, "done\n", "%s", spawned.out);
    cr_expect_str_eq(spawned.err, "", "%s", spawned.err);
    ca_spawned_release(&spawned);
}

Test(assert, what_keeps_its_promise_passes_in_silence) {
    expect_done(WITH_SHIM);
    expect_done(REQUIRED_WITH_SHIM);
}

Test(assert, without_the_shim_each_place_says_once_that_it_is_not_checked) {
    struct ca_spawned spawned = run(program(), "two_places_three_times", WITHOUT_SHIM);
    static const char first[] = "two_places_three_times: " NOT_LOADED "\n";
    static const char second[] = "second: " NOT_LOADED "\n";
    const char *said = after_place(spawned.err, spawned.out);
    expect_end(&spawned, "two_places_three_times", 0, 0);
    cr_assert(said != NULL && strncmp(said, first, strlen(first)) == 0, "%s", spawned.err);
    said = after_place(said + strlen(first), spawned.out);
    cr_assert(said != NULL && strcmp(said, second) == 0, "%s", spawned.err);
    cr_expect_not_null(strstr(spawned.out, "ran 9\n"), "%s", spawned.out);
    ca_spawned_release(&spawned);
}

Test(assert, without_the_shim_a_required_block_fails) {
    expect_abort("two_places_three_times", REQUIRED_WITHOUT_SHIM,
                 "two_places_three_times: " NOT_LOADED REQUIRED);
}

Test(assert, a_program_skips_as_a_whole) {
    static const struct {
        enum how how;
        int exit_status;
        const char *err;
    } cases[] = {
        {WITHOUT_SHIM, 77, "skipped: " NOT_LOADED "\n"},
        {REQUIRED_WITHOUT_SHIM, 1, "failed, because COUNTALLOC_REQUIRE is set: " NOT_LOADED "\n"},
        {WITH_SHIM, 0, ""},
        {REQUIRED_WITH_SHIM, 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ca_spawned spawned = run(program(), "status_to_skip_with", cases[i].how);
        expect_end(&spawned, "status_to_skip_with", cases[i].exit_status, 0);
        cr_expect_str_eq(spawned.err, cases[i].err, "%s", spawned.err);
        ca_spawned_release(&spawned);
    }
}

Test(assert, a_forked_child_is_not_taken_for_measured) {
    struct ca_spawned spawned = run(program(), "a_forked_child", WITH_SHIM);
    const char *said = after_place(spawned.err, spawned.out);
    expect_end(&spawned, "a_forked_child", 0, 0);
    cr_expect(said != NULL && strcmp(said, "a_forked_child: " NOT_COUNTED "\n") == 0, "%s",
              spawned.err);
    cr_expect_not_null(strstr(spawned.out, "child 5\n"), "%s", spawned.out);
    ca_spawned_release(&spawned);
}

/* ---- what stands alone ---- */

Test(alone, calls_that_do_not_reach_the_shim_are_not_taken_for_none) {
    struct ca_spawned spawned = run(COUNTALLOC_OWN_ARENA, NULL, WITH_SHIM);
    static const char wanted[] = "main: " NOT_REACHED "\nskipped: " NOT_REACHED "\n";
    expect_end(&spawned, "own_arena", 77, 0);
    cr_expect_not_null(strstr(spawned.err, wanted), "%s", spawned.err);
    ca_spawned_release(&spawned);
    spawned = run(COUNTALLOC_OWN_ARENA, NULL, REQUIRED_WITH_SHIM);
    expect_end(&spawned, "own_arena", -1, SIGABRT);
    cr_expect_not_null(strstr(spawned.err, "main: " NOT_REACHED REQUIRED "\n"), "%s", spawned.err);
    ca_spawned_release(&spawned);
}

Test(alone, examples_skip_without_the_shim_and_fail_when_it_is_required) {
    static const char *const examples[] = {COUNTALLOC_EXAMPLES};
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        struct ca_spawned spawned = run(examples[i], NULL, WITHOUT_SHIM);
        expect_end(&spawned, examples[i], 77, 0);
        cr_expect_str_eq(spawned.err, "skipped: " NOT_LOADED "\n");
        ca_spawned_release(&spawned);
        spawned = run(examples[i], NULL, REQUIRED_WITHOUT_SHIM);
        expect_end(&spawned, examples[i], 1, 0);
        ca_spawned_release(&spawned);
    }
}

/* ---- C++ only ---- */

Test(exceptions, a_block_and_an_exception_respect_each_other) {
#define FIVE                                                                                       \
    "1 allocation in this block, at most 0 allowed (malloc 1, calloc 0, realloc 0, aligned 0; 5 "  \
    "bytes)\n"
    static const struct {
        const char *name;
        int exit_status;
        const char *err;       /* without the place; NULL for none */
        const char *last_line; /* of standard output; NULL for the place's */
    } cases[] = {
        {"a_failure_is_thrown_at_the_end", 1, "a_failure_is_thrown_at_the_end: " FIVE, NULL},
        {"a_failure_is_thrown_at_return", 1, "five: " FIVE, NULL},
        {"a_failure_is_thrown_at_break", 1, "a_failure_is_thrown_at_break: " FIVE, NULL},
        {"an_exception_leaves_unchecked", 0,
         "left by an exception: its allocations are not checked\n", "caught 7\n"},
        {"an_exception_leaves_a_permit_block", 0, NULL, "passed\n"},
        {"an_exception_inside_is_an_allocation", 1,
         "an_exception_inside_is_an_allocation: 1 allocation in this block, exactly 0 expected "
         "(malloc 1, calloc 0, realloc 0, "
         "aligned 0; 132 bytes)\n",
         NULL},
        {"a_block_works_while_another_exception_is_in_flight", 0, "~unwinding: " FIVE, NULL},
        {"lambdas_and_templates", 1,
         "operator(): 6 allocations in this block, exactly 3 expected (malloc 6, calloc 0, realloc "
         "0, aligned 0; 399 bytes)\n",
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ca_spawned spawned = run(program(), cases[i].name, WITH_SHIM);
        const char *said = after_place(spawned.err, spawned.out);
        const char *wanted = cases[i].err != NULL ? cases[i].err : "";
        expect_end(&spawned, cases[i].name, cases[i].exit_status, 0);
        cr_expect_str_eq(said != NULL ? said : spawned.err, wanted, "%s: %s at\n%s", cases[i].name,
                         spawned.err, spawned.out);
        if (cases[i].last_line != NULL)
            cr_expect_not_null(strstr(spawned.out, cases[i].last_line), "%s: %s", cases[i].name,
                               spawned.out);
        ca_spawned_release(&spawned);
    }
}

/* ---- criterion.h ---- */

static struct ca_spawned run_criterion(const char *test, enum how how, const char *option) {
    char filter[128];
    const char *const argv[] = {program(), "--filter", filter, option, NULL};
    struct ca_spawn spawn = {.argv = argv, .environment = environment_of(how)};
    struct ca_spawned spawned;
    snprintf(filter, sizeof filter, "cases/%s", test);
    cr_assert(ca_spawn_run(&spawn, &spawned), "%s cannot be run", argv[0]);
    cr_assert_not(spawned.is_hung);
    return spawned;
}

/* That Criterion reports a failure at the last place that the test printed. */
static void expect_failure(const char *test, enum how how, const char *message) {
    struct ca_spawned spawned = run_criterion(test, how, NULL);
    char wanted[600];
    snprintf(wanted, sizeof wanted,
             "criterion_cases.c:%d: Assertion Failed\n[----]   \n[----]   %s\n", atoi(spawned.out),
             message);
    expect_end(&spawned, test, 1, 0);
    cr_expect_not_null(strstr(spawned.err, wanted), "%s said\n%sbut should say\n%s", test,
                       spawned.err, wanted);
    cr_expect_not_null(strstr(spawned.err, "Tested: 1 | Passing: 0 | Failing: 1 | Crashing: 0"),
                       "%s", spawned.err);
    cr_expect_null(strstr(spawned.out, "not reached"), "%s went on", test);
    ca_spawned_release(&spawned);
}

Test(criterion, a_failing_block_says_where_what_and_how_many) {
    expect_failure("one_too_many", WITH_SHIM,
                   "1 allocation in this block, at most 0 allowed (malloc 1, calloc 0, realloc 0, "
                   "aligned 0; 96 bytes)");
    expect_failure("one_more_than_allowed", WITH_SHIM,
                   "parse: 3 allocations in this block, at most 2 allowed (malloc 2, calloc 0, "
                   "realloc 1, aligned 0; 96 bytes)");
    expect_failure("as_many_as_must_be_exceeded", WITH_SHIM,
                   "2 allocations in this block, more than 2 expected (malloc 2, calloc 0, realloc "
                   "0, aligned 0; 2 bytes)");
    expect_failure("a_leak", WITH_SHIM,
                   "1 allocation and 0 frees in this block, 1 not freed (malloc 1, calloc 0, "
                   "realloc 0, aligned 0; 20 bytes)");
    expect_failure("break_leaves_checked", WITH_SHIM, ONE);
}

Test(criterion, an_expectation_fails_and_goes_on) {
    struct ca_spawned spawned = run_criterion("expectations_go_on", WITH_SHIM, NULL);
    size_t count = 0;
    for (const char *at = spawned.err; (at = strstr(at, "Assertion Failed")) != NULL; at++)
        count++;
    expect_end(&spawned, "expectations_go_on", 1, 0);
    cr_expect_eq(count, 2, "%s", spawned.err);
    cr_expect_not_null(strstr(spawned.err, "[----]   " ONE "\n"), "%s", spawned.err);
    cr_expect_not_null(strstr(spawned.err, "[----]   1 allocation and 0 frees in this block, 1 not "
                                           "freed (malloc 1, calloc 0, realloc 0, aligned 0; "
                                           "2 bytes)\n"),
                       "%s", spawned.err);
    cr_expect_not_null(strstr(spawned.out, "reached\n"));
    ca_spawned_release(&spawned);
}

static void expect_pass(const char *test, const char *option) {
    struct ca_spawned spawned = run_criterion(test, REQUIRED_WITH_SHIM, option);
    expect_end(&spawned, test, 0, 0);
    cr_expect_not_null(strstr(spawned.err, "Tested: 1 | Passing: 1 | Failing: 0 | Crashing: 0"),
                       "%s", spawned.err);
    cr_expect_str_eq(spawned.out, "reached\n");
    ca_spawned_release(&spawned);
}

Test(criterion, what_keeps_its_promise_passes) {
    expect_pass("everything_passes", NULL);
    expect_pass("full_stats_do_not_count", NULL);
    expect_pass("full_stats_do_not_count", "--full-stats");
}

Test(criterion, without_the_shim_a_test_is_skipped_and_says_so) {
    struct ca_spawned spawned = run_criterion("one_more_than_allowed", WITHOUT_SHIM, "--verbose");
    char wanted[400];
    snprintf(wanted, sizeof wanted, "criterion_cases.c:%d: skipped: parse: " NOT_LOADED "\n",
             atoi(spawned.out));
    expect_end(&spawned, "one_more_than_allowed", 0, 0);
    cr_expect_not_null(strstr(spawned.err, wanted), "%s", spawned.err);
    cr_expect_not_null(
        strstr(spawned.err, "[SKIP] cases::one_more_than_allowed: parse: " NOT_LOADED "\n"), "%s",
        spawned.err);
    cr_expect_not_null(strstr(spawned.err, "Tested: 0 |"), "%s", spawned.err);
    cr_expect_null(strstr(spawned.out, "not reached"));
    ca_spawned_release(&spawned);
}

Test(criterion, without_the_shim_a_required_block_fails) {
    expect_failure("one_more_than_allowed", REQUIRED_WITHOUT_SHIM, "parse: " NOT_LOADED REQUIRED);
}

Test(criterion, a_label_does_not_break_the_json) {
    struct ca_spawned spawned =
        run_criterion("a_label_is_made_plain", WITH_SHIM, "--json=/dev/stdout");
    const char *json = strchr(spawned.out, '{');
    cr_assert_not_null(json, "%s", spawned.out);
    json_t *root = json_loads(json, JSON_DISABLE_EOF_CHECK, NULL);
    cr_expect_not_null(root, "%s", json);
    cr_expect_not_null(strstr(json, "a 'b' /c ]]_ d_: 1 allocation in this block"), "%s", json);
    json_decref(root);
    ca_spawned_release(&spawned);
}
