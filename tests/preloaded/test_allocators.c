/* SPDX-License-Identifier: MIT
 *
 * `countalloc run --allocator`: the counts are the same whichever allocator serves, and the record
 * says which one did. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/record_of.h"

static const struct {
    const char *name;
    const char *in_key; /* how the platform key ends */
} allocators[] = {{"libc", "-glibc"},
                  {"jemalloc", "-libjemalloc"},
                  {"mimalloc", "-libmimalloc"},
                  {"tcmalloc", "-libtcmalloc_minimal"}};

static struct ca_recorded record(const char *allocator, const char *const *argv) {
    const char *const options[] = {"--allocator", allocator, NULL};
    struct ca_record_request request = {
        .how = CA_HOW_RUN, .spawn = {.argv = argv}, .run_options = options};
    struct ca_recorded recorded;
    cr_assert(ca_recorded_init(&recorded, &request), "%s: %s", allocator, recorded.problem);
    return recorded;
}

static void expect_counts(const char *const *argv, long long allocations, long long frees,
                          long long bytes) {
    for (size_t i = 0; i < sizeof allocators / sizeof allocators[0]; i++) {
        const char *name = allocators[i].name;
        struct ca_recorded recorded = record(name, argv);
        const char *key =
            json_string_value(json_object_get(json_object_get(recorded.root, "platform"), "key"));
        cr_expect_eq(ca_recorded_integer(&recorded, "allocations"), allocations, "%s", name);
        cr_expect_eq(ca_recorded_integer(&recorded, "frees"), frees, "%s", name);
        cr_expect_eq(ca_recorded_integer(&recorded, "bytes_requested"), bytes, "%s", name);
        cr_expect(
            key != NULL && strlen(key) > strlen(allocators[i].in_key) &&
                strcmp(key + strlen(key) - strlen(allocators[i].in_key), allocators[i].in_key) == 0,
            "%s: %s", name, key);
        ca_recorded_release(&recorded);
    }
}

Test(allocators, a_program_in_c_counts_the_same_with_each) {
    const char *const argv[] = {COUNTALLOC_VICTIMS "/malloc_and_free", NULL};
    expect_counts(argv, 100, 100, 2400);
}

Test(allocators, new_and_delete_count_the_same_with_each) {
    const char *const argv[] = {COUNTALLOC_VICTIMS "/cpp_containers", NULL};
    struct ca_recorded first = record("libc", argv);
    expect_counts(argv, ca_recorded_integer(&first, "allocations"),
                  ca_recorded_integer(&first, "frees"),
                  ca_recorded_integer(&first, "bytes_requested"));
    ca_recorded_release(&first);
}

static void expect_refusal(const char *allocator, const char *part) {
    const char *const argv[] = {
        COUNTALLOC_COMMAND, "run", "--allocator", allocator, "--", "echo", "ran", NULL};
    struct ca_spawned spawned;
    cr_assert(ca_spawn_run(&(struct ca_spawn){.argv = argv}, &spawned));
    cr_expect_eq(spawned.exit_status, 125, "%s", allocator);
    cr_expect_eq(spawned.out_bytes, 0, "%s: the program was run", allocator);
    cr_expect(strstr(spawned.err, part) != NULL, "%s: %s", allocator, spawned.err);
    ca_spawned_release(&spawned);
}

Test(allocators, what_cannot_serve_is_refused_before_the_program_starts) {
    expect_refusal("nomalloc", "is not known; known are jemalloc");
    expect_refusal("/nowhere/libx.so", "cannot find '/nowhere/libx.so'");
    expect_refusal("libm.so.6", "exports no malloc");
    expect_refusal(COUNTALLOC_LIBRARY, "countalloc's own library");
    expect_refusal("/bin/sh", "is no shared library");
}
