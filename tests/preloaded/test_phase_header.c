/* SPDX-License-Identifier: MIT
 *
 * countalloc/phase.h without the shim: nothing happens, and nothing is allocated for it. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/spawn.h"

#define VICTIM(name) COUNTALLOC_VICTIMS "/" name

static struct ca_spawned run(const char *const *argv, const char *const *environment) {
    struct ca_spawned spawned;
    cr_assert(ca_spawn_run(&(struct ca_spawn){.argv = argv, .environment = environment}, &spawned));
    return spawned;
}

Test(phase_header, is_inert_without_the_shim) {
    const char *argv[] = {VICTIM("phase_without_shim"), NULL};
    struct ca_spawned spawned = run(argv, NULL);
    cr_assert_eq(spawned.exit_status, 0, "%s", spawned.err);
    cr_assert_str_eq(spawned.out, "active=0\ntoken=0\n");
    cr_assert_str_empty(spawned.err);
    ca_spawned_release(&spawned);
}

Test(phase_header, is_active_below_the_shim) {
    const char *argv[] = {VICTIM("phase_without_shim"), NULL};
    const char *environment[] = {"LD_PRELOAD=" COUNTALLOC_LIBRARY, "COUNTALLOC_REPORT=none", NULL};
    struct ca_spawned spawned = run(argv, environment);
    cr_assert_eq(spawned.exit_status, 0, "%s", spawned.err);
    cr_assert_str_eq(spawned.out, "active=1\ntoken=1\n");
    ca_spawned_release(&spawned);
}

Test(phase_header, is_inert_in_every_way_it_can_be_built) {
    static const char *const programs[] = {VICTIM("phase_header"), VICTIM("phase_header_no_pie"),
                                           VICTIM("phase_header_pie")};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        const char *argv[] = {programs[i], NULL};
        struct ca_spawned spawned = run(argv, NULL);
        cr_expect_eq(spawned.exit_status, 1, "%s", programs[i]); /* its way to say "not active" */
        ca_spawned_release(&spawned);
    }
}

Test(phase_header, allocates_nothing_by_valgrinds_count) {
    char *valgrind = ca_spawn_find("valgrind");
    if (valgrind == NULL)
        cr_skip_test("valgrind is not installed");
    const char *argv[] = {valgrind, VICTIM("phase_without_shim"), NULL};
    struct ca_spawned spawned = run(argv, NULL);
    cr_assert(strstr(spawned.err, "total heap usage: 0 allocs, 0 frees, 0 bytes") != NULL, "%s",
              spawned.err);
    ca_spawned_release(&spawned);
    free(valgrind);
}
