/* SPDX-License-Identifier: MIT */
#include "commands/measure.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "commands/coverage.h"

void ca_measurement_init(struct ca_measurement *measurement) {
    *measurement = (struct ca_measurement){.shared.fd = -1};
}

static enum ca_status prepare(struct ca_measurement *measurement,
                              const struct ca_measure_settings *settings, struct ca_error *err) {
    enum ca_status status = ca_preload_find(measurement->library, err);
    if (status == CA_OK && settings->allocator != NULL)
        status = ca_preload_find_for(settings->allocator, measurement->library,
                                     measurement->operators, err);
    if (status == CA_OK && settings->wanted.sample_bytes != 0)
        status = ca_preload_find_unwinder(measurement->library, measurement->unwinder, err);
    if (status == CA_OK)
        status = ca_shared_region_open(&measurement->shared,
                                       settings->region_bytes != 0
                                           ? settings->region_bytes
                                           : ca_region_bytes_for(&settings->wanted),
                                       &settings->wanted, err);
    if (status == CA_OK && settings->injection_count > 0) {
        struct ca_header *header = &measurement->shared.region->header;
        memcpy(header->injections, settings->injections,
               settings->injection_count * sizeof *settings->injections);
        header->injection_count = settings->injection_count;
    }
    if (status == CA_OK)
        measurement->shared.region->header.is_statistics_wanted = settings->allocator != NULL;
    /* A program that cannot be counted gets its environment as it was: a sanitizer's runtime
     * refuses to start after a preload. */
    const char *libraries[5] = {measurement->library};
    size_t count = 1;
    if (measurement->operators[0] != '\0') {
        libraries[count++] = measurement->operators;
        libraries[count++] = settings->allocator->path;
    }
    if (measurement->unwinder[0] != '\0')
        libraries[count++] = measurement->unwinder;
    if (status == CA_OK && settings->refusal == NULL)
        status = ca_preload_environment(libraries, settings->allocator != NULL,
                                        measurement->shared.path, &measurement->environment, err);
    return status;
}

/* The arguments as they were given: the region has them cut. */
static enum ca_status keep_arguments(struct ca_measurement *measurement, char **program,
                                     struct ca_error *err) {
    size_t bytes = 0;
    uint32_t count = 0;
    for (; program[count] != NULL; count++)
        bytes += strlen(program[count]) + 1;
    char *at = measurement->arguments = malloc(bytes + 1);
    if (at == NULL)
        return ca_error_memory(err);
    for (uint32_t i = 0; i < count; i++)
        at = stpcpy(at, program[i]) + 1;
    measurement->record.arguments = measurement->arguments;
    measurement->record.argument_bytes = bytes;
    measurement->record.argument_count = count;
    return CA_OK;
}

static void describe_outcome(struct ca_record *record, const struct ca_outcome *outcome) {
    record->has_exit_status = outcome->signal == 0;
    record->exit_status = outcome->exit_status;
    record->signal = outcome->signal;
    record->is_complete = outcome->signal == 0 && !outcome->is_timed_out;
    record->is_timed_out = outcome->is_timed_out;
    record->has_resources = true;
    record->wall_ns = outcome->wall_ns;
    record->user_ns = outcome->user_ns;
    record->system_ns = outcome->system_ns;
    record->max_rss_bytes = outcome->max_rss_bytes;
    for (uint32_t i = 0; i < record->process_count; i++)
        record->processes[i].is_complete = i + 1 < record->process_count || record->is_complete;
    if (outcome->is_timed_out)
        ca_record_note(record, "--timeout ended the program before it was done");
}

static void describe_program(struct ca_record *record, const struct ca_measure_settings *settings,
                             const struct ca_outcome *outcome) {
    if (!record->is_attached) {
        const char *path = settings->target->image_path;
        const char *slash = strrchr(path, '/');
        record->executable = path;
        record->name = slash != NULL ? slash + 1 : path;
        record->pid = (uint32_t)outcome->pid;
    }
    if (settings->name != NULL)
        record->name = settings->name;
}

