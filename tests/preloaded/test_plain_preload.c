/* SPDX-License-Identifier: MIT
 *
 * The shim on its own: LD_PRELOAD and the variables of the contract, without the command. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/spawn.h"

#define PRELOAD      "LD_PRELOAD=" COUNTALLOC_LIBRARY
#define VICTIM(name) COUNTALLOC_VICTIMS "/" name

static char *directory;

static void make_directory(void) {
    directory = ca_spawn_make_directory();
    cr_assert_not_null(directory);
}

static void remove_directory(void) {
    ca_spawn_remove_directory(directory);
}

TestSuite(plain_preload, .init = make_directory, .fini = remove_directory);

static struct ca_spawned run(const char *const *argv, const char *const *environment) {
    struct ca_spawned spawned;
    cr_assert(ca_spawn_run(
        &(struct ca_spawn){.argv = argv, .environment = environment, .directory = directory},
        &spawned));
    cr_assert_not(spawned.is_hung, "%s hangs", argv[0]);
    return spawned;
}

static struct ca_spawned run_script(const char *script, const char *const *environment) {
    const char *argv[] = {"sh", "-c", script, NULL};
    return run(argv, environment);
}

static int occurrences(const char *text, const char *part) {
    int count = 0;
    while ((text = strstr(text, part)) != NULL) {
        text += strlen(part);
        count++;
    }
    return count;
}

/* Reports of either format begin with something that is in them once. */
static int reports_in(const char *text) {
    return occurrences(text, "bytes requested\n") + occurrences(text, "\"countalloc.record/1\"");
}

