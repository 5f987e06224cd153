/* SPDX-License-Identifier: MIT */
#include "commands/run_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum {
    OPTION_OUTPUT,
    OPTION_FORMAT,
    OPTION_NAME,
    OPTION_UNITS,
    OPTION_LIVE,
    OPTION_SITES,
    OPTION_STACKS,
    OPTION_SAMPLE,
    OPTION_SYMBOLS,
    OPTION_NO_DEBUGINFOD,
    OPTION_ALLOCATOR,
    OPTION_TIMEOUT,
    OPTION_FOLLOW,
    OPTION_REPEAT,
    OPTION_UNCOUNTED_OK,
    OPTION_QUIET,
    OPTION_RESERVED
};

static const struct ca_option options[] = {
    {OPTION_OUTPUT, 'o', NULL, CA_VALUE_NEEDED, "FILE", "write the record, as JSON, to FILE"},
    {OPTION_FORMAT, 0, "format", CA_VALUE_NEEDED, "F[=FILE]",
     "write format F (text, json, or folded or svg, which want call\n"
     "sites) to FILE; without FILE it replaces the report on standard\n"
     "error; may be repeated"},
    {OPTION_NAME, 0, "name", CA_VALUE_NEEDED, "NAME",
     "the program's name in the record; default: its file name"},
    {OPTION_UNITS, 0, "units", CA_VALUE_NEEDED, "UNIT=N|UNIT=@FILE",
     "also report per UNIT, of which there are N, or as many as FILE\n"
     "has lines; may be repeated"},
    {OPTION_LIVE, 0, "live", CA_VALUE_NEEDED, "on|off",
     "measure live and peak bytes (on), or not, which costs less (off)"},
    {OPTION_SITES, 0, "sites", CA_VALUE_NONE, NULL,
     "also count by the place in the program that allocates"},
    {OPTION_STACKS, 0, "stacks", CA_VALUE_OPTIONAL, "DEPTH",
     "also count by call stack, up to DEPTH frames (32); for programs\n"
     "built with frame pointers (-fno-omit-frame-pointer)"},
    {OPTION_SAMPLE, 0, "sample", CA_VALUE_OPTIONAL, "BYTES",
     "estimate who allocates, from a whole stack once in BYTES\n"
     "allocated (512k); for programs without frame pointers"},
    {OPTION_SYMBOLS, 0, "symbols", CA_VALUE_NEEDED, "on|off",
     "look up functions, files and lines of call sites (on), or not"},
    {OPTION_NO_DEBUGINFOD, 0, "no-debuginfod", CA_VALUE_NONE, NULL,
     "download no debug information, even if DEBUGINFOD_URLS is set"},
    {OPTION_ALLOCATOR, 0, "allocator", CA_VALUE_NEEDED, "NAME|PATH",
     "let jemalloc, mimalloc, tcmalloc, jemalloc-inside, libc or the\n"
     "library at PATH serve malloc, and say how it stands at the end"},
    {OPTION_TIMEOUT, 0, "timeout", CA_VALUE_NEEDED, "SECONDS",
     "end the program after so long: TERM, then KILL 2 s later"},
    {OPTION_FOLLOW, 0, "follow", CA_VALUE_NEEDED, "none",
     "which child processes to count; this version knows none"},
    {OPTION_REPEAT, 0, "repeat", CA_VALUE_NEEDED, "N",
     "run the program N times and say what was not the same each time"},
    {OPTION_UNCOUNTED_OK, 0, "uncounted-ok", CA_VALUE_NONE, NULL,
     "run the program even if it cannot be counted, and pass its\n"
     "exit status on"},
    {OPTION_QUIET, 'q', NULL, CA_VALUE_NONE, NULL,
     "no report on standard error; warnings and errors stay"},
    {OPTION_RESERVED, 0, "track", CA_VALUE_NONE, NULL, NULL},
};

const struct ca_option_table ca_run_option_table = {options, sizeof options / sizeof options[0]};

static enum ca_status add_output(struct ca_run_options *run, const struct ca_writer *writer,
                                 const char *path, struct ca_error *err) {
    if (run->output_count == CA_RUN_OUTPUTS)
        return ca_error_set(err, CA_ERROR_USAGE, "more than %u outputs", CA_RUN_OUTPUTS);
    for (uint32_t i = 0; i < run->output_count; i++) {
        const char *other = run->outputs[i].path;
        if (path != NULL && other != NULL && strcmp(path, other) == 0 &&
            strncmp(path, "/dev/", 5) != 0)
            return ca_error_set(err, CA_ERROR_USAGE, "two outputs go to '%s'", path);
        if (path == NULL && other == NULL)
            return ca_error_set(
                err, CA_ERROR_USAGE,
                "two formats go to standard error; write one to a file with --format F=FILE");
    }
    run->outputs[run->output_count++] = (struct ca_run_output){path, writer};
    return CA_OK;
}

static enum ca_status take_output(struct ca_run_options *run, const char *path,
                                  struct ca_error *err) {
    const struct ca_writer *json = NULL;
    enum ca_status status = ca_writer_find("json", 4, &json, err);
    if (status == CA_OK && path[0] == '\0')
        status = ca_error_set(err, CA_ERROR_USAGE, "'-o' needs a file name");
    return status == CA_OK ? add_output(run, json, path, err) : status;
}

