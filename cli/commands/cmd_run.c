/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd_target.h"
#include "command.h"
#include "commands/measure.h"
#include "commands/repeat_writers.h"
#include "commands/run_options.h"
#include "commands/stdin_again.h"
#include "platform/cli_platform.h"
#include "writers/output_file.h"

/* Everything one run holds. */
struct job {
    struct ca_run_options options;
    struct ca_output outputs[CA_RUN_OUTPUTS];
    struct ca_signals signals;
    struct ca_target target;
    struct ca_allocator allocator; /* with --allocator */
    struct ca_error refusal;
    bool is_refused; /* the program cannot be counted, and is run all the same */
    struct ca_measurement measurement;
    enum ca_status measured;
    struct ca_error unmeasured_cause;
    int program_status;                 /* of the first run that failed, else 0 */
    struct ca_repeated_record repeated; /* with --repeat */
};

/* ---- before ---- */

static enum ca_status check_outputs(const struct ca_run_options *options, struct ca_error *err) {
    bool has_sites = options->wanted.stack_depth != 0 || options->wanted.sample_bytes != 0;
    for (uint32_t i = 0; i < options->output_count; i++)
        if (options->outputs[i].writer->wants_sites && !has_sites)
            return ca_error_set(err, CA_ERROR_USAGE,
                                "'--format %s' draws call sites: add --sites, --stacks or --sample",
                                options->outputs[i].writer->name);
    return CA_OK;
}

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
    if (status == CA_OK && job->options.allocator != NULL)
        return ca_allocator_find(job->options.allocator, &job->target, &job->allocator, err);
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

static bool is_repeated(const struct job *job) {
    return job->options.repeat_count > 1 && job->measured == CA_OK;
}

static enum ca_status write_one(struct job *job, uint32_t index, struct ca_error *err) {
    const struct ca_run_output *output = &job->options.outputs[index];
    bool is_with_repeats = is_repeated(job);
    const struct ca_record *record =
        is_with_repeats ? &job->repeated.record : &job->measurement.record;
    const struct ca_writer *writer =
        is_with_repeats ? ca_repeat_writer(output->writer) : output->writer;
    return output->path != NULL
               ? ca_output_write(&job->outputs[index], writer, record, err)
               : ca_writer_write(writer, record, STDERR_FILENO, "standard error", err);
}

/* A report that nobody can receive is no failure. */
static void show_report(struct job *job) {
    size_t count;
    const struct ca_writer *text = &ca_writers(&count)[0];
    if (is_repeated(job))
        ca_writer_write(ca_repeat_writer(text), &job->repeated.record, STDERR_FILENO,
                        "standard error", NULL);
    else
        ca_writer_write(text, &job->measurement.record, STDERR_FILENO, "standard error", NULL);
}

/* A warning, and so not to be silenced. */
static void warn_of_differences(const struct job *job) {
    struct ca_fd_target target = {.fd = STDERR_FILENO};
    struct ca_out out;
    if (!is_repeated(job) || ca_repeat_spread_is_identical(&job->repeated.spread))
        return;
    ca_out_init(&out, ca_fd_target_write, &target);
    ca_out_text(&out, "countalloc run: ");
    ca_repeat_spread_write_text(&job->repeated.spread, &out);
    ca_out_flush(&out);
}

/* Writes every output, whatever becomes of the others. */
static enum ca_status write_outputs(struct job *job, struct ca_error *err) {
    const struct ca_run_options *options = &job->options;
    enum ca_status result = CA_OK;
    for (uint32_t i = 0; i < options->output_count; i++) {
        enum ca_status status = write_one(job, i, err);
        if (status != CA_OK && result != CA_OK)
            fprintf(stderr, "countalloc run: %s\n", err->message);
        result = status != CA_OK ? status : result;
    }
    if (is_report_shown(options))
        show_report(job);
    else
        warn_of_differences(job);
    return result;
}

static enum ca_status report(struct job *job, int *ret_exit, struct ca_error *err) {
    enum ca_status status = write_outputs(job, err);
    if (status != CA_OK)
        return status;
    if (job->measured == CA_OK || job->options.is_uncounted_ok) {
        *ret_exit = job->program_status;
        return CA_OK;
    }
    *ret_exit = CA_EXIT_RUN_FAILED;
    return is_report_shown(&job->options) ? CA_OK
                                          : ca_error_set(err, job->measured, "not measured: %s",
                                                         job->unmeasured_cause.message);
}

