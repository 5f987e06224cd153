/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd_target.h"
#include "base/number.h"
#include "command.h"
#include "commands/measure.h"
#include "reader/record_reader.h"
#include "sites/site_report.h"
#include "writers/row_table.h"
#include "writers/writers.h"

enum {
    OPTION_BY,
    OPTION_FORMAT,
    OPTION_SYMBOLS,
    OPTION_NO_DEBUGINFOD,
    OPTION_TOP,
    OPTION_UNDER,
    OPTION_ABOVE
};

static const struct ca_option options[] = {
    {OPTION_BY, 0, "by", CA_VALUE_NEEDED, "phase|thread|site|process",
     "what the rows of the report are; default: phase"},
    {OPTION_FORMAT, 0, "format", CA_VALUE_NEEDED, "F",
     "text (default), json, folded or svg (the last two want call\n"
     "sites); of '--by site': text, md or json"},
    {OPTION_SYMBOLS, 0, "symbols", CA_VALUE_NEEDED, "on|off",
     "look up call sites that have no names in the record (on), or not"},
    {OPTION_NO_DEBUGINFOD, 0, "no-debuginfod", CA_VALUE_NONE, NULL,
     "download no debug information, even if DEBUGINFOD_URLS is set"},
    {OPTION_TOP, 0, "top", CA_VALUE_NEEDED, "N|all",
     "with '--by site': rows of the table, default 20; what the others\n"
     "have is summed up in one"},
    {OPTION_UNDER, 0, "under", CA_VALUE_NEEDED, "FUNCTION",
     "with '--by site': what FUNCTION and all that it calls allocate"},
    {OPTION_ABOVE, 0, "above", CA_VALUE_NEEDED, "FUNCTION",
     "with '--by site': who calls FUNCTION, by what it then allocates"},
};

static const struct ca_option_table table = {options, sizeof options / sizeof options[0]};

enum rows {
    ROWS_PHASES,
    ROWS_THREADS,
    ROWS_SITES,
    ROWS_PROCESSES,
    ROWS_COUNT
};

static const char *const row_names[ROWS_COUNT] = {"phase", "thread", "site", "process"};

struct settings {
    enum rows rows;
    const char *format; /* NULL: text */
    const char *site_option;
    struct ca_site_report_options sites;
    struct ca_symbols_wanted symbols;
    const char *path;
};

/* ---- the command line ---- */

static enum ca_status take_by(struct settings *settings, const char *value, struct ca_error *err) {
    for (int rows = 0; rows < ROWS_COUNT; rows++)
        if (strcmp(value, row_names[rows]) == 0) {
            settings->rows = (enum rows)rows;
            return CA_OK;
        }
    return ca_error_set(err, CA_ERROR_USAGE, "'--by' is phase, thread, site or process, not '%s'",
                        value);
}

static enum ca_status take_top(struct settings *settings, const char *value, struct ca_error *err) {
    uint64_t count;
    settings->sites.top_count = SIZE_MAX;
    if (strcmp(value, "all") == 0)
        return CA_OK;
    if (!ca_number_parse(value, &count) || count == 0 || count >= SIZE_MAX)
        return ca_error_set(err, CA_ERROR_USAGE, "'--top' is a number from 1 or 'all', not '%s'",
                            value);
    settings->sites.top_count = (size_t)count;
    return CA_OK;
}

static enum ca_status take_part(struct settings *settings, enum ca_site_view view,
                                const char *function, struct ca_error *err) {
    if (settings->sites.view != CA_SITES_ALL)
        return ca_error_set(err, CA_ERROR_USAGE, "one of '--under' and '--above', once");
    if (function[0] == '\0')
        return ca_error_set(err, CA_ERROR_USAGE, "'--%s' wants the name of a function",
                            view == CA_SITES_UNDER ? "under" : "above");
    settings->sites.view = view;
    settings->sites.function = function;
    return CA_OK;
}

static enum ca_status take(struct settings *settings, const struct ca_option_found *found,
                           struct ca_error *err) {
    if (found->option == NULL && settings->path != NULL)
        return ca_error_set(err, CA_ERROR_USAGE, "one file at a time: '%s' and '%s'",
                            settings->path, found->value);
    if (found->option == NULL) {
        settings->path = found->value;
        return CA_OK;
    }
    if (found->option->id >= OPTION_TOP)
        settings->site_option = found->option->name;
    switch (found->option->id) {
    case OPTION_BY:
        return take_by(settings, found->value, err);
    case OPTION_SYMBOLS:
        return ca_wanted_take_symbols(&settings->symbols, found->value, err);
    case OPTION_NO_DEBUGINFOD:
        settings->symbols.is_debuginfod_off = true;
        return CA_OK;
    case OPTION_TOP:
        return take_top(settings, found->value, err);
    case OPTION_UNDER:
        return take_part(settings, CA_SITES_UNDER, found->value, err);
    case OPTION_ABOVE:
        return take_part(settings, CA_SITES_ABOVE, found->value, err);
    default:
        settings->format = found->value;
        return CA_OK;
    }
}

static enum ca_status check(const struct settings *settings, struct ca_error *err) {
    bool is_table = settings->rows == ROWS_THREADS || settings->rows == ROWS_PROCESSES;
    if (settings->path == NULL)
        return ca_error_set(err, CA_ERROR_USAGE, "no record given");
    if (settings->site_option != NULL && settings->rows != ROWS_SITES)
        return ca_error_set(err, CA_ERROR_USAGE, "'--%s' is for '--by site'",
                            settings->site_option);
    if (is_table && strcmp(settings->format, "text") != 0)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "'--by %s' is for the text report; '%s' always has everything",
                            row_names[settings->rows], settings->format);
    return CA_OK;
}

