/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd_target.h"
#include "budget/budget_update.h"
#include "command.h"
#include "commands/check_job.h"
#include "commands/found_sites.h"
#include "commands/injection_test.h"

/* ---- updating ---- */

static void tell_edits(const struct ca_check_job *job, const struct ca_budget_plan *plan,
                       bool is_written) {
    for (size_t i = 0; i < plan->edit_count; i++) {
        const struct ca_budget_edit *edit = &plan->edits[i];
        char before[CA_NUMBER_TEXT_SIZE], after[CA_NUMBER_TEXT_SIZE];
        fprintf(stderr, "%s:%u: [%s]: %s %s -> %s%s%s\n", job->file.path, edit->line,
                edit->section->title, ca_limit_key(edit->kind, edit->is_rate),
                ca_ratio_text(edit->before, before), ca_ratio_text(edit->after, after),
                edit->is_raise ? " (raised)" : "", is_written ? "" : " (not written)");
    }
    for (size_t i = 0; i < plan->remark_count; i++)
        fprintf(stderr, "%s\n", plan->remarks[i]);
}

/* What was written is what is judged. */
static enum ca_status judge_again(struct ca_check_job *job, const struct ca_budget_plan *plan,
                                  struct ca_error *err) {
    struct ca_budget_file file;
    enum ca_status status =
        ca_budget_file_parse(&file, job->file.path, plan->text, plan->byte_count, err);
    if (status != CA_OK)
        return status;
    ca_judgement_release(&job->judgement);
    ca_budget_file_release(&job->file);
    job->file = file;
    return ca_check_job_judge(job, err);
}

static enum ca_status carry_out(struct ca_check_job *job, const struct ca_budget_plan *plan,
                                struct ca_error *err) {
    bool is_read_only = ca_budget_is_read_only();
    bool is_writing = job->options.is_update_wanted && !is_read_only;
    enum ca_status status = is_writing ? ca_budget_plan_write(&job->file, plan, err) : CA_OK;
    if (status != CA_OK)
        return status;
    tell_edits(job, plan, is_writing);
    if (job->options.is_update_wanted && is_read_only)
        fprintf(stderr, "countalloc check: CI is set, so nothing was written\n");
    else if (!job->options.is_update_wanted && plan->edit_count > 0)
        fprintf(stderr, "countalloc check: --update writes what --fit found\n");
    return is_writing && plan->edit_count > 0 ? judge_again(job, plan, err) : CA_OK;
}

static enum ca_status update(struct ca_check_job *job, struct ca_error *err) {
    enum ca_update_mode mode = !job->options.is_update_wanted ? CA_UPDATE_SHOW
                               : job->options.is_update_all   ? CA_UPDATE_ALL
                                                              : CA_UPDATE_LOWER;
    struct ca_budget_plan plan = {0};
    enum ca_status status =
        job->options.is_fit_wanted
            ? ca_budget_plan_fit(&job->file, &job->judgement, mode, &plan, err)
            : ca_budget_plan_update(&job->file, &job->judgement, mode, &plan, err);
    if (status == CA_OK)
        status = carry_out(job, &plan, err);
    ca_budget_plan_release(&plan);
    return status;
}

/* ---- reporting ---- */

/* A job summary of GitHub is added to. */
static int open_report(const char *path) {
    const char *summary = getenv("GITHUB_STEP_SUMMARY");
    bool is_summary = summary != NULL && strcmp(summary, path) == 0;
    return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (is_summary ? O_APPEND : O_TRUNC), 0666);
}

static enum ca_status write_report(const struct ca_check_report *report,
                                   const struct ca_check_output *output, struct ca_error *err) {
    bool is_file = !ca_check_output_is_standard(output);
    const char *shown = is_file ? output->path : "standard output";
    struct ca_fd_target target = {.fd = is_file ? open_report(output->path) : STDOUT_FILENO};
    struct ca_out out;
    if (target.fd < 0)
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot write '%s': %s", shown, strerror(errno));
    ca_out_init(&out, ca_fd_target_write, &target);
    enum ca_status status = output->format->write(report, &out, err);
    ca_out_flush(&out);
    if (is_file && close(target.fd) != 0 && target.error_number == 0)
        target.error_number = errno;
    if (status == CA_OK && target.error_number != 0)
        status = ca_error_set(err, CA_ERROR_SYSTEM, "cannot write '%s': %s", shown,
                              strerror(target.error_number));
    return status;
}