static char *in_directory(const char *name) {
    static char path[4200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static json_int_t total(const json_t *record, const char *key) {
    return json_integer_value(json_object_get(json_object_get(record, "total"), key));
}

Test(plain_preload, text_report_is_on_stderr_and_has_the_counts) {
    const char *argv[] = {VICTIM("malloc_and_free"), NULL};
    const char *environment[] = {PRELOAD, NULL};
    struct ca_spawned spawned = run(argv, environment);
    cr_assert_eq(spawned.exit_status, 0);
    cr_assert_eq(spawned.out_bytes, 0);
    cr_assert_eq(reports_in(spawned.err), 1, "%s", spawned.err);
    cr_assert(strstr(spawned.err, "100 allocations, 100 frees, 2,400 bytes requested") != NULL,
              "%s", spawned.err);
    ca_spawned_release(&spawned);
}

Test(plain_preload, text_report_survives_a_program_that_closes_stderr_and_leaves_its_output_alone) {
    const char *argv[] = {"ls", "-lR", "/usr/share/doc", NULL};
    const char *without[] = {"LC_ALL=C", NULL};
    const char *with[] = {"LC_ALL=C", PRELOAD, NULL};
    struct ca_spawned bare = run(argv, without);
    struct ca_spawned counted = run(argv, with);
    cr_assert_eq(counted.exit_status, bare.exit_status);
    cr_assert_eq(counted.out_bytes, bare.out_bytes);
    cr_assert(memcmp(counted.out, bare.out, bare.out_bytes) == 0);
    cr_assert_eq(reports_in(counted.err), 1, "%.2000s", counted.err);
    ca_spawned_release(&bare);
    ca_spawned_release(&counted);
}

Test(plain_preload, report_none_says_nothing) {
    const char *argv[] = {VICTIM("malloc_and_free"), NULL};
    const char *environment[] = {PRELOAD, "COUNTALLOC_REPORT=none", NULL};
    struct ca_spawned spawned = run(argv, environment);
    cr_assert_eq(spawned.exit_status, 0);
    cr_assert_str_empty(spawned.err);
    cr_assert_str_empty(spawned.out);
    ca_spawned_release(&spawned);
}

Test(plain_preload, report_json_on_stderr_is_one_record) {
    const char *argv[] = {VICTIM("malloc_and_free"), NULL};
    const char *environment[] = {PRELOAD, "COUNTALLOC_REPORT=json", NULL};
    struct ca_spawned spawned = run(argv, environment);
    json_t *record = json_loads(spawned.err, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(record, "%s", spawned.err);
    cr_assert_eq(total(record, "malloc"), 100);
    json_decref(record);
    ca_spawned_release(&spawned);
}

Test(plain_preload, report_file_takes_the_report) {
    const char *argv[] = {VICTIM("malloc_and_free"), NULL};
    char variable[4300];
    snprintf(variable, sizeof variable, "COUNTALLOC_REPORT_FILE=%s", in_directory("report.txt"));
    const char *environment[] = {PRELOAD, variable, NULL};
    struct ca_spawned spawned = run(argv, environment);
    cr_assert_str_empty(spawned.err);
    char *report = ca_spawn_read_file(in_directory("report.txt"), NULL);
    cr_assert_not_null(report);
    cr_assert_eq(reports_in(report), 1, "%s", report);
    free(report);
    ca_spawned_release(&spawned);
}

/* The counter file of a program, read by the command. */
static json_t *report_of(const char *name) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    const char *argv[] = {COUNTALLOC_COMMAND, "report", "--format", "json", path, NULL};
    struct ca_spawned spawned = run(argv, NULL);
    cr_assert_eq(spawned.exit_status, 0, "countalloc report: %s", spawned.err);
    json_t *record = json_loads(spawned.out, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(record, "%s", spawned.out);
    ca_spawned_release(&spawned);
    return record;
}

static json_t *counted_in_file(const char *program, const char *pattern, const char *name) {
    const char *argv[] = {program, NULL};
    char variable[4300];
    snprintf(variable, sizeof variable, "COUNTALLOC_FILE=%s", in_directory(pattern));
    const char *environment[] = {PRELOAD, "COUNTALLOC_REPORT=none", variable, NULL};
    struct ca_spawned spawned = run(argv, environment);
    cr_assert_str_empty(spawned.err);
    ca_spawned_release(&spawned);
    return report_of(name);
}

Test(plain_preload, counter_file_holds_the_final_counts) {
    json_t *record =
        counted_in_file(VICTIM("library_destructor"), "%n.counters", "library_destructor.counters");
    cr_assert_eq(total(record, "malloc"), 14);
    cr_assert_eq(total(record, "frees"), 14); /* also those after the shim's own destructor */
    json_decref(record);
}

Test(plain_preload, counter_file_holds_the_counts_of_a_program_that_called__exit) {
    json_t *record = counted_in_file(VICTIM("exit_at_once"), "counters", "counters");
    cr_assert_eq(total(record, "malloc"), 10);
    cr_assert_eq(total(record, "frees"), 4);
    json_decref(record);
}

Test(plain_preload, counter_file_holds_the_counts_of_a_program_that_was_killed) {
    json_t *record = counted_in_file(VICTIM("killed_from_outside"), "counters", "counters");
    json_t *phases = json_object_get(record, "phases");
    bool is_found = false;
    size_t at;
    json_t *phase;
    json_array_foreach(phases, at, phase) {
        if (strcmp(json_string_value(json_object_get(phase, "name")), "work") == 0) {
            is_found = true;
            cr_assert_eq(json_integer_value(json_object_get(phase, "malloc")), 8000);
            cr_assert_eq(json_integer_value(json_object_get(phase, "free")), 7992);
        }
    }
    cr_assert(is_found);
    json_decref(record);
}

Test(plain_preload, counter_file_adds_up_the_images_of_a_process) {
    json_t *record = counted_in_file(VICTIM("exec_in_place"), "counters", "counters");
    cr_assert_eq(json_array_size(json_object_get(record, "processes")), 8);
    cr_assert_eq(total(record, "malloc"), 330);
    json_decref(record);
}

Test(plain_preload, counter_file_that_is_something_else_is_not_overwritten) {
    const char *argv[] = {VICTIM("malloc_and_free"), NULL};
    FILE *file = fopen(in_directory("precious"), "w");
    cr_assert(file != NULL && fputs("precious data\n", file) >= 0 && fclose(file) == 0);
    char variable[4300];
    snprintf(variable, sizeof variable, "COUNTALLOC_FILE=%s", in_directory("precious"));
    const char *environment[] = {PRELOAD, variable, NULL};
    struct ca_spawned spawned = run(argv, environment);
    cr_assert_eq(spawned.exit_status, 0);
    cr_assert_eq(reports_in(spawned.err), 0);
    cr_assert(strstr(spawned.err, "not counting") != NULL, "%s", spawned.err);
    char *kept = ca_spawn_read_file(in_directory("precious"), NULL);
    cr_assert_str_eq(kept, "precious data\n");
    free(kept);
    ca_spawned_release(&spawned);
}

Test(plain_preload, counter_file_that_cannot_be_made_is_told_and_the_program_runs) {
    const char *argv[] = {VICTIM("few_descriptors"), NULL};
    const char *environment[] = {PRELOAD, "COUNTALLOC_FILE=/nonexistent/counters", NULL};
    struct ca_spawned spawned = run(argv, environment);
    cr_assert_eq(spawned.exit_status, 0);
    cr_assert_str_eq(spawned.out, "said=1\n");
    cr_assert_eq(occurrences(spawned.err, "countalloc: not counting"), 1, "%s", spawned.err);
    ca_spawned_release(&spawned);
}

Test(plain_preload, forked_children_are_silent) {
    static const char *const programs[] = {VICTIM("fork_is_silent"), VICTIM("fork_and_exec"),
                                           VICTIM("vfork_and_exec"), VICTIM("fork_of_threads")};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        const char *argv[] = {programs[i], NULL};
        const char *environment[] = {PRELOAD, NULL};
        struct ca_spawned spawned = run(argv, environment);
        cr_expect_eq(spawned.exit_status, 0, "%s: %s", programs[i], spawned.err);
        cr_expect_eq(reports_in(spawned.err), 1, "%s: %s", programs[i], spawned.err);
        ca_spawned_release(&spawned);
    }
}

Test(plain_preload, one_report_for_a_shell_and_its_pipeline) {
    const char *argv[] = {"bash", "-c", "ls / | wc -l; :", NULL}; /* other shells end by _exit */
    char *bash = ca_spawn_find("bash");
    if (bash == NULL)
        cr_skip_test("bash is not installed");
    free(bash);
    const char *environment[] = {PRELOAD, NULL};
    struct ca_spawned spawned = run(argv, environment);
    cr_assert_eq(spawned.exit_status, 0);
    cr_assert_eq(reports_in(spawned.err), 1, "%s", spawned.err);
    ca_spawned_release(&spawned);
}

Test(plain_preload, follow_all_has_a_report_of_each_program) {
    const char *argv[] = {"bash", "-c", "ls / | wc -l; :", NULL};
    char *bash = ca_spawn_find("bash");
    if (bash == NULL)
        cr_skip_test("bash is not installed");
    free(bash);
    const char *environment[] = {PRELOAD, "COUNTALLOC_FOLLOW=all", "COUNTALLOC_REPORT=json", NULL};
    struct ca_spawned spawned = run(argv, environment);
    cr_assert_eq(reports_in(spawned.err), 3, "%s", spawned.err);
    ca_spawned_release(&spawned);
}

Test(plain_preload, a_limit_of_three_descriptors_leaves_output_and_report) {
    const char *argv[] = {VICTIM("few_descriptors"), NULL};
    const char *environment[] = {PRELOAD, NULL};
    struct ca_spawned spawned = run(argv, environment);
    cr_assert_eq(spawned.exit_status, 0);
    cr_assert_str_eq(spawned.out, "said=1\n");
    cr_assert_eq(reports_in(spawned.err), 1, "%s", spawned.err);
    ca_spawned_release(&spawned);
}

Test(plain_preload, a_limit_of_four_descriptors_leaves_the_fourth_to_the_program) {
    const char *argv[] = {VICTIM("one_descriptor_left"), NULL};
    const char *environment[] = {PRELOAD, NULL};
    struct ca_spawned spawned = run(argv, environment);
    cr_assert_eq(spawned.exit_status, 0, "%s", spawned.err);
    cr_assert_eq(reports_in(spawned.err), 1, "%s", spawned.err);
    ca_spawned_release(&spawned);
}

Test(plain_preload, a_closed_stderr_stays_closed) {
    const char *environment[] = {PRELOAD, NULL};
    struct ca_spawned spawned = run_script("exec " VICTIM("malloc_and_free") " 2>&-", environment);
    cr_assert_eq(spawned.exit_status, 0);
    cr_assert_str_empty(spawned.out);
    cr_assert_eq(reports_in(spawned.err), 0);
    ca_spawned_release(&spawned);
}

Test(plain_preload, the_report_never_goes_into_a_file_of_the_program) {
    char *file = in_directory("own");
    const char *argv[] = {VICTIM("reuses_descriptors"), file, NULL};
    const char *environment[] = {PRELOAD, NULL};
    struct ca_spawned spawned = run(argv, environment);
    cr_assert_eq(spawned.exit_status, 0, "%s", spawned.err);
    char *content = ca_spawn_read_file(file, NULL);
    cr_assert_str_empty(content);
    cr_assert_eq(reports_in(spawned.err), 1, "fd 2 is still what it was: %s", spawned.err);
    free(content);
    ca_spawned_release(&spawned);
}

Test(plain_preload, descriptors_keep_their_numbers) {
    const char *argv[] = {VICTIM("lowest_descriptors"), NULL};
    const char *environment[] = {PRELOAD, NULL};
    struct ca_spawned spawned = run(argv, environment);
    cr_assert_eq(spawned.exit_status, 0, "%s", spawned.err);
    ca_spawned_release(&spawned);
}

Test(plain_preload, logstat_reports_its_phases) {
    const char *generate[] = {COUNTALLOC_LOGSTAT, "gen", "access.log", "1000", NULL};
    struct ca_spawned spawned = run(generate, NULL);
    cr_assert_eq(spawned.exit_status, 0, "%s", spawned.err);
    ca_spawned_release(&spawned);
    const char *argv[] = {COUNTALLOC_LOGSTAT, "run", "v0", "access.log", NULL};
    const char *environment[] = {PRELOAD, NULL};
    struct ca_spawned bare = run(argv, NULL);
    struct ca_spawned counted = run(argv, environment);
    cr_assert_str_eq(counted.out, bare.out);
    cr_assert_eq(reports_in(counted.err), 1, "%s", counted.err);
    static const char *const words[] = {"\nread ", "\nscan ", "\nreport ", "allocations/line"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        cr_expect(strstr(counted.err, words[i]) != NULL, "no \"%s\" in: %s", words[i], counted.err);
    ca_spawned_release(&bare);
    ca_spawned_release(&counted);
}
