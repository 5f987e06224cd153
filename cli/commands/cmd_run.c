/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "commands/measure.h"
#include "commands/run_options.h"
#include "platform/cli_platform.h"
#include "writers/output_file.h"

/* Everything one run holds. */
struct job {
    struct ca_run_options options;
    struct ca_output outputs[CA_RUN_OUTPUTS];
    struct ca_signals signals;
    struct ca_target target;
    struct ca_error refusal;
    bool is_refused; /* the program cannot be counted, and is run all the same */
    struct ca_measurement measurement;
    enum ca_status measured;
    struct ca_error unmeasured_cause;
};

/* ---- before ---- */

static enum ca_status open_outputs(struct job *job, struct ca_error *err) {
    for (uint32_t i = 0; i < job->options.output_count; i++) {
        const char *path = job->options.outputs[i].path;
        enum ca_status status = path != NULL ? ca_output_open(&job->outputs[i], path, err) : CA_OK;
        if (status != CA_OK)
            return status;
    }
    return CA_OK;
}

static enum ca_status inspect(struct job *job, struct ca_error *err) {
    enum ca_status status = ca_target_inspect(job->options.program[0], &job->target, &job->refusal);
    job->is_refused = status == CA_ERROR_UNCOUNTABLE && job->options.is_uncounted_ok;
    if (status == CA_OK || job->is_refused)
        return CA_OK;
    return ca_error_set(err, status, "%s%s", job->refusal.message,
                        status == CA_ERROR_UNCOUNTABLE ? " (--uncounted-ok runs it uncounted)"
                                                       : "");
}

/* ---- after ---- */

/* Whether people see the report, with its notes, on standard error. */
static bool is_report_shown(const struct ca_run_options *options) {
    bool is_replaced = false;
    for (uint32_t i = 0; i < options->output_count; i++)
        is_replaced |= options->outputs[i].path == NULL;
    return !is_replaced && !options->is_quiet;
}

/* Writes every output, whatever becomes of the others. */
static enum ca_status write_outputs(struct job *job, struct ca_error *err) {
    const struct ca_run_options *options = &job->options;
    enum ca_status result = CA_OK;
    for (uint32_t i = 0; i < options->output_count; i++) {
        const struct ca_run_output *output = &options->outputs[i];
        enum ca_status status =
            output->path != NULL
                ? ca_output_write(&job->outputs[i], output->writer, &job->measurement.record, err)
                : ca_writer_write(output->writer, &job->measurement.record, STDERR_FILENO,
                                  "standard error", err);
        if (status != CA_OK && result != CA_OK)
            fprintf(stderr, "countalloc run: %s\n", err->message);
        result = status != CA_OK ? status : result;
    }
    /* A report that nobody can receive is no failure. */
    size_t count;
    if (is_report_shown(options))
        ca_writer_write(&ca_writers(&count)[0], &job->measurement.record, STDERR_FILENO,
                        "standard error", NULL);
    return result;
}

static enum ca_status report(struct job *job, int *ret_exit, struct ca_error *err) {
    const struct ca_outcome *outcome = &job->measurement.outcome;
    ca_units_option_apply(&job->options.units, &job->measurement.record);
    enum ca_status status = write_outputs(job, err);
    if (status != CA_OK)
        return status;
    if (job->measured == CA_OK || job->options.is_uncounted_ok) {
        *ret_exit =
            outcome->signal != 0 ? CA_EXIT_RUN_SIGNAL + outcome->signal : outcome->exit_status;
        return CA_OK;
    }
    *ret_exit = CA_EXIT_RUN_FAILED;
    return is_report_shown(&job->options) ? CA_OK
                                          : ca_error_set(err, job->measured, "not measured: %s",
                                                         job->unmeasured_cause.message);
}

/* ---- the command ---- */

static enum ca_status run_job(struct job *job, int *ret_exit, struct ca_error *err) {
    enum ca_status status = open_outputs(job, err);
    if (status == CA_OK)
        status = inspect(job, err);
    if (status != CA_OK)
        return status;
    struct ca_measure_settings settings = {
        .target = &job->target,
        .program = job->options.program,
        .refusal = job->is_refused ? &job->refusal : NULL,
        .name = job->options.name,
        .signals = &job->signals,
        .is_live_wanted = job->options.is_live_wanted,
        .timeout_ns = job->options.timeout_ns,
        .region_bytes = job->options.region_bytes,
    };
    ca_signals_take(&job->signals);
    status = ca_measurement_run(&job->measurement, &settings, &job->measured,
                                &job->unmeasured_cause, err);
    return status == CA_OK ? report(job, ret_exit, err) : status;
}

static enum ca_status run(int argc, char **argv, int *ret_exit, struct ca_error *err) {
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return ca_error_memory(err);
    ca_measurement_init(&job->measurement);
    for (uint32_t i = 0; i < CA_RUN_OUTPUTS; i++)
        job->outputs[i].fd = -1;
    enum ca_status status = ca_run_options_parse(&job->options, argc, argv, err);
    if (status == CA_OK)
        status = run_job(job, ret_exit, err);
    if (status == CA_ERROR_PROGRAM_ABSENT)
        *ret_exit = CA_EXIT_RUN_ABSENT;
    if (status == CA_ERROR_UNEXECUTABLE)
        *ret_exit = CA_EXIT_RUN_UNEXECUTABLE;
    ca_measurement_release(&job->measurement);
    for (uint32_t i = 0; i < CA_RUN_OUTPUTS; i++)
        ca_output_close(&job->outputs[i]);
    free(job);
    return status;
}

const struct ca_command ca_command_run = {
    .name = "run",
    .summary = "run a program and report what it allocated",
    .synopsis = "run [OPTION]... -- PROGRAM [ARGUMENT]...",
    .description =
        "Runs PROGRAM with a counting library preloaded and reports every malloc, calloc, realloc, "
        "aligned\n"
        "allocation and free it made, per phase and in total. The program's input, output and "
        "error are its\n"
        "own; the report goes to standard error when the program has ended, however it ended.\n"
        "\n"
        "A program that cannot be counted (statically linked, set-id, built with a sanitizer) is "
        "refused\n"
        "before it starts. The started process is counted through every exec; child processes are "
        "not.",
    .examples =
        "countalloc run -- ls -lR /usr/share/doc\n"
        "countalloc run -o before.json -- ./program input      the record, to keep and compare\n"
        "countalloc run --units line=@access.log -- ./parse access.log\n"
        "                                                      allocations per line of input\n"
        "countalloc run -q --format json=- -- true | jq .total\n"
        "countalloc run --timeout 30 -- ./server               a program that does not end by "
        "itself",
    .exit_status = "the program's own, or\n"
                   "128+N  signal N killed the program\n"
                   "125    countalloc failed, or nothing can be or was measured\n"
                   "126    the program cannot be executed\n"
                   "127    there is no such program",
    .options = &ca_run_option_table,
    .failed_status = CA_EXIT_RUN_FAILED,
    .run = run,
};
