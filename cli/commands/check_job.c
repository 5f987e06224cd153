/* SPDX-License-Identifier: MIT */
#include "commands/check_job.h"

#include <stdlib.h>
#include <string.h>

#include "commands/found_sites.h"
#include "commands/git_budgets.h"

/* ---- what to judge ---- */

/* A program that did not run, for whatever reason, counts as a record that says why: not measured,
 * and never a success. */
static void stand_in(const struct ca_check_job *job, struct ca_record *record, const char *cause) {
    const char *path =
        job->target.image_path[0] != '\0' ? job->target.image_path : job->options.program[0];
    const char *slash = strrchr(path, '/');
    *record = (struct ca_record){.version = COUNTALLOC_VERSION, .rules = CA_COUNTING_RULES};
    record->executable = path;
    record->name = job->options.name != NULL ? job->options.name : slash != NULL ? slash + 1 : path;
    record->arguments = record->platform_key = record->os = record->arch = record->libc =
        record->allocator = "";
    ca_record_note(record, cause);
}

/* Sites are measured as those that they are held against; what is added for --self-test needs none.
 */
static struct ca_wanted wanted_of(const struct ca_check_job *job, bool is_trial) {
    struct ca_wanted wanted = job->options.wanted;
    for (size_t i = 0; i < job->against_count && job->options.wanted.stack_depth == 0; i++)
        if (job->against[i].record.stack_depth > wanted.stack_depth)
            wanted.stack_depth = job->against[i].record.stack_depth;
    if (wanted.stack_depth > CA_STACK_DEPTH_MAX)
        wanted.stack_depth = CA_STACK_DEPTH_MAX;
    if (is_trial)
        wanted.stack_depth = 0;
    return wanted;
}

static enum ca_status run_once(struct ca_check_job *job, const struct ca_injection *injections,
                               uint32_t injection_count, struct ca_measurement *measurement,
                               struct ca_error *err) {
    struct ca_error cause;
    enum ca_status measured;
    struct ca_measure_settings settings = {
        .target = &job->target,
        .program = job->options.program,
        .name = job->options.name,
        .signals = &job->signals,
        .wanted = wanted_of(job, injection_count > 0),
        .timeout_ns = job->options.timeout_ns,
        .is_output_on_stderr = ca_check_options_is_output_taken(&job->options),
        .injections = injections,
        .injection_count = injection_count,
        .allocator = job->options.allocator != NULL ? &job->allocator : NULL,
    };
    enum ca_status status = ca_measurement_run(measurement, &settings, &measured, &cause, err);
    if (status == CA_OK)
        ca_units_option_apply(&job->options.units, &measurement->record);
    else
        stand_in(job, &measurement->record, err->message);
    return CA_OK;
}

static enum ca_status run_program(struct ca_check_job *job, struct ca_error *err) {
    if (ca_target_inspect(job->options.program[0], &job->target, &job->refusal) != CA_OK) {
        stand_in(job, &job->measurement.record, job->refusal.message);
        return CA_OK;
    }
    if (job->options.allocator != NULL) {
        enum ca_status status =
            ca_allocator_find(job->options.allocator, &job->target, &job->allocator, err);
        if (status != CA_OK)
            stand_in(job, &job->measurement.record, err->message);
        if (status != CA_OK)
            return status == CA_ERROR_USAGE ? status : CA_OK;
    }
    if (job->options.is_self_test_wanted) {
        enum ca_status status = ca_stdin_again_init(&job->standard_input, "--self-test", err);
        if (status != CA_OK)
            return status;
    }
    ca_signals_take(&job->signals);
    return run_once(job, NULL, 0, &job->measurement, err);
}

/* ---- symbols ---- */

/* What could not be looked up is no cause of a verdict, and so no note of the record. */
static void ignore_note(void *target, const char *text) {
    (void)target;
    (void)text;
}

static enum ca_status name_frames(struct ca_check_job *job, struct ca_record *record,
                                  uint32_t perf_map_pid, struct ca_error *err) {
    const struct ca_symbols_options options = {.is_debuginfod_off = job->options.is_debuginfod_off,
                                               .perf_map_pid = perf_map_pid,
                                               .note = ignore_note};
    if (record->stack_depth == 0 || record->frames_count == 0)
        return CA_OK;
    return ca_symbols_resolve(record, &options, &job->symbols[job->symbols_count++], err);
}

enum ca_status ca_check_job_name_frames(struct ca_check_job *job, struct ca_error *err) {
    struct ca_record *measured = &job->measurement.record;
    enum ca_status status = name_frames(job, measured, measured->pid, err);
    for (size_t i = 0; i < job->loaded_count && status == CA_OK; i++)
        status = name_frames(job, &job->loaded[i].record, 0, err);
    for (size_t i = 0; i < job->against_count && status == CA_OK; i++)
        status = name_frames(job, &job->against[i].record, 0, err);
    return status;
}

/* ---- getting the records ---- */

