/* SPDX-License-Identifier: MIT */
#include "logstat_commands.h"

#include <countalloc/phase.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "blocklist.h"
#include "cpu_count.h"
#include "log_line.h"
#include "progress_bar.h"
#include "separators.h"
#include "source.h"
#include "versions.h"
#include "whole_file.h"

static const char help[] =
    "usage: logstat run VERSION FILE|- [REPEAT] [--blocklist FILE]\n"
    "                   [--format text|json|csv] [--on-error skip|fail] [--threads N]\n"
    "                   [--no-progress]\n"
    "\n"
    "Reads an access log and reports, per route and model: requests, the token total,\n"
    "the latencies p50 and p99; then how many lines were blocked (their user is on the\n"
    "blocklist) and how many were errors (any other line whose status is not 200); then\n"
    "a checksum of that report. All versions print the same bytes for the same log;\n"
    "'logstat versions' lists them. - is standard input.\n"
    "\n"
    "With REPEAT the log is scanned and reported that many times (default 1). The report\n"
    "is printed once. One 'VERSION run_ms=N' line per repeat goes to stderr. v0 to v5 read\n"
    "the log once, before the first repeat, and run_ms leaves the reading out. Later ones\n"
    "read it in blocks while they scan, in each repeat, and run_ms includes that; so a\n"
    "repeat needs a file and not a pipe.\n"
    "\n"
    "  logstat run v4 access.log\n"
    "  logstat run v2 access.log 5 >/dev/null        five timings\n"
    "  logstat run v4 access.log --format json --on-error fail\n"
    "  zcat access.log.gz | logstat run v10 -        any size, in about 3 MiB\n"
    "  countalloc run -- logstat run v0 access.log   allocations per line and phase;\n"
    "                                                the phases are read, scan, report\n"
    "\n"
    "options:\n"
    "  --blocklist FILE         users to leave out, one a line (default: the built-in\n"
    "                           1000 users of generated logs; an empty file blocks none)\n"
    "  --format text|json|csv   form of the report (default text)\n"
    "  --on-error skip|fail     a line that is neither blocked nor an error, but whose\n"
    "                           tokens or latency_ms is no number: skip it and show the\n"
    "                           first five on stderr (default), or stop with status 1\n"
    "  --threads N              v9 and v10: how many threads scan a file (default: as many\n"
    "                           as there are processors for this process)\n"
    "  --no-progress            no progress bar (there is none anyway unless stderr is a\n"
    "                           terminal)\n";

/* For tests and comparisons: the name of a path in separators.h instead of the best. */
static const char simd_variable[] = "LOGSTAT_SIMD";

/* One run of the command: what is read once, and the options. `log` or `source` is the log,
 * whichever the version asks for. */
struct run {
    const struct ca_logstat_options *options;
    const struct ca_version *version;
    const struct ca_separator_path *simd_path;
    struct ca_file log;
    struct ca_source source;
    struct ca_blocklist blocklist;
    struct ca_job job;
};

static enum ca_status read_inputs(struct run *run, struct ca_error *err) {
    const struct ca_logstat_options *options = run->options;
    countalloc_phase_begin("read");
    enum ca_status status =
        options->blocklist_path != NULL
            ? ca_blocklist_init_file(&run->blocklist, options->blocklist_path, err)
            : ca_blocklist_init_builtin(&run->blocklist, err);
    if (status == CA_OK)
        status = run->version->reading == CA_READS_WHOLE
                     ? ca_file_read(options->operands[1], &run->log, err)
                     : ca_source_open(options->operands[1], &run->source, err);
    countalloc_phase_end();
    return status;
}

static void show_malformed(const struct ca_result *result, const char *log_name) {
    for (uint64_t at = 0; at < result->malformed_count && at < CA_MALFORMED_SHOWN; at++)
        ca_complain("%s:%" PRIu64 ": %s; line skipped", log_name, result->malformed[at].line_number,
                    result->malformed[at].reason);
    if (result->malformed_count > CA_MALFORMED_SHOWN)
        ca_complain("%s: %" PRIu64 " further malformed lines skipped", log_name,
                    result->malformed_count - CA_MALFORMED_SHOWN);
}

static enum ca_status scan(struct run *run, struct ca_result *result, struct ca_error *err) {
    struct ca_progress progress;
    char label[32];
    snprintf(label, sizeof label, "scanning with %s", run->version->name);
    ca_progress_start(&progress, run->options->shows_progress, label,
                      run->log.byte_count + run->source.size_bytes);
    run->job.progress = &progress;
    countalloc_phase_begin("scan");
    const enum ca_status status = run->version->scan(&run->job, result, err);
    countalloc_phase_units("line", result->line_count);
    countalloc_phase_end();
    run->job.progress = NULL;
    ca_progress_end(&progress);
    return status;
}

