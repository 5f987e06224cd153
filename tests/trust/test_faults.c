/* SPDX-License-Identifier: MIT
 *
 * What surrounds a program when things go wrong: other preloaded libraries, auditors, disks that are
 * full or read-only, limits, daemons. The program must run as it would alone, and what is said about
 * the counts must be true. Counts of single programs: tests/programs/. */
#include <countalloc/counterfile.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/spawn.h"

#define VICTIM(name) COUNTALLOC_VICTIMS "/" name
#define HELPER(name) COUNTALLOC_TRUST "/" name
#define SHIM         COUNTALLOC_LIBRARY
#define RUN          COUNTALLOC_COMMAND " run "

static char *directory;

static void make_directory(void) {
    directory = ca_spawn_make_directory();
    cr_assert_not_null(directory);
}

static void remove_directory(void) {
    ca_spawn_remove_directory(directory);
}

TestSuite(faults, .init = make_directory, .fini = remove_directory, .timeout = 120);

/* Runs a script in the test's own folder, without the shim unless it asks for it. */
static struct ca_spawned run(const char *script) {
    const char *argv[] = {"sh", "-c", script, NULL};
    struct ca_spawned spawned;
    cr_assert(ca_spawn_run(&(struct ca_spawn){.argv = argv, .directory = directory}, &spawned));
    cr_assert_not(spawned.is_hung, "hangs: %s", script);
    return spawned;
}

/* Runs it, and wants `status` and each of the parts (NULL-ended) on stderr. */
static void expect(const char *script, int status, const char *const *parts) {
    struct ca_spawned spawned = run(script);
    cr_assert_eq(spawned.exit_status, status, "status %d, signal %d: %s\n%s", spawned.exit_status,
                 spawned.signal, script, spawned.err);
    for (; *parts != NULL; parts++)
        cr_assert(strstr(spawned.err, *parts) != NULL, "no \"%s\" from %s:\n%s", *parts, script,
                  spawned.err);
    ca_spawned_release(&spawned);
}

#define EXPECT(script, status, ...) expect(script, status, (const char *const[]){__VA_ARGS__, NULL})

static bool can(const char *script) {
    struct ca_spawned spawned = run(script);
    bool is_good = spawned.exit_status == 0;
    ca_spawned_release(&spawned);
    return is_good;
}

/* ---- other preloaded libraries (A1, A2, E6, F4, G4) ---- */

Test(faults, preload_before_ours_that_has_malloc_is_named_and_left_alone) {
    EXPECT("LD_PRELOAD='" HELPER("own_heap.so") " " SHIM "' " VICTIM("malloc_and_free"), 0,
           "not counting process", "its malloc belongs to", "own_heap.so");
}

Test(faults, preload_after_ours_that_has_malloc_serves_and_is_counted) {
    EXPECT("LD_PRELOAD='" SHIM " " HELPER("own_heap.so") "' " VICTIM("malloc_and_free"), 0,
           "100 allocations, 100 frees, 2,400 bytes requested",
           "the object that serves malloc has no malloc_usable_size");
}

Test(faults, preload_of_the_user_stays_under_run) {
    EXPECT("LD_PRELOAD=" HELPER("own_heap.so") " " RUN "-- " VICTIM("malloc_and_free"), 0,
           "100 allocations, 100 frees, 2,400 bytes requested",
           "the object that serves malloc has no malloc_usable_size");
}

Test(faults, system_calls_of_another_preload_that_allocate_are_counted_as_its_calls) {
    /* 10 of the program, and one for each of open, getenv, write and mmap. */
    static const char wanted[] = "14 allocations, 14 frees, 640 bytes requested";
    EXPECT("LD_PRELOAD='" HELPER("allocating_calls.so") " " SHIM "' " HELPER("allocating_calls"), 0,
           wanted);
    EXPECT("LD_PRELOAD='" SHIM " " HELPER("allocating_calls.so") "' " HELPER("allocating_calls"), 0,
           wanted);
    EXPECT("LD_PRELOAD=" HELPER("allocating_calls.so") " " RUN "-- " HELPER("allocating_calls"), 0,
           wanted);
}