static enum ca_status measure(struct ca_check_job *job, struct ca_error *err) {
    enum ca_status status = CA_OK;
    const char *path = job->options.record_path;
    if (path != NULL)
        status = ca_output_open(&job->record_output, path, err);
    if (status == CA_OK)
        status = run_program(job, err);
    if (status != CA_OK)
        return status;
    job->subjects[job->subject_count++] = (struct ca_subject){
        .record = &job->measurement.record,
        .is_timed_out = job->measurement.outcome.is_timed_out,
    };
    const struct ca_writer *json;
    if (path != NULL)
        status = name_frames(job, &job->measurement.record, job->measurement.record.pid, err);
    if (path != NULL && status == CA_OK)
        status = ca_writer_find("json", 4, &json, err);
    if (path != NULL && status == CA_OK)
        status = ca_output_write(&job->record_output, json, &job->measurement.record, err);
    return status;
}

static enum ca_status load_records(struct ca_check_job *job, struct ca_error *err) {
    enum ca_status status = CA_OK;
    for (size_t i = 0; i < job->options.record_count && status == CA_OK; i++) {
        status = ca_record_load(&job->loaded[job->loaded_count++], job->options.records[i], err);
        job->subjects[job->subject_count++] = (struct ca_subject){
            .record = &job->loaded[i].record,
            .source = job->options.records[i],
        };
    }
    return status;
}

static enum ca_status load_against(struct ca_check_job *job, struct ca_error *err) {
    enum ca_status status = CA_OK;
    for (size_t i = 0; i < job->options.against_count && status == CA_OK; i++)
        status = ca_record_load(&job->against[job->against_count++], job->options.against[i], err);
    return status;
}

enum ca_status ca_check_job_prepare(struct ca_check_job *job, struct ca_error *err) {
    size_t most = job->options.record_count + 1;
    job->loaded = calloc(most, sizeof *job->loaded);
    job->subjects = calloc(most, sizeof *job->subjects);
    /* Each record, and a second time the one that -o writes. */
    job->symbols = calloc(most + job->options.against_count + 2, sizeof *job->symbols);
    if (job->loaded == NULL || job->subjects == NULL || job->symbols == NULL)
        return ca_error_memory(err);
    enum ca_status status = ca_budget_file_read(&job->file, job->options.budgets, err);
    if (status == CA_OK && job->options.base_ref != NULL)
        status = ca_git_budgets_read(&job->base, job->options.budgets, job->options.base_ref, err);
    if (status == CA_OK)
        status = load_against(job, err);
    if (status == CA_OK)
        status = job->options.program != NULL ? measure(job, err) : load_records(job, err);
    return status == CA_OK ? ca_found_sites_check(job, err) : status;
}

/* ---- judging ---- */

static struct ca_judge_options judge_options(const struct ca_check_job *job) {
    return (struct ca_judge_options){
        .is_strict = job->options.is_strict,
        .is_partial_ok = job->options.is_uncounted_ok,
        .is_pair_ok = job->options.is_fit_wanted,
        .allowed_status = job->options.allowed_status,
        .allowed_count = job->options.allowed_count,
    };
}

enum ca_status ca_check_job_judge(struct ca_check_job *job, struct ca_error *err) {
    const struct ca_judge_options options = judge_options(job);
    enum ca_status status = ca_budget_judge(&job->file, job->subjects, job->subject_count, &options,
                                            &job->judgement, err);
    if (status != CA_OK || job->options.base_ref == NULL)
        return status;
    if (!job->base.has_file) {
        ca_judgement_without_base(&job->judgement);
        return CA_OK;
    }
    status = ca_budget_judge(&job->base.file, job->subjects, job->subject_count, &options,
                             &job->base_judgement, err);
    if (status == CA_OK)
        status = ca_judgement_hold_to_base(&job->judgement, &job->base_judgement, &job->base, err);
    return status;
}

enum ca_status ca_check_job_rerun(struct ca_check_job *job, const struct ca_injection *injections,
                                  uint32_t injection_count, struct ca_measurement *measurement,
                                  struct ca_subject *ret_subject,
                                  struct ca_judgement *ret_judgement, struct ca_error *err) {
    const struct ca_judge_options options = judge_options(job);
    enum ca_status status = ca_stdin_again_rewind(&job->standard_input, err);
    if (status == CA_OK)
        status = run_once(job, injections, injection_count, measurement, err);
    if (status != CA_OK)
        return status;
    *ret_subject = (struct ca_subject){.record = &measurement->record,
                                       .is_timed_out = measurement->outcome.is_timed_out};
    return ca_budget_judge(&job->file, ret_subject, 1, &options, ret_judgement, err);
}

/* ---- begin and end ---- */

void ca_check_job_init(struct ca_check_job *job) {
    memset(job, 0, sizeof *job);
    ca_measurement_init(&job->measurement);
    job->record_output.fd = -1;
}

void ca_check_job_release(struct ca_check_job *job) {
    ca_judgement_release(&job->judgement);
    ca_judgement_release(&job->base_judgement);
    ca_budget_base_release(&job->base);
    ca_budget_file_release(&job->file);
    for (size_t i = 0; i < job->loaded_count; i++)
        ca_loaded_record_release(&job->loaded[i]);
    for (size_t i = 0; i < job->against_count; i++)
        ca_loaded_record_release(&job->against[i]);
    for (size_t i = 0; i < job->symbols_count; i++)
        ca_symbols_release(job->symbols[i]);
    free(job->symbols);
    ca_measurement_release(&job->measurement);
    ca_output_close(&job->record_output);
    free(job->loaded);
    free(job->subjects);
    free(job->options.records);
}
