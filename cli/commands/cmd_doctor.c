/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/measure.h"
#include "commands/self_test.h"

static const struct ca_option_table table = {NULL, 0};

/* What the examination found. */
struct findings {
    struct ca_signals signals;
    struct ca_target self;
    struct ca_measurement measurement;
    struct ca_target program;
};

static enum ca_status parse(int argc, char **argv, char ***ret_program, struct ca_error *err) {
    struct ca_option_walk walk;
    struct ca_option_found found;
    ca_option_walk_init(&walk, &table, argc, argv);
    enum ca_status status = ca_option_next(&walk, &found, err);
    if (status == CA_OK && found.value != NULL)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "write '--' before the program: countalloc doctor -- %s", found.value);
    *ret_program = status == CA_OK && walk.at < argc ? argv + walk.at : NULL;
    return status;
}

static enum ca_status compare(const struct ca_record *record, struct ca_error *err) {
    const struct ca_counts *counts = NULL;
    for (uint32_t i = 0; i < record->phase_count; i++)
        if (strcmp(record->phases[i].name, CA_SELF_TEST_PHASE) == 0)
            counts = &record->phases[i].counts;
    if (counts == NULL)
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                            "the self-test was counted but its phase was not seen: the library is "
                            "none of this version");
    if (counts->allocations == CA_SELF_TEST_ALLOCATIONS && counts->frees == CA_SELF_TEST_FREES &&
        counts->bytes_requested == CA_SELF_TEST_BYTES && counts->failed_calls == 0)
        return CA_OK;
    return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                        "the self-test made %u allocations of %u bytes and %u frees, and %" PRIu64
                        " of %" PRIu64 " bytes and %" PRIu64
                        " were counted: please report this, with the library named below",
                        CA_SELF_TEST_ALLOCATIONS, CA_SELF_TEST_BYTES, CA_SELF_TEST_FREES,
                        counts->allocations, counts->bytes_requested, counts->frees);
}

/* Counts a program whose allocations are known: this one. */
static enum ca_status examine_self(struct findings *findings, struct ca_error *err) {
    static char command[] = "self-test";
    char own[CA_PATH_SIZE];
    enum ca_status status = ca_own_path(own, err);
    if (status == CA_OK)
        status = ca_target_inspect(own, &findings->self, err);
    if (status != CA_OK)
        return status;
    char *program[] = {own, command, NULL};
    struct ca_measure_settings settings = {
        .target = &findings->self,
        .program = program,
        .signals = &findings->signals,
        .wanted = {.is_live = true},
    };
    enum ca_status measured;
    struct ca_error cause;
    status = ca_measurement_run(&findings->measurement, &settings, &measured, &cause, err);
    if (status == CA_OK && measured != CA_OK)
        status = ca_error_set(err, measured, "%s", cause.message);
    return status == CA_OK ? compare(&findings->measurement.record, err) : status;
}

static enum ca_status examine_program(struct findings *findings, const char *program,
                                      struct ca_error *err) {
    enum ca_status status = ca_target_inspect(program, &findings->program, err);
    if (status == CA_OK && findings->program.image.is_malloc_exported)
        return ca_error_set(err, CA_ERROR_UNCOUNTABLE,
                            "'%s' defines malloc itself, for all its libraries, too; link it "
                            "without that allocator, or with "
                            "it as a shared library",
                            findings->program.image_path);
    return status;
}

static void print_program(const struct ca_target *program) {
    printf("yes: '%s' can be counted\n", program->path);
    if (strcmp(program->path, program->image_path) != 0)
        printf("note: it is a script; what is counted is '%s'\n", program->image_path);
    if (program->warning[0] != '\0')
        printf("note: %s%s\n", program->image.allocator[0] != '\0' ? "only partly: " : "",
               program->warning);
    if (program->image.is_go)
        printf("note: it is written in Go, whose own heap is not malloc's: only what its C code "
               "takes is counted\n");
    if (program->image.kind == CA_IMAGE_KIND_LOADER)
        printf("note: it is the loader; the program that it loads was not inspected\n");
}

static void print_machine(const struct ca_measurement *measurement) {
    const struct ca_record *record = &measurement->record;
    printf("platform   %s\n", record->platform_key != NULL && record->platform_key[0] != '\0'
                                  ? record->platform_key
                                  : "not known");
    printf("library    %s\n", measurement->library[0] != '\0' ? measurement->library : "not found");
}

/* Says it all on standard output: it is what was asked for, not an error. */
static int print(const struct findings *findings, const char *program, enum ca_status self,
                 enum ca_status of_program, const struct ca_error *cause) {
    bool is_yes = self == CA_OK && of_program == CA_OK;
    if (!is_yes)
        printf("no: %s\n", cause->message);
    else if (program != NULL)
        print_program(&findings->program);
    else
        printf("yes: countalloc counts programs here\n");
    print_machine(&findings->measurement);
    if (self == CA_OK)
        printf("self-test  %u allocations of %u bytes made and counted\n", CA_SELF_TEST_ALLOCATIONS,
               CA_SELF_TEST_BYTES);
    return is_yes ? CA_EXIT_OK : CA_EXIT_NOT_COUNTED;
}

static enum ca_status run(int argc, char **argv, int *ret_exit, struct ca_error *err) {
    char **program = NULL;
    enum ca_status status = parse(argc, argv, &program, err);
    if (status != CA_OK)
        return status;
    struct findings *findings = calloc(1, sizeof *findings);
    if (findings == NULL)
        return ca_error_memory(err);
    ca_signals_take(&findings->signals);
    ca_measurement_init(&findings->measurement);
    struct ca_error cause;
    enum ca_status self = examine_self(findings, &cause);
    enum ca_status of_program =
        self == CA_OK && program != NULL ? examine_program(findings, program[0], &cause) : CA_OK;
    *ret_exit = print(findings, program != NULL ? program[0] : NULL, self, of_program, &cause);
    ca_measurement_release(&findings->measurement);
    free(findings);
    return CA_OK;
}

const struct ca_command ca_command_doctor = {
    .name = "doctor",
    .summary = "say whether programs can be counted here, and why not",
    .synopsis = "doctor [-- PROGRAM]",
    .description = "Counts a small program whose allocations are known and compares, which shows "
                   "that preloading works\n"
                   "here and counts right; prints the platform key. With PROGRAM, also inspects "
                   "it, without running it,\n"
                   "and says whether it can be counted, why not, and what to do.",
    .examples = "countalloc doctor\n"
                "countalloc doctor -- ./program",
    .exit_status = "0  yes\n"
                   "3  no",
    .options = &table,
    .failed_status = CA_EXIT_FAILED,
    .run = run,
};