Test(faults, second_copy_of_the_shim_counts_nothing_twice) {
    cr_assert(can("cp " SHIM " libcountalloc-2.so"));
    EXPECT("LD_PRELOAD='" SHIM " ./libcountalloc-2.so' " VICTIM("malloc_and_free"), 0,
           "100 allocations, 100 frees, 2,400 bytes requested", "not counting process");
    EXPECT("LD_PRELOAD=./libcountalloc-2.so " RUN "-- " VICTIM("malloc_and_free"), 0,
           "100 allocations, 100 frees, 2,400 bytes requested");
}

Test(faults, allocator_inside_the_program_is_named_and_nothing_is_measured) {
    EXPECT(RUN "-- " HELPER("own_heap"), 125, "not measured", "its malloc calls go to the program");
    EXPECT("LD_PRELOAD=" SHIM " " HELPER("own_heap"), 0, "not counting process",
           "its malloc belongs to the program itself");
}

/* ---- the loader (B1) ---- */

Test(faults, audit_library_changes_no_count) {
    EXPECT("LD_AUDIT=" HELPER("audit_library.so") " LD_PRELOAD=" SHIM " " VICTIM("malloc_and_free"),
           0, "100 allocations, 100 frees, 2,400 bytes requested");
    EXPECT("LD_AUDIT=" HELPER("audit_library.so") " " RUN "-- " VICTIM("threads_500_at_once"), 0,
           "allocations");
}

/* ---- disks and limits (D1) ---- */

Test(faults, counter_file_on_a_full_disk_is_refused_and_the_program_runs) {
    if (!can("unshare -rm sh -c 'mount -t tmpfs -o size=1m none /mnt'"))
        cr_skip_test("no mounting here");
    EXPECT("unshare -rm sh -c 'mount -t tmpfs -o size=1m none /mnt && LD_PRELOAD=" SHIM
           " COUNTALLOC_FILE=/mnt/c " VICTIM("malloc_and_free") " && test ! -e /mnt/c'",
           0, "cannot create COUNTALLOC_FILE /mnt/c: error 28", "with 32 MiB free");
}

Test(faults, record_on_a_full_disk_is_an_error_and_the_program_has_run) {
    EXPECT(RUN "-q -o /dev/full -- sh -c ': >ran'; status=$?; test -e ran && exit $status", 125,
           "/dev/full", "No space left on device");
}

Test(faults, counter_file_beyond_the_limit_of_file_sizes_is_refused_and_the_program_runs) {
    EXPECT("ulimit -f 8; LD_PRELOAD=" SHIM " COUNTALLOC_FILE=./c " VICTIM("malloc_and_free"), 0,
           "cannot create COUNTALLOC_FILE ./c: error 27");
}

Test(faults, region_beyond_the_limit_of_file_sizes_is_an_error_before_the_program) {
    EXPECT("ulimit -f 8; " RUN "-q -- sh -c ': >ran'; status=$?; test ! -e ran && exit $status",
           125, "cannot map a counter region", "longer files (ulimit -f)");
}

Test(faults, missing_temporary_directory_is_not_missed) {
    EXPECT("TMPDIR=/nonexistent " RUN "-- " VICTIM("malloc_and_free"), 0,
           "100 allocations, 100 frees, 2,400 bytes requested");
}

Test(faults, read_only_file_systems_are_enough) {
    if (!can("unshare -rm mount -o remount,ro,bind /"))
        cr_skip_test("no mounting here");
    EXPECT("unshare -rm sh -c 'mount -o remount,ro,bind / && TMPDIR=/nonexistent " RUN
           "-- " VICTIM("malloc_and_free") "'",
           0, "100 allocations, 100 frees, 2,400 bytes requested");
}

Test(faults, counter_file_that_is_unlinked_leaves_counts_and_report) {
    EXPECT("LD_PRELOAD=" SHIM " COUNTALLOC_FILE=./c bash -c 'test -e c && rm c && test ! -e c; :'; "
           "test ! -e c",
           0, "allocations", "bytes requested");
}

Test(faults, counter_file_never_grows) {
    struct stat facts;
    char path[4200];
    EXPECT("LD_PRELOAD=" SHIM " COUNTALLOC_FILE=./c " VICTIM("phase_million"), 0, "allocations");
    snprintf(path, sizeof path, "%s/c", directory);
    cr_assert_eq(stat(path, &facts), 0);
    cr_assert_eq(facts.st_size, CA_REGION_BYTES);
}

