/* SPDX-License-Identifier: MIT
 *
 * `check --allocator`: the verdict is the same whichever allocator serves, and one that cannot is
 * never a success. */
#include "gate_case.h"

#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

#define PROGRAM COUNTALLOC_GATE_PROGRAM

struct allocator {
    char name[24];
};

static struct allocator allocators[] = {
    {"libc"}, {"jemalloc"}, {"mimalloc"}, {"tcmalloc"}, {"jemalloc-inside"}};

static struct gate_case gate;

static void begin(void) {
    gate_case_init(&gate, "[p/parse]\nfixed = 100\nbytes.fixed = 2400\n");
}

static void end(void) {
    gate_case_release(&gate);
}

TestSuite(gate_allocators, .init = begin, .fini = end);

#define FOR_EACH_ALLOCATOR(name)                                                                   \
    ParameterizedTestParameters(gate_allocators, name) {                                           \
        return cr_make_param_array(struct allocator, allocators,                                   \
                                   sizeof allocators / sizeof allocators[0]);                      \
    }                                                                                              \
    ParameterizedTest(struct allocator *allocator, gate_allocators, name)

static void skip_unless_installed(const char *allocator) {
    COUNTALLOC(&gate, "run", "-q", "--allocator", allocator, "--", "true");
    if (gate.status == 125 && (strstr(gate.spawned.err, "where the loader looks; install it") ||
                               strstr(gate.spawned.err, "this countalloc was built without it")))
        cr_skip_test("%s is not installed", allocator);
}

FOR_EACH_ALLOCATOR(within_its_budget_with_each) {
    skip_unless_installed(allocator->name);
    CHECK(&gate, "--allocator", allocator->name, "--name", "p", "--", PROGRAM, "parse=100");
    ASSERT_STATUS(&gate, 0);
    ASSERT_OUT(&gate, "b.ini:2: p/parse: within budget: 100 allocations, limit 100: 0");
}

FOR_EACH_ALLOCATOR(over_by_one_with_each) {
    skip_unless_installed(allocator->name);
    CHECK(&gate, "--allocator", allocator->name, "--name", "p", "--", PROGRAM, "parse=101");
    ASSERT_STATUS(&gate, 1);
    ASSERT_OUT(&gate, "b.ini:2: p/parse: over budget on thread 1 (owner)");
    ASSERT_OUT(&gate, "    budget   100 allocations");
    ASSERT_OUT(&gate, "    measured 101 allocations  +1");
}

FOR_EACH_ALLOCATOR(over_by_a_byte_with_each) {
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = 100\nbytes.fixed = 2399\n");
    skip_unless_installed(allocator->name);
    CHECK(&gate, "--allocator", allocator->name, "--name", "p", "--", PROGRAM, "parse=100");
    ASSERT_STATUS(&gate, 1);
    ASSERT_OUT(&gate, "    budget   2399 bytes");
    ASSERT_OUT(&gate, "    measured 2400 bytes  +1");
}

FOR_EACH_ALLOCATOR(a_section_for_its_key_decides) {
    static const struct {
        const char *name;
        const char *budgets;
    } keys[] = {
        {"libc", "[p/parse]\nfixed = 0\n[p/parse@glibc]\nfixed = 100\n"},
        {"jemalloc", "[p/parse]\nfixed = 0\n[p/parse@libjemalloc]\nfixed = 100\n"},
        {"mimalloc", "[p/parse]\nfixed = 0\n[p/parse@libmimalloc]\nfixed = 100\n"},
        {"tcmalloc", "[p/parse]\nfixed = 0\n[p/parse@libtcmalloc_minimal]\nfixed = 100\n"},
        {"jemalloc-inside", "[p/parse]\nfixed = 0\n[p/parse@libjemalloc]\nfixed = 100\n"},
    };
    skip_unless_installed(allocator->name);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i].name, allocator->name) == 0)
            gate_write(&gate, "b.ini", keys[i].budgets);
    CHECK(&gate, "--allocator", allocator->name, "--name", "p", "--", PROGRAM, "parse=100");
    ASSERT_STATUS(&gate, 0);
    ASSERT_OUT_START(&gate, "b.ini:4: p/parse: within budget: 100 allocations, limit 100: 0");
}