static enum ca_status build_record(struct ca_measurement *measurement,
                                   const struct ca_measure_settings *settings,
                                   struct ca_error *err) {
    struct ca_record *record = &measurement->record;
    const struct ca_shared_region *shared = &measurement->shared;
    size_t memory_bytes = ca_record_build_bytes(shared->region, shared->region_bytes);
    measurement->record_memory = calloc(1, memory_bytes);
    if (measurement->record_memory == NULL)
        return ca_error_memory(err);
    __atomic_store_n(&shared->region->header.is_finished, 1, __ATOMIC_RELEASE);
    if (!ca_record_build(record, shared->region, shared->region_bytes, measurement->record_memory,
                         memory_bytes))
        return ca_error_set(err, CA_ERROR_INPUT, "the program damaged its counters: %s",
                            record->notes[0]);
    describe_program(record, settings, &measurement->outcome);
    describe_outcome(record, &measurement->outcome);
    return keep_arguments(measurement, settings->program, err);
}

/* For a record whose frames were looked up before: it has the notes already. */
static void drop_note(void *target, const char *text) {
    (void)target;
    (void)text;
}

static bool was_looked_up(const struct ca_record *record) {
    for (uint32_t i = 0; i < record->frames_count; i++)
        if (record->frames[i].function_count > 0)
            return true;
    return false;
}

enum ca_status ca_symbols_resolve_shown(struct ca_record *record,
                                        const struct ca_symbols_wanted *wanted, uint32_t pid,
                                        struct ca_symbols **ret, struct ca_error *err) {
    struct ca_progress progress;
    struct ca_symbols_options options = {.is_debuginfod_off = wanted->is_debuginfod_off,
                                         .perf_map_pid = pid,
                                         .progress = ca_progress_show,
                                         .progress_target = &progress,
                                         .note = was_looked_up(record) ? drop_note : NULL};
    *ret = NULL;
    if (wanted->is_off || record->frames_count == 0)
        return CA_OK;
    ca_progress_init(&progress, STDERR_FILENO, "symbols");
    enum ca_status status = ca_symbols_resolve(record, &options, ret, err);
    ca_progress_release(&progress);
    return status;
}

enum ca_status ca_measurement_run(struct ca_measurement *measurement,
                                  const struct ca_measure_settings *settings,
                                  enum ca_status *ret_measured, struct ca_error *ret_cause,
                                  struct ca_error *err) {
    enum ca_status status = prepare(measurement, settings, err);
    if (status != CA_OK)
        return status;
    struct ca_launch launch = {
        .signals = settings->signals,
        .path = settings->target->path,
        .arguments = settings->program,
        .environment = measurement->environment,
        .ret_pid = &measurement->shared.region->header.target_pid,
        .timeout_ns = settings->timeout_ns,
        .is_output_on_stderr = settings->is_output_on_stderr,
    };
    status = ca_launch_run(&launch, &measurement->outcome, err);
    if (status == CA_OK)
        status = build_record(measurement, settings, err);
    if (status == CA_OK)
        *ret_measured =
            ca_coverage_judge(&measurement->record, measurement->shared.region, settings->target,
                              &measurement->outcome, settings->refusal, ret_cause);
    if (status == CA_OK && *ret_measured == CA_OK && settings->allocator != NULL)
        *ret_measured = ca_coverage_judge_allocator(
            &measurement->record, measurement->shared.region, settings->allocator, ret_cause);
    if (status == CA_OK && settings->symbols != NULL)
        status = ca_symbols_resolve_shown(&measurement->record, settings->symbols,
                                          (uint32_t)measurement->outcome.pid, &measurement->symbols,
                                          err);
    return status;
}

void ca_measurement_release(struct ca_measurement *measurement) {
    ca_preload_environment_free(measurement->environment);
    ca_shared_region_close(&measurement->shared);
    ca_symbols_release(measurement->symbols);
    free(measurement->record_memory);
    free(measurement->arguments);
    ca_measurement_init(measurement);
}