/* ---- processes (C2, C3, H1) ---- */

Test(faults, forked_children_leave_the_counter_file_alone) {
    cr_assert(can("LD_PRELOAD=" SHIM
                  " COUNTALLOC_REPORT=none COUNTALLOC_FILE=./c " VICTIM("fork_is_silent")));
    struct ca_spawned spawned = run(COUNTALLOC_COMMAND " report ./c");
    cr_assert(strstr(spawned.out, "15 allocations, 15 frees") != NULL, "%s", spawned.out);
    ca_spawned_release(&spawned);
}

/* A descriptor of ours in the daemon would keep the substitution waiting until the daemon's end, and
 * then there is nobody left to kill. */
Test(faults, daemon_in_a_command_substitution_keeps_nothing_open) {
    static const char quiet[] = "LD_PRELOAD=" SHIM " COUNTALLOC_REPORT=none";
    static const char plain[] = "LD_PRELOAD=" SHIM;
    static const char below_run[] = RUN "-q --";
    static const char *const ways[] = {quiet, plain, below_run};
    char script[8192];
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        snprintf(script, sizeof script,
                 "pid=$(%s %s 2>&1 | grep -x '[0-9][0-9]*'); "
                 "case $(cut -d ' ' -f 3 /proc/$pid/stat) in [RS]) kill $pid;; *) exit 4;; esac",
                 ways[i], HELPER("daemon_program"));
        struct ca_spawned spawned = run(script);
        cr_assert_eq(spawned.exit_status, 0, "%s: %d %s", ways[i], spawned.exit_status,
                     spawned.err);
        ca_spawned_release(&spawned);
    }
}

Test(faults, child_with_a_cleared_environment_is_no_part_of_the_record) {
    struct ca_spawned spawned = run(RUN "-- sh -c 'env -i " VICTIM("malloc_and_free") "; exit 3'");
    cr_assert_eq(spawned.exit_status, 3);
    cr_assert(strstr(spawned.err, "note:") == NULL, "%s", spawned.err);
    ca_spawned_release(&spawned);
}

Test(faults, set_id_program_is_refused_before_it_starts) {
    if (geteuid() != 0)
        cr_skip_test("only root can make one that changes the user");
    cr_assert(
        can("cp " VICTIM("malloc_and_free") " other && chown 65534 other && chmod u+s other"));
    EXPECT(RUN "-- ./other", 125, "is set-user-id", "--uncounted-ok runs it uncounted");
    EXPECT(RUN "--uncounted-ok -- ./other", 0, "set-user-id");
}

Test(faults, sandbox_that_kills_on_any_system_call_needs_the_report_from_outside) {
    EXPECT("LD_PRELOAD=" SHIM " COUNTALLOC_REPORT=none " VICTIM("seccomp_few_calls") " >&2", 0,
           "done");
    EXPECT(RUN "-- " VICTIM("seccomp_few_calls") " >&2", 0, "done", "1,001 allocations");
}

/* ---- symbols and other libcs (F7, H4) ---- */

Test(faults, stripped_program_counts_the_same) {
    cr_assert(can("strip -o stripped " VICTIM("malloc_and_free")));
    EXPECT(RUN "-- ./stripped", 0, "100 allocations, 100 frees, 2,400 bytes requested");
}

Test(faults, program_of_musl_is_counted_by_the_same_file) {
    if (!can("command -v musl-gcc"))
        cr_skip_test("musl-gcc is not installed");
    cr_assert(
        can("printf '%s\n' '#include <stdlib.h>' 'int main(void) { for (int i = 0; i < 10; i++)' "
            "'free(calloc(3, 8)); return 0; }' >m.c && musl-gcc -O0 -fno-builtin -o m m.c"));
    EXPECT(RUN "-- ./m", 0, "10 allocations, 10 frees, 240 bytes requested");
}

Test(faults, child_of_another_libc_does_not_die_of_the_shim) {
    if (!can("command -v musl-gcc"))
        cr_skip_test("musl-gcc is not installed");
    cr_assert(can("printf '%s\n' 'int main(void) { return 7; }' >m.c && musl-gcc -o m m.c"));
    EXPECT("LD_PRELOAD=" SHIM " COUNTALLOC_REPORT=none sh -c './m; echo status=$? >&2'", 0,
           "status=7");
}