FOR_EACH_ALLOCATOR(the_self_test_turns_over_with_each) {
    gate_write(&gate, "b.ini", "[p/parse]\nfixed = 100\n");
    skip_unless_installed(allocator->name);
    CHECK(&gate, "--self-test", "--allocator", allocator->name, "--name", "p", "--", PROGRAM,
          "parse=100");
    ASSERT_STATUS(&gate, 0);
}

/* ---- what cannot serve ---- */

Test(gate_allocators, a_name_that_is_not_known_is_usage) {
    CHECK(&gate, "--allocator", "hoard", "--name", "p", "--", PROGRAM, "parse=100");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR_START(&gate, "countalloc check: --allocator: 'hoard' is not known; known are ");
    CHECK(&gate, "--allocator=", "--name", "p", "--", PROGRAM);
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR_START(&gate, "countalloc check: '--allocator' is empty");
}

Test(gate_allocators, a_library_that_is_not_there_is_not_measured) {
    CHECK(&gate, "--allocator", "/nowhere/liba.so", "--name", "p", "--", PROGRAM, "parse=1");
    ASSERT_STATUS(&gate, 3);
    ASSERT_OUT(&gate, "p: not measured: --allocator: cannot find '/nowhere/liba.so': No such file "
                      "or directory");
    ASSERT_OUT(&gate, "  nothing was compared, so nothing is known to be within its budget");
}

Test(gate_allocators, a_library_without_malloc_is_not_measured) {
    CHECK(&gate, "--allocator", "libm.so.6", "--name", "p", "--", PROGRAM, "parse=1");
    ASSERT_STATUS(&gate, 3);
    cr_assert_not_null(strstr(gate.spawned.out, "libm.so.6' exports no malloc, so it cannot serve "
                                                "any; name a library that defines malloc and "
                                                "free\n"),
                       "%s", gate.spawned.out);
}

Test(gate_allocators, records_have_their_allocator_already) {
    CHECK(&gate, "--allocator", "jemalloc", "some.json");
    ASSERT_STATUS(&gate, 2);
    ASSERT_ERR_START(&gate, "countalloc check: -o, --name, --units, --live, --sites, --stacks, "
                            "--allocator and --timeout are for a program, not for records");
}

Test(gate_allocators, a_static_program_is_refused_as_without_it) {
    if (COUNTALLOC_GATE_STATIC[0] == '\0')
        cr_skip_test("no static libc is installed");
    skip_unless_installed("jemalloc");
    CHECK(&gate, "--allocator", "jemalloc", "--name", "p", "--", COUNTALLOC_GATE_STATIC, "parse=1");
    ASSERT_STATUS(&gate, 3);
    cr_assert_not_null(strstr(gate.spawned.out, "is statically linked, so nothing can be preloaded "
                                                "into it; link it dynamically"),
                       "%s", gate.spawned.out);
    COUNTALLOC(&gate, "run", "--allocator", "jemalloc", "--", COUNTALLOC_GATE_STATIC, "parse=1");
    ASSERT_STATUS(&gate, 125);
    cr_assert_not_null(strstr(gate.spawned.err, "is statically linked"), "%s", gate.spawned.err);
    COUNTALLOC(&gate, "run", "--uncounted-ok", "--allocator", "jemalloc", "--",
               COUNTALLOC_GATE_STATIC, "parse=1", "exit=7");
    ASSERT_STATUS(&gate, 7);
    cr_assert_null(strstr(gate.spawned.err, "requested"), "%s", gate.spawned.err);
}

/* What C++ allocates past the shim is not within any budget. */
Test(gate_allocators, what_is_counted_in_part_is_not_measured) {
    if (COUNTALLOC_GATE_CPP[0] == '\0')
        cr_skip_test("no C++ compiler");
    skip_unless_installed("jemalloc");
    gate_write(&gate, "b.ini", "[p/total]\nfixed = 1000\n");
    gate.environment[0] = "LD_PRELOAD=libjemalloc.so.2";
    CHECK(&gate, "--name", "p", "--", COUNTALLOC_GATE_CPP);
    ASSERT_STATUS(&gate, 3);
    cr_assert_not_null(strstr(gate.spawned.out, "C++'s new and delete are those of "), "%s",
                       gate.spawned.out);
    CHECK(&gate, "--allocator", "jemalloc", "--name", "p", "--", COUNTALLOC_GATE_CPP);
    ASSERT_STATUS(&gate, 0);
}