static enum ca_status take_format(struct ca_run_options *run, const char *text,
                                  struct ca_error *err) {
    size_t name_length = strcspn(text, "=");
    const char *path = text[name_length] == '=' ? text + name_length + 1 : NULL;
    const struct ca_writer *writer;
    enum ca_status status = ca_writer_find(text, name_length, &writer, err);
    if (status != CA_OK)
        return status;
    if (path != NULL && path[0] == '\0')
        return ca_error_set(err, CA_ERROR_USAGE, "'--format %s' needs a file name after '='", text);
    if (path == NULL && writer->is_binary)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "'%s' is a binary format: write it to a file with --format %s=FILE",
                            writer->name, writer->name);
    return add_output(run, writer, path, err);
}

static enum ca_status take_repeat(struct ca_run_options *run, const char *text,
                                  struct ca_error *err) {
    uint64_t number;
    if (!ca_number_parse(text, &number) || number == 0 || number > CA_RUN_REPEATS)
        return ca_error_set(err, CA_ERROR_USAGE, "'--repeat' is 1 to %u, not '%s'", CA_RUN_REPEATS,
                            text);
    run->repeat_count = (uint32_t)number;
    return CA_OK;
}

static enum ca_status take_option(struct ca_run_options *run, const struct ca_option *option,
                                  const char *value, struct ca_error *err) {
    switch (option->id) {
    case OPTION_OUTPUT:
        return take_output(run, value, err);
    case OPTION_FORMAT:
        return take_format(run, value, err);
    case OPTION_NAME:
        run->name = value;
        return value[0] != '\0' ? CA_OK : ca_error_set(err, CA_ERROR_USAGE, "'--name' is empty");
    case OPTION_UNITS:
        return ca_units_option_take(&run->units, value, err);
    case OPTION_LIVE:
        return ca_wanted_take_live(&run->wanted, value, err);
    case OPTION_SITES:
        return ca_wanted_take_sites(&run->wanted, err);
    case OPTION_STACKS:
        return ca_wanted_take_stacks(&run->wanted, value, err);
    case OPTION_SAMPLE:
        return ca_wanted_take_sample(&run->wanted, value, err);
    case OPTION_SYMBOLS:
        return ca_wanted_take_symbols(&run->symbols, value, err);
    case OPTION_NO_DEBUGINFOD:
        run->symbols.is_debuginfod_off = true;
        return CA_OK;
    case OPTION_ALLOCATOR:
        run->allocator = value;
        return value[0] != '\0' ? CA_OK
                                : ca_error_set(err, CA_ERROR_USAGE, "'--allocator' is empty");
    case OPTION_TIMEOUT:
        if (ca_number_parse_seconds(value, &run->timeout_ns) && run->timeout_ns > 0)
            return CA_OK;
        return ca_error_set(
            err, CA_ERROR_USAGE,
            "'--timeout' is a number of seconds above 0, such as 30 or 0.5, not '%s'", value);
    case OPTION_FOLLOW:
        if (strcmp(value, "none") == 0)
            return CA_OK;
        return ca_error_set(err, CA_ERROR_USAGE,
                            "'--follow %s' is not in this version; it knows 'none'", value);
    case OPTION_REPEAT:
        return take_repeat(run, value, err);
    case OPTION_UNCOUNTED_OK:
        run->is_uncounted_ok = true;
        return CA_OK;
    case OPTION_QUIET:
        run->is_quiet = true;
        return CA_OK;
    default:
        return ca_error_set(err, CA_ERROR_USAGE, "option not understood");
    }
}

/* For tests: a small region shows what happens when tables fill up. */
static enum ca_status take_region_bytes(struct ca_run_options *run, struct ca_error *err) {
    const char *text = getenv("COUNTALLOC_REGION_BYTES");
    uint64_t bytes;
    run->region_bytes = 0;
    if (text == NULL || text[0] == '\0')
        return CA_OK;
    if (!ca_number_parse(text, &bytes) || bytes < CA_REGION_BYTES_MIN || bytes > 1u << 30)
        return ca_error_set(err, CA_ERROR_USAGE, "COUNTALLOC_REGION_BYTES is %zu to %u, not '%s'",
                            CA_REGION_BYTES_MIN, 1u << 30, text);
    run->region_bytes = (size_t)bytes;
    return CA_OK;
}

enum ca_status ca_run_options_parse(struct ca_run_options *ret_options, int argc, char **argv,
                                    struct ca_error *err) {
    struct ca_run_options *run = ret_options;
    *run = (struct ca_run_options){.wanted = {.is_live = true}, .repeat_count = 1};
    struct ca_option_walk walk;
    struct ca_option_found found;
    ca_option_walk_init(&walk, &ca_run_option_table, argc, argv);
    enum ca_status status;
    while ((status = ca_option_next(&walk, &found, err)) == CA_OK) {
        if (found.option == NULL && found.value != NULL)
            return ca_error_set(
                err, CA_ERROR_USAGE,
                "'%s' stands where an option was expected; write '--' before the program: "
                "countalloc run -- %s",
                found.value, found.value);
        if (found.option == NULL)
            break;
        if ((status = take_option(run, found.option, found.value, err)) != CA_OK)
            return status;
    }
    if (status != CA_OK)
        return status;
    if (!walk.is_separated || walk.at >= argc)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "no program given; write it after '--': countalloc run -- PROGRAM");
    run->program = argv + walk.at;
    return take_region_bytes(run, err);
}