/* Every output, whatever becomes of the others; the text, unless another one takes its place. */
static enum ca_status write_reports(const struct ca_check_job *job,
                                    const struct ca_check_sites *sites, struct ca_error *err) {
    const struct ca_check_report report = {
        .version = COUNTALLOC_VERSION,
        .file = &job->file,
        .judgement = &job->judgement,
        .base = job->options.base_ref != NULL ? &job->base : NULL,
        .subjects = job->subjects,
        .subject_count = job->subject_count,
        .arguments = job->arguments,
        .argument_count = job->argument_count,
        .sites = sites,
    };
    enum ca_status result = CA_OK;
    bool is_text_replaced = false;
    for (uint32_t i = 0; i < job->options.output_count; i++) {
        const struct ca_check_output *output = &job->options.outputs[i];
        is_text_replaced |= output->path == NULL;
        enum ca_status status = write_report(&report, output, err);
        result = status != CA_OK ? status : result;
    }
    size_t format_count;
    struct ca_check_output text = {NULL, ca_check_formats(&format_count)};
    enum ca_status status = is_text_replaced ? CA_OK : write_report(&report, &text, err);
    return status != CA_OK ? status : result;
}

static enum ca_status report(struct ca_check_job *job, struct ca_error *err) {
    struct ca_found_sites found;
    enum ca_status status = ca_found_sites_init(&found, job, err);
    if (status == CA_OK)
        status = write_reports(job, found.sites, err);
    ca_found_sites_release(&found);
    return status;
}

/* ---- the command ---- */

static enum ca_status run_job(struct ca_check_job *job, int *ret_exit, struct ca_error *err) {
    enum ca_status status = ca_check_job_prepare(job, err);
    if (status == CA_OK)
        status = ca_check_job_judge(job, err);
    if (status == CA_OK && (job->options.is_update_wanted || job->options.is_fit_wanted))
        status = update(job, err);
    /* Without a first measurement there is nothing to add to. */
    if (status == CA_OK && job->options.is_self_test_wanted && job->judgement.status != 3)
        return ca_injection_test(job, ret_exit, err);
    if (status == CA_OK)
        status = report(job, err);
    if (status == CA_OK)
        *ret_exit = job->judgement.status;
    return status;
}

static enum ca_status run(int argc, char **argv, int *ret_exit, struct ca_error *err) {
    struct ca_check_job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return ca_error_memory(err);
    ca_check_job_init(job);
    job->arguments = (const char *const *)argv + 1;
    job->argument_count = (size_t)argc - 1;
    enum ca_status status = ca_check_options_parse(&job->options, argc, argv, err);
    if (status == CA_OK)
        status = run_job(job, ret_exit, err);
    ca_check_job_release(job);
    free(job);
    return status;
}

const struct ca_command ca_command_check = {
    .name = "check",
    .summary = "hold a program or its records against budgets",
    .synopsis = "check -b FILE [OPTION]... RECORD...\n"
                "check -b FILE [OPTION]... -- PROGRAM [ARGUMENT]...",
    .description =
        "Compares what was allocated with the budgets in FILE, exactly: allocations of a phase may "
        "be at\n"
        "most fixed + rate * units. Counts are those of the threads that opened the phase. A "
        "program that\n"
        "failed, was ended by --timeout or could not be counted is not measured: that is never a "
        "success.\n"
        "\n"
        "--update rewrites single numbers in FILE and leaves every other byte; numbers rise only "
        "with\n"
        "--update=all, and only in sections that say why. --base REF judges by the numbers that "
        "FILE "
        "had where\n"
        "HEAD and REF parted, so that a change cannot approve itself. --self-test runs PROGRAM "
        "again with\n"
        "allocations added, and fails for a budget that did not notice.\n"
        "\n"
        "--against RECORD names the call sites that are new or have grown since, where a budget is "
        "over, at most\n"
        "ten. It decides nothing. Without it --sites names the largest.",
    .examples = "countalloc check -b alloc-budgets.ini -- ./program input\n"
                "countalloc check -b alloc-budgets.ini glibc.json musl.json\n"
                "countalloc check -b alloc-budgets.ini --update glibc.json musl.json\n"
                "countalloc check -b alloc-budgets.ini --fit small.json large.json\n"
                "countalloc check -b alloc-budgets.ini --base origin/main -- ./program\n"
                "countalloc check -b alloc-budgets.ini --self-test -- ./program\n"
                "countalloc check -b alloc-budgets.ini --format junit=check.xml -- ./program\n"
                "countalloc check -b alloc-budgets.ini --against old.json -- ./program input",
    .exit_status = "0  within the budgets\n"
                   "1  over; with --strict also improved, stale, unbudgeted; with --self-test:\n"
                   "   a budget did not turn over\n"
                   "2  usage, or a budget file or record that cannot be read\n"
                   "3  not measured, or nothing was compared",
    .options = &ca_check_option_table,
    .failed_status = CA_EXIT_FAILED,
    .run = run,
};