static enum ca_status parse(struct settings *settings, int argc, char **argv,
                            struct ca_error *err) {
    struct ca_option_walk walk;
    struct ca_option_found found;
    enum ca_status status = CA_OK;
    *settings = (struct settings){.format = "text", .sites = {.top_count = CA_SITE_ROWS_SHOWN}};
    ca_option_walk_init(&walk, &table, argc, argv);
    while (status == CA_OK && (status = ca_option_next(&walk, &found, err)) == CA_OK &&
           (found.option != NULL || found.value != NULL))
        status = take(settings, &found, err);
    for (; status == CA_OK && walk.at < argc; walk.at++)
        status = take(settings, &(struct ca_option_found){.value = argv[walk.at]}, err);
    return status == CA_OK ? check(settings, err) : status;
}

/* ---- writing ---- */

static enum ca_status write_thread_rows(const struct ca_record *record, struct ca_out *out,
                                        struct ca_error *err) {
    (void)err;
    ca_row_table_write(record, CA_ROWS_THREADS, out);
    return CA_OK;
}

static enum ca_status write_process_rows(const struct ca_record *record, struct ca_out *out,
                                         struct ca_error *err) {
    (void)err;
    ca_row_table_write(record, CA_ROWS_PROCESSES, out);
    return CA_OK;
}

static enum ca_status write_sites(const struct settings *settings,
                                  const struct ca_site_format *format,
                                  const struct ca_record *record, struct ca_error *err) {
    struct ca_site_report *report = calloc(1, sizeof *report);
    struct ca_fd_target target = {.fd = STDOUT_FILENO};
    struct ca_out out;
    if (report == NULL)
        return ca_error_memory(err);
    ca_out_init(&out, ca_fd_target_write, &target);
    enum ca_status status =
        ca_site_report_init(report, record, &settings->sites, settings->path, err);
    if (status == CA_OK)
        status = format->write(report, &out, err);
    ca_out_flush(&out);
    if (status == CA_OK && target.error_number != 0)
        status = ca_error_set(err, CA_ERROR_SYSTEM, "cannot write to standard output: %s",
                              strerror(target.error_number));
    ca_site_report_release(report);
    free(report);
    return status;
}

static enum ca_status write_record(const struct settings *settings, const struct ca_record *record,
                                   struct ca_error *err) {
    static const struct ca_writer thread_rows = {.name = "text", .write = write_thread_rows};
    static const struct ca_writer process_rows = {.name = "text", .write = write_process_rows};
    const struct ca_writer *writer = settings->rows == ROWS_THREADS ? &thread_rows : &process_rows;
    enum ca_status status = CA_OK;
    if (settings->rows == ROWS_PHASES)
        status = ca_writer_find(settings->format, strlen(settings->format), &writer, err);
    if (status == CA_OK && writer->is_binary && isatty(STDOUT_FILENO))
        return ca_error_set(err, CA_ERROR_USAGE, "'%s' is a binary format: redirect it to a file",
                            writer->name);
    return status == CA_OK ? ca_writer_write(writer, record, STDOUT_FILENO, "standard output", err)
                           : status;
}

static enum ca_status run(int argc, char **argv, int *ret_exit, struct ca_error *err) {
    struct settings settings;
    const struct ca_site_format *site_format = NULL;
    enum ca_status status = parse(&settings, argc, argv, err);
    if (status == CA_OK && settings.rows == ROWS_SITES)
        status = ca_site_format_find(settings.format, &site_format, err);
    if (status != CA_OK)
        return status;
    struct ca_loaded_record *loaded = calloc(1, sizeof *loaded);
    if (loaded == NULL)
        return ca_error_memory(err);
    status = ca_record_load(loaded, settings.path, err);
    if (status == CA_OK)
        status =
            ca_symbols_resolve_shown(&loaded->record, &settings.symbols, 0, &loaded->symbols, err);
    if (status == CA_OK)
        status = site_format != NULL ? write_sites(&settings, site_format, &loaded->record, err)
                                     : write_record(&settings, &loaded->record, err);
    if (status == CA_OK)
        *ret_exit = CA_EXIT_OK;
    ca_loaded_record_release(loaded);
    free(loaded);
    return status;
}

const struct ca_command ca_command_report = {
    .name = "report",
    .summary = "print a record again, in any format",
    .synopsis = "report [--by phase|thread|process] [--format F] RECORD|COUNTERFILE\n"
                "report --by site [--top N] [--under FUNCTION | --above FUNCTION] [--format F] "
                "RECORD",
    .description = "Prints, on standard output, a record that 'countalloc run -o RECORD' wrote, or "
                   "the state of a\n"
                   "counter file (COUNTALLOC_FILE), whose program may still be running. '-' is "
                   "standard input.\n"
                   "\n"
                   "'--by site' says where allocations come from, when that was measured "
                   "('countalloc run --sites',\n"
                   "'--stacks' or '--sample').",
    .examples = "countalloc report r.json\n"
                "countalloc report --by thread r.json\n"
                "countalloc report --by site --top 10 r.json\n"
                "countalloc report --by site --under parse_line r.json\n"
                "countalloc report --format svg r.json > r.svg\n"
                "countalloc report --format json server.counters | jq .total.allocations",
    .exit_status = "0  printed\n"
                   "2  the file cannot be read, is no record, or has not what was asked for",
    .options = &table,
    .failed_status = CA_EXIT_FAILED,
    .run = run,
};
