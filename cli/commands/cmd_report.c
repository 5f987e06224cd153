/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd_target.h"
#include "command.h"
#include "reader/record_reader.h"
#include "writers/row_table.h"
#include "writers/writers.h"

enum {
    OPTION_BY,
    OPTION_FORMAT
};

static const struct ca_option options[] = {
    {OPTION_BY, 0, "by", CA_VALUE_NEEDED, "phase|thread|process",
     "what the rows of the text report are; default: phase"},
    {OPTION_FORMAT, 0, "format", CA_VALUE_NEEDED, "F", "text (default) or json"},
};

static const struct ca_option_table table = {options, sizeof options / sizeof options[0]};

struct settings {
    const struct ca_writer *writer;
    bool is_by_rows; /* else by phase */
    enum ca_row_kind rows;
    const char *path;
};

static enum ca_status take_by(struct settings *settings, const char *value, struct ca_error *err) {
    settings->is_by_rows = strcmp(value, "phase") != 0;
    settings->rows = strcmp(value, "process") == 0 ? CA_ROWS_PROCESSES : CA_ROWS_THREADS;
    if (strcmp(value, "site") == 0)
        return ca_error_set(err, CA_ERROR_USAGE, "'--by site' is not in this version");
    if (settings->is_by_rows && settings->rows == CA_ROWS_THREADS && strcmp(value, "thread") != 0)
        return ca_error_set(err, CA_ERROR_USAGE, "'--by' is phase, thread or process, not '%s'",
                            value);
    return CA_OK;
}

static enum ca_status take(struct settings *settings, const struct ca_option_found *found,
                           struct ca_error *err) {
    if (found->option == NULL && settings->path != NULL)
        return ca_error_set(err, CA_ERROR_USAGE, "one file at a time: '%s' and '%s'",
                            settings->path, found->value);
    if (found->option == NULL)
        settings->path = found->value;
    else if (found->option->id == OPTION_BY)
        return take_by(settings, found->value, err);
    else
        return ca_writer_find(found->value, strlen(found->value), &settings->writer, err);
    return CA_OK;
}

static enum ca_status parse(struct settings *settings, int argc, char **argv,
                            struct ca_error *err) {
    struct ca_option_walk walk;
    struct ca_option_found found;
    enum ca_status status = ca_writer_find("text", 4, &settings->writer, err);
    ca_option_walk_init(&walk, &table, argc, argv);
    while (status == CA_OK && (status = ca_option_next(&walk, &found, err)) == CA_OK &&
           (found.option != NULL || found.value != NULL))
        status = take(settings, &found, err);
    for (; status == CA_OK && walk.at < argc; walk.at++)
        status = take(settings, &(struct ca_option_found){.value = argv[walk.at]}, err);
    if (status == CA_OK && settings->path == NULL)
        return ca_error_set(err, CA_ERROR_USAGE, "no record given");
    if (status == CA_OK && settings->is_by_rows && strcmp(settings->writer->name, "text") != 0)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "'--by' is for the text report; '%s' always has everything",
                            settings->writer->name);
    if (status == CA_OK && settings->writer->is_binary && isatty(STDOUT_FILENO))
        return ca_error_set(err, CA_ERROR_USAGE, "'%s' is a binary format: redirect it to a file",
                            settings->writer->name);
    return status;
}

static void write_thread_rows(const struct ca_record *record, struct ca_out *out) {
    ca_row_table_write(record, CA_ROWS_THREADS, out);
}

static void write_process_rows(const struct ca_record *record, struct ca_out *out) {
    ca_row_table_write(record, CA_ROWS_PROCESSES, out);
}

static enum ca_status run(int argc, char **argv, int *ret_exit, struct ca_error *err) {
    struct settings settings = {0};
    enum ca_status status = parse(&settings, argc, argv, err);
    if (status != CA_OK)
        return status;
    struct ca_writer rows = {.name = "text",
                             .write = settings.rows == CA_ROWS_THREADS ? write_thread_rows
                                                                       : write_process_rows};
    struct ca_loaded_record *loaded = calloc(1, sizeof *loaded);
    if (loaded == NULL)
        return ca_error_memory(err);
    status = ca_record_load(loaded, settings.path, err);
    if (status == CA_OK)
        status = ca_writer_write(settings.is_by_rows ? &rows : settings.writer, &loaded->record,
                                 STDOUT_FILENO, "standard output", err);
    if (status == CA_OK)
        *ret_exit = CA_EXIT_OK;
    ca_loaded_record_release(loaded);
    free(loaded);
    return status;
}

const struct ca_command ca_command_report = {
    .name = "report",
    .summary = "print a record again, in any format",
    .synopsis = "report [--by phase|thread|process] [--format F] RECORD|COUNTERFILE",
    .description = "Prints, on standard output, a record that 'countalloc run -o RECORD' wrote, or "
                   "the state of a\n"
                   "counter file (COUNTALLOC_FILE), whose program may still be running. '-' is "
                   "standard input.",
    .examples = "countalloc report r.json\n"
                "countalloc report --by thread r.json\n"
                "countalloc report --format json server.counters | jq .total.allocations",
    .exit_status = "0  printed\n"
                   "2  the file cannot be read or is no record",
    .options = &table,
    .failed_status = CA_EXIT_FAILED,
    .run = run,
};
