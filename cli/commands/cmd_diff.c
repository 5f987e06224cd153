/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd_target.h"
#include "base/number.h"
#include "command.h"
#include "diff/diff_report.h"
#include "reader/record_reader.h"
#include "symbols/symbols.h"

enum {
    OPTION_BY,
    OPTION_EXIT_CODE,
    OPTION_FORMAT,
    OPTION_NO_DEBUGINFOD,
    OPTION_TOP
};

static const struct ca_option options[] = {
    {OPTION_BY, 0, "by", CA_VALUE_NEEDED, "phase|site",
     "what is compared: phases and the total (default), or call sites,\n"
     "new ones first"},
    {OPTION_EXIT_CODE, 0, "exit-code", CA_VALUE_NONE, NULL, "exit with 1 when something differs"},
    {OPTION_FORMAT, 0, "format", CA_VALUE_NEEDED, "F", "text (default), json or md"},
    {OPTION_TOP, 0, "top", CA_VALUE_NEEDED, "N|all",
     "with '--by site': sites in text and md, default 20; what the\n"
     "others have is summed up in one"},
    {OPTION_NO_DEBUGINFOD, 0, "no-debuginfod", CA_VALUE_NONE, NULL,
     "download no debug information, even if DEBUGINFOD_URLS is set"},
};

static const struct ca_option_table table = {options, sizeof options / sizeof options[0]};

struct settings {
    const struct ca_diff_format *format;
    bool is_by_site;
    size_t top_count; /* 0: not given */
    bool is_exit_code_wanted;
    bool is_debuginfod_off;
    const char *paths[2];
    size_t path_count;
};

static enum ca_status take_path(struct settings *settings, const char *path, struct ca_error *err) {
    if (settings->path_count == 2)
        return ca_error_set(err, CA_ERROR_USAGE, "two records are compared: what is '%s' for?",
                            path);
    settings->paths[settings->path_count++] = path;
    return CA_OK;
}

static enum ca_status take_by(struct settings *settings, const char *value, struct ca_error *err) {
    settings->is_by_site = strcmp(value, "site") == 0;
    if (settings->is_by_site || strcmp(value, "phase") == 0)
        return CA_OK;
    return ca_error_set(err, CA_ERROR_USAGE, "'--by' is phase or site, not '%s'", value);
}

static enum ca_status take_top(struct settings *settings, const char *value, struct ca_error *err) {
    uint64_t count;
    settings->top_count = SIZE_MAX;
    if (strcmp(value, "all") == 0)
        return CA_OK;
    if (!ca_number_parse(value, &count) || count == 0 || count >= SIZE_MAX)
        return ca_error_set(err, CA_ERROR_USAGE, "'--top' is a number from 1 or 'all', not '%s'",
                            value);
    settings->top_count = (size_t)count;
    return CA_OK;
}

static enum ca_status take(struct settings *settings, const struct ca_option_found *found,
                           struct ca_error *err) {
    if (found->option == NULL)
        return take_path(settings, found->value, err);
    switch (found->option->id) {
    case OPTION_BY:
        return take_by(settings, found->value, err);
    case OPTION_TOP:
        return take_top(settings, found->value, err);
    case OPTION_FORMAT:
        return ca_diff_format_find(found->value, &settings->format, err);
    case OPTION_NO_DEBUGINFOD:
        settings->is_debuginfod_off = true;
        return CA_OK;
    default:
        settings->is_exit_code_wanted = true;
        return CA_OK;
    }
}

static enum ca_status parse(struct settings *settings, int argc, char **argv,
                            struct ca_error *err) {
    struct ca_option_walk walk;
    struct ca_option_found found;
    enum ca_status status = ca_diff_format_find("text", &settings->format, err);
    ca_option_walk_init(&walk, &table, argc, argv);
    while (status == CA_OK && (status = ca_option_next(&walk, &found, err)) == CA_OK &&
           (found.option != NULL || found.value != NULL))
        status = take(settings, &found, err);
    for (; status == CA_OK && walk.at < argc; walk.at++)
        status = take_path(settings, argv[walk.at], err);
    if (status == CA_OK && settings->path_count < 2)
        return ca_error_set(err, CA_ERROR_USAGE, "two records are needed: OLD and NEW");
    if (status == CA_OK && strcmp(settings->paths[0], "-") == 0 &&
        strcmp(settings->paths[1], "-") == 0)
        return ca_error_set(err, CA_ERROR_USAGE, "only one of both can be standard input");
    if (status == CA_OK && settings->top_count > 0 && !settings->is_by_site)
        return ca_error_set(err, CA_ERROR_USAGE, "'--top' is for '--by site'");
    return status;
}