static enum ca_status report(const struct run *run, struct ca_result *result, bool is_printed,
                             double *ret_ended_ms, struct ca_error *err) {
    struct ca_string text = {0};
    countalloc_phase_begin("report");
    enum ca_status status = ca_report_render(result, run->options->format, &text, err);
    *ret_ended_ms = (double)ca_clock_ns() / 1e6;
    if (status == CA_OK && is_printed)
        status = ca_write_all(STDOUT_FILENO, "standard output", ca_string_slice(&text), err);
    ca_string_release(&text);
    countalloc_phase_end();
    return status;
}

static enum ca_status repeat(struct run *run, bool is_first, struct ca_error *err) {
    struct ca_result result;
    ca_result_init(&result);
    ca_source_rewind(&run->source);
    const double started_ms = (double)ca_clock_ns() / 1e6;
    double ended_ms = started_ms;
    enum ca_status status = scan(run, &result, err);
    if (status == CA_OK)
        status = report(run, &result, is_first, &ended_ms, err);
    if (status == CA_OK && is_first)
        show_malformed(&result, run->job.log_name);
    if (status == CA_OK)
        fprintf(stderr, "%s run_ms=%.1f\n", run->version->name, ended_ms - started_ms);
    ca_result_release(&result);
    return status;
}

/* A key that the log's author cannot know. If the system has none to give, the log is trusted. */
static struct ca_sip_key draw_key(void) {
    struct ca_sip_key key;
    if (getentropy(&key, sizeof key) != 0)
        key = (struct ca_sip_key){0, 0};
    return key;
}

static enum ca_status run_all(struct run *run, uint64_t repeat_count, struct ca_error *err) {
    enum ca_status status = read_inputs(run, err);
    if (status != CA_OK)
        return status;
    if (repeat_count > 1 && run->version->reading != CA_READS_WHOLE && !run->source.is_seekable)
        return ca_fail(err, CA_IO,
                       "cannot read '%s' a second time, because it is no regular file; leave out "
                       "REPEAT, or choose one of v0 to v5, which keep the log in memory",
                       run->source.name);
    run->job = (struct ca_job){
        .log = {run->log.bytes, run->log.byte_count},
        .source = &run->source,
        .log_name = ca_file_name(run->options->operands[1], "standard input"),
        .blocklist = &run->blocklist,
        .sip_key = draw_key(),
        .stops_at_malformed = run->options->stops_at_malformed,
        .thread_count =
            run->options->thread_count > 0 ? run->options->thread_count : ca_cpu_count(),
        .simd_path = run->simd_path,
    };
    for (uint64_t at = 0; status == CA_OK && at < repeat_count; at++)
        status = repeat(run, at == 0, err);
    return status;
}

static void complain_of_version(const char *name) {
    char known[256] = "";
    for (size_t at = 0; at < ca_version_count; at++) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, " %s", ca_versions[at].name);
    }
    ca_complain("there is no version '%s'; there are:%s ('logstat versions' says what they are)",
                name, known);
}

static bool choose_simd_path(struct run *run) {
    const char *name = getenv(simd_variable);
    if (name == NULL)
        return true;
    run->simd_path = ca_separator_path_find(name);
    if (run->simd_path == NULL)
        ca_complain("%s '%s' is not known here, or not to this processor", simd_variable, name);
    return run->simd_path != NULL;
}

static int run_run(const struct ca_logstat_options *options) {
    struct run run = {.options = options, .version = ca_version_find(options->operands[0])};
    struct ca_error err;
    uint64_t repeat_count = 1;
    if (run.version == NULL) {
        complain_of_version(options->operands[0]);
        return CA_EXIT_USAGE;
    }
    if (options->thread_count > 0 && run.version->reading != CA_READS_RANGES) {
        ca_complain("%s has one thread; --threads is for v9 and v10", run.version->name);
        return CA_EXIT_USAGE;
    }
    if (!choose_simd_path(&run))
        return CA_EXIT_USAGE;
    if (options->operand_count > 2 &&
        (!ca_parse_unsigned(ca_slice_of(options->operands[2]), UINT32_MAX, &repeat_count) ||
         repeat_count == 0)) {
        ca_complain("REPEAT '%s' is not a number from 1 to 4294967295; see 'logstat run --help'",
                    options->operands[2]);
        return CA_EXIT_USAGE;
    }
    if (options->blocklist_path != NULL && strcmp(options->blocklist_path, "-") == 0 &&
        strcmp(options->operands[1], "-") == 0) {
        ca_complain(
            "the log and the blocklist cannot both come from standard input; put one in a file");
        return CA_EXIT_USAGE;
    }
    const enum ca_status status = run_all(&run, repeat_count, &err);
    ca_file_release(&run.log);
    ca_source_close(&run.source);
    ca_blocklist_release(&run.blocklist);
    if (status == CA_OK)
        return CA_EXIT_OK;
    ca_complain("%s", err.message);
    return CA_EXIT_FAILED;
}

const struct ca_logstat_command ca_command_run = {
    .name = "run",
    .help = help,
    .operand_count_min = 2,
    .operand_count_max = 3,
    .takes_run_options = true,
    .takes_progress = true,
    .run = run_run,
};