/* ---- running ---- */

static int status_of(const struct ca_outcome *outcome) {
    return outcome->signal != 0 ? CA_EXIT_RUN_SIGNAL + outcome->signal : outcome->exit_status;
}

static enum ca_status run_once(struct job *job, struct ca_measurement *measurement,
                               struct ca_error *err) {
    struct ca_measure_settings settings = {
        .target = &job->target,
        .program = job->options.program,
        .refusal = job->is_refused ? &job->refusal : NULL,
        .name = job->options.name,
        .signals = &job->signals,
        .wanted = job->options.wanted,
        .symbols = measurement == &job->measurement ? &job->options.symbols : NULL,
        .timeout_ns = job->options.timeout_ns,
        .region_bytes = job->options.region_bytes,
        .allocator = job->options.allocator != NULL && !job->is_refused ? &job->allocator : NULL,
    };
    enum ca_status status =
        ca_measurement_run(measurement, &settings, &job->measured, &job->unmeasured_cause, err);
    if (status == CA_OK)
        ca_units_option_apply(&job->options.units, &measurement->record);
    if (status == CA_OK && job->program_status == 0)
        job->program_status = status_of(&measurement->outcome);
    return status;
}

/* The runs after the first. A run that a signal ended is the last: whoever sent it wants an end. */
static enum ca_status run_again(struct job *job, const struct ca_stdin_again *standard_input,
                                struct ca_error *err) {
    struct ca_measurement *measurement = calloc(1, sizeof *measurement);
    if (measurement == NULL)
        return ca_error_memory(err);
    int signal = job->measurement.outcome.signal;
    enum ca_status status = CA_OK;
    for (uint32_t i = 1; i < job->options.repeat_count && status == CA_OK && signal == 0; i++) {
        ca_measurement_init(measurement);
        status = ca_stdin_again_rewind(standard_input, err);
        if (status == CA_OK)
            status = run_once(job, measurement, err);
        if (status == CA_OK && job->measured == CA_OK)
            status = ca_repeat_spread_add(&job->repeated.spread, &measurement->record, err);
        signal = measurement->outcome.signal;
        ca_measurement_release(measurement);
        if (job->measured != CA_OK)
            break;
    }
    free(measurement);
    return status;
}

static enum ca_status run_all(struct job *job, struct ca_error *err) {
    struct ca_stdin_again standard_input = {.is_rewound = false};
    enum ca_status status = CA_OK;
    bool is_repeating = job->options.repeat_count > 1;
    if (is_repeating && job->is_refused)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "--repeat compares counts, and this program cannot be counted: %s",
                            job->refusal.message);
    if (is_repeating)
        status = ca_stdin_again_init(&standard_input, "--repeat", err);
    if (status != CA_OK)
        return status;
    ca_signals_take(&job->signals);
    status = run_once(job, &job->measurement, err);
    if (status != CA_OK || !is_repeating || job->measured != CA_OK)
        return status;
    job->repeated.record = job->measurement.record;
    status = ca_repeat_spread_add(&job->repeated.spread, &job->measurement.record, err);
    return status == CA_OK ? run_again(job, &standard_input, err) : status;
}

/* ---- the command ---- */

static enum ca_status run_job(struct job *job, int *ret_exit, struct ca_error *err) {
    enum ca_status status = check_outputs(&job->options, err);
    if (status == CA_OK)
        status = open_outputs(job, err);
    if (status == CA_OK)
        status = inspect(job, err);
    if (status == CA_OK)
        status = run_all(job, err);
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
    ca_repeat_spread_release(&job->repeated.spread);
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
        "countalloc run --repeat 5 -- ./program < input        whether it does the same each time\n"
        "countalloc run --timeout 30 -- ./server               a program that does not end by "
        "itself",
    .exit_status = "the program's own (with --repeat that of the first run that failed), or\n"
                   "128+N  signal N killed the program\n"
                   "125    countalloc failed, or nothing can be or was measured\n"
                   "126    the program cannot be executed\n"
                   "127    there is no such program",
    .options = &ca_run_option_table,
    .failed_status = CA_EXIT_RUN_FAILED,
    .run = run,
};