static enum ca_status write_diff(const struct settings *settings, const struct ca_record_diff *diff,
                                 const struct ca_site_diff *sites, struct ca_error *err) {
    const struct ca_diff_report report = {
        .version = COUNTALLOC_VERSION,
        .diff = diff,
        .before_source = settings->paths[0],
        .after_source = settings->paths[1],
        .sites = settings->is_by_site ? sites : NULL,
        .top_count = settings->top_count > 0 ? settings->top_count : CA_DIFF_SITES_SHOWN,
    };
    struct ca_fd_target target = {.fd = STDOUT_FILENO};
    struct ca_out out;
    ca_out_init(&out, ca_fd_target_write, &target);
    enum ca_status status = settings->format->write(&report, &out, err);
    ca_out_flush(&out);
    if (status == CA_OK && target.error_number != 0)
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot write to standard output: %s",
                            strerror(target.error_number));
    return status;
}

/* Both differences: the one by site takes what makes the comparison doubtful from the other. */
static enum ca_status compare(const struct settings *settings, const struct ca_record *before,
                              const struct ca_record *after, bool *ret_different,
                              struct ca_error *err) {
    struct ca_record_diff diff = {0};
    struct ca_site_diff sites = {.before = NULL};
    const char *const *paths = settings->paths;
    enum ca_status status = ca_record_diff_init(&diff, before, after, paths[0], paths[1], err);
    if (status == CA_OK && settings->is_by_site)
        status = ca_site_diff_init(&sites, before, after, paths[0], paths[1], err);
    if (status == CA_OK)
        status = write_diff(settings, &diff, &sites, err);
    *ret_different = settings->is_by_site ? sites.is_different : diff.is_different;
    ca_site_diff_release(&sites);
    ca_record_diff_release(&diff);
    return status;
}

/* What could not be looked up shows in the sites, and is no note of the record. */
static void ignore_note(void *target, const char *text) {
    (void)target;
    (void)text;
}

static enum ca_status load(struct ca_loaded_record *loaded, const struct settings *settings,
                           const char *path, struct ca_error *err) {
    const struct ca_symbols_options quiet = {.is_debuginfod_off = settings->is_debuginfod_off,
                                             .note = ignore_note};
    enum ca_status status = ca_record_load(loaded, path, err);
    if (status != CA_OK || !settings->is_by_site || loaded->record.frames_count == 0)
        return status;
    return ca_symbols_resolve(&loaded->record, &quiet, &loaded->symbols, err);
}

static enum ca_status run(int argc, char **argv, int *ret_exit, struct ca_error *err) {
    struct settings settings = {0};
    bool is_different = false;
    struct ca_loaded_record *loaded = calloc(2, sizeof *loaded);
    if (loaded == NULL)
        return ca_error_memory(err);
    enum ca_status status = parse(&settings, argc, argv, err);
    for (size_t i = 0; i < 2 && status == CA_OK; i++)
        status = load(&loaded[i], &settings, settings.paths[i], err);
    if (status == CA_OK)
        status = compare(&settings, &loaded[0].record, &loaded[1].record, &is_different, err);
    if (status == CA_OK)
        *ret_exit = settings.is_exit_code_wanted && is_different ? CA_EXIT_DIFFERENT : CA_EXIT_OK;
    ca_loaded_record_release(&loaded[0]);
    ca_loaded_record_release(&loaded[1]);
    free(loaded);
    return status;
}

const struct ca_command ca_command_diff = {
    .name = "diff",
    .summary = "say what changed between two records",
    .synopsis = "diff [--by phase] [--exit-code] [--format F] OLD NEW\n"
                "diff --by site [--top N] [--exit-code] [--format F] [--no-debuginfod] OLD NEW",
    .description =
        "Compares two records that 'countalloc run -o' wrote, phase by phase, largest change "
        "first. Phases\n"
        "that appear or disappear are named, and threads where a phase has several. Figures per "
        "unit are\n"
        "given beside the raw ones. A peak is different when it differs by more than it may be "
        "wrong by.\n"
        "'-' is standard input.\n"
        "\n"
        "'--by site' names the call sites that are new, then those that grew, shrank and are gone, "
        "each the\n"
        "largest change first, for records that have them ('countalloc run --sites'). Sites are "
        "the same when\n"
        "phase, functions and files are: neither a moved line nor a rebuild makes a new one.",
    .examples = "countalloc run -q -o old.json -- ./program input\n"
                "countalloc run -q -o new.json -- ./changed-program input\n"
                "countalloc diff old.json new.json\n"
                "countalloc diff --exit-code --format md old.json new.json\n"
                "countalloc diff --by site old.json new.json",
    .exit_status =
        "0  compared\n"
        "1  with --exit-code: something differs\n"
        "2  usage, a file that is no record, a record in which nothing was measured, or,\n"
        "   with '--by site', one without sites",
    .options = &table,
    .failed_status = CA_EXIT_FAILED,
    .run = run,
};
