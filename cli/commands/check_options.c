/* SPDX-License-Identifier: MIT */
#include "commands/check_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum {
    OPTION_BUDGETS,
    OPTION_UPDATE,
    OPTION_STRICT,
    OPTION_FIT,
    OPTION_ALLOW_STATUS,
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTION_NAME,
    OPTION_UNITS,
    OPTION_LIVE,
    OPTION_SITES,
    OPTION_STACKS,
    OPTION_NO_DEBUGINFOD,
    OPTION_AGAINST,
    OPTION_ALLOCATOR,
    OPTION_TIMEOUT,
    OPTION_UNCOUNTED_OK,
    OPTION_BASE,
    OPTION_SELF_TEST
};

static const struct ca_option options[] = {
    {OPTION_BUDGETS, 'b', "budgets", CA_VALUE_NEEDED, "FILE", "the budget file, alloc-budgets.ini"},
    {OPTION_UPDATE, 0, "update", CA_VALUE_OPTIONAL, "all",
     "rewrite the numbers that can be lower; =all raises, too,\n"
     "where the section says why; writes nothing with CI set"},
    {OPTION_STRICT, 0, "strict", CA_VALUE_NONE, NULL,
     "fail, too, on budgets that are too large or have no record, and\n"
     "on phases without a budget"},
    {OPTION_BASE, 0, "base", CA_VALUE_NEEDED, "REF",
     "judge by the numbers that the budget file had at the merge base\n"
     "of HEAD and REF; higher ones in the file do not count"},
    {OPTION_AGAINST, 0, "against", CA_VALUE_NEEDED, "RECORD",
     "an older record with call sites: a budget that is over names\n"
     "the sites that are new or have grown; measures as --sites does;\n"
     "may be repeated, for other programs and platforms"},
    {OPTION_SELF_TEST, 0, "self-test", CA_VALUE_NONE, NULL,
     "run the program again with allocations added, and fail for a\n"
     "budget that did not notice"},
    {OPTION_FIT, 0, "fit", CA_VALUE_NONE, NULL,
     "find rate and fixed number from two records of different size;\n"
     "with --update writes them"},
    {OPTION_ALLOW_STATUS, 0, "allow-status", CA_VALUE_NEEDED, "N",
     "exit status N is no failure of the program; may be repeated"},
    {OPTION_FORMAT, 0, "format", CA_VALUE_NEEDED, "F[=FILE]",
     "write format F (text, json, junit, github, md) to FILE, or to\n"
     "standard output in place of the text, where the program's output\n"
     "goes to standard error with json, junit and md; may be repeated"},
    {OPTION_OUTPUT, 'o', NULL, CA_VALUE_NEEDED, "FILE", "write the program's record to FILE"},
    {OPTION_NAME, 0, "name", CA_VALUE_NEEDED, "NAME", "the program's name; default: its file name"},
    {OPTION_UNITS, 0, "units", CA_VALUE_NEEDED, "UNIT=N|UNIT=@FILE",
     "how many of UNIT the program does, or as many as FILE has lines;\n"
     "may be repeated"},
    {OPTION_LIVE, 0, "live", CA_VALUE_NEEDED, "on|off",
     "measure live and peak bytes (on), or not, which costs less (off)"},
    {OPTION_SITES, 0, "sites", CA_VALUE_NONE, NULL,
     "measure who allocates: a budget that is over names call sites"},
    {OPTION_STACKS, 0, "stacks", CA_VALUE_OPTIONAL, "DEPTH",
     "the same with who called them, up to DEPTH (32) frames"},
    {OPTION_NO_DEBUGINFOD, 0, "no-debuginfod", CA_VALUE_NONE, NULL,
     "download no debug information, even if DEBUGINFOD_URLS is set"},
    {OPTION_ALLOCATOR, 0, "allocator", CA_VALUE_NEEDED, "NAME|PATH",
     "let another allocator serve malloc, as for countalloc run"},
    {OPTION_TIMEOUT, 0, "timeout", CA_VALUE_NEEDED, "SECONDS",
     "end the program after so long; then it is not measured"},
    {OPTION_UNCOUNTED_OK, 0, "uncounted-ok", CA_VALUE_NONE, NULL,
     "judge a program of which only a part could be counted"},
};

const struct ca_option_table ca_check_option_table = {options, sizeof options / sizeof options[0]};

bool ca_check_output_is_standard(const struct ca_check_output *output) {
    return output->path == NULL || strcmp(output->path, "-") == 0;
}

bool ca_check_options_is_output_taken(const struct ca_check_options *check) {
    for (uint32_t i = 0; i < check->output_count; i++)
        if (check->outputs[i].format->is_document &&
            ca_check_output_is_standard(&check->outputs[i]))
            return true;
    return false;
}

static enum ca_status take_format(struct ca_check_options *check, const char *text,
                                  struct ca_error *err) {
    size_t name_length = strcspn(text, "=");
    const char *path = text[name_length] == '=' ? text + name_length + 1 : NULL;
    const struct ca_check_format *format;
    enum ca_status status = ca_check_format_find(text, name_length, &format, err);
    if (status != CA_OK)
        return status;
    if (path != NULL && path[0] == '\0')
        return ca_error_set(err, CA_ERROR_USAGE, "'--format %s' needs a file name after '='", text);
    if (check->output_count == CA_CHECK_OUTPUTS)
        return ca_error_set(err, CA_ERROR_USAGE, "more than %u outputs", CA_CHECK_OUTPUTS);
    for (uint32_t i = 0; i < check->output_count; i++) {
        const char *other = check->outputs[i].path;
        if (path == NULL && other == NULL)
            return ca_error_set(
                err, CA_ERROR_USAGE,
                "two formats go to standard output; write one to a file with --format F=FILE");
        if (path != NULL && other != NULL && strcmp(path, other) == 0)
            return ca_error_set(err, CA_ERROR_USAGE, "two outputs go to '%s'", path);
    }
    check->outputs[check->output_count++] = (struct ca_check_output){path, format};
    return CA_OK;
}

static enum ca_status take_update(struct ca_check_options *check, const char *value,
                                  struct ca_error *err) {
    check->is_update_wanted = true;
    if (value == NULL || strcmp(value, "lower") == 0)
        return CA_OK;
    check->is_update_all = strcmp(value, "all") == 0;
    return check->is_update_all
               ? CA_OK
               : ca_error_set(err, CA_ERROR_USAGE,
                              "'--update=%s' is not known: --update lowers numbers, --update=all "
                              "raises them, too",
                              value);
}

static enum ca_status take_status(struct ca_check_options *check, const char *value,
                                  struct ca_error *err) {
    uint64_t number;
    if (!ca_number_parse(value, &number) || number > 255)
        return ca_error_set(err, CA_ERROR_USAGE, "'--allow-status' is 0 to 255, not '%s'", value);
    if (check->allowed_count == CA_CHECK_STATUSES)
        return ca_error_set(err, CA_ERROR_USAGE, "more than %u times '--allow-status'",
                            CA_CHECK_STATUSES);
    check->allowed_status[check->allowed_count++] = (int)number;
    return CA_OK;
}

static enum ca_status take_against(struct ca_check_options *check, const char *path,
                                   struct ca_error *err) {
    if (check->against_count == CA_CHECK_AGAINST)
        return ca_error_set(err, CA_ERROR_USAGE, "more than %u times '--against'",
                            CA_CHECK_AGAINST);
    check->against[check->against_count++] = path;
    return CA_OK;
}

static enum ca_status take_run_option(struct ca_check_options *check,
                                      const struct ca_option *option, const char *value,
                                      struct ca_error *err) {
    switch (option->id) {
    case OPTION_OUTPUT:
        check->record_path = value;
        return CA_OK;
    case OPTION_NAME:
        check->name = value;
        return value[0] != '\0' ? CA_OK : ca_error_set(err, CA_ERROR_USAGE, "'--name' is empty");
    case OPTION_UNITS:
        return ca_units_option_take(&check->units, value, err);
    case OPTION_LIVE:
        return ca_wanted_take_live(&check->wanted, value, err);
    case OPTION_SITES:
        return ca_wanted_take_sites(&check->wanted, err);
    case OPTION_STACKS:
        return ca_wanted_take_stacks(&check->wanted, value, err);
    case OPTION_ALLOCATOR:
        check->allocator = value;
        return value[0] != '\0' ? CA_OK
                                : ca_error_set(err, CA_ERROR_USAGE, "'--allocator' is empty");
    case OPTION_TIMEOUT:
        if (ca_number_parse_seconds(value, &check->timeout_ns) && check->timeout_ns > 0)
            return CA_OK;
        return ca_error_set(
            err, CA_ERROR_USAGE,
            "'--timeout' is a number of seconds above 0, such as 30 or 0.5, not '%s'", value);
    default:
        return ca_error_set(err, CA_ERROR_USAGE, "option not understood");
    }
}

static enum ca_status take_option(struct ca_check_options *check, const struct ca_option *option,
                                  const char *value, struct ca_error *err) {
    switch (option->id) {
    case OPTION_BUDGETS:
        check->budgets = value;
        return CA_OK;
    case OPTION_UPDATE:
        return take_update(check, value, err);
    case OPTION_STRICT:
        check->is_strict = true;
        return CA_OK;
    case OPTION_BASE:
        check->base_ref = value;
        return CA_OK;
    case OPTION_AGAINST:
        return take_against(check, value, err);
    case OPTION_SELF_TEST:
        check->is_self_test_wanted = true;
        return CA_OK;
    case OPTION_FIT:
        check->is_fit_wanted = true;
        return CA_OK;
    case OPTION_ALLOW_STATUS:
        return take_status(check, value, err);
    case OPTION_FORMAT:
        return take_format(check, value, err);
    case OPTION_UNCOUNTED_OK:
        check->is_uncounted_ok = true;
        return CA_OK;
    case OPTION_NO_DEBUGINFOD:
        check->is_debuginfod_off = true;
        return CA_OK;
    default:
        return take_run_option(check, option, value, err);
    }
}

static enum ca_status check_purpose(const struct ca_check_options *check, struct ca_error *err) {
    bool is_changing = check->is_update_wanted || check->is_fit_wanted;
    if (check->base_ref != NULL && is_changing)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "--base judges a file as it is: leave out --update and --fit");
    if (!check->is_self_test_wanted)
        return CA_OK;
    if (check->program == NULL)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "--self-test runs the program again: give it after '--'");
    if (is_changing || check->base_ref != NULL || check->output_count > 0)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "--self-test is a check of its own: leave out --update, --fit, --base "
                            "and --format");
    return CA_OK;
}

static enum ca_status check_whole(const struct ca_check_options *check, struct ca_error *err) {
    if (check->budgets == NULL)
        return ca_error_set(err, CA_ERROR_USAGE, "no budgets given: -b alloc-budgets.ini");
    if (check->program == NULL && check->record_count == 0)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "nothing to judge: give records, or a program after '--'");
    if (check->program != NULL && check->record_count > 0)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "both records ('%s') and a program: give one or the other",
                            check->records[0]);
    bool is_for_run = check->record_path != NULL || check->name != NULL ||
                      check->units.units_count > 0 || check->timeout_ns > 0 ||
                      !check->wanted.is_live || check->allocator != NULL ||
                      check->wanted.stack_depth > 0;
    if (check->program == NULL && is_for_run)
        return ca_error_set(
            err, CA_ERROR_USAGE,
            "-o, --name, --units, --live, --sites, --stacks, --allocator and --timeout are for a "
            "program, not for records");
    return check_purpose(check, err);
}

static enum ca_status walk_options(struct ca_check_options *check, int argc, char **argv,
                                   struct ca_error *err) {
    struct ca_option_walk walk;
    struct ca_option_found found;
    ca_option_walk_init(&walk, &ca_check_option_table, argc, argv);
    enum ca_status status;
    while ((status = ca_option_next(&walk, &found, err)) == CA_OK) {
        if (found.option == NULL && found.value == NULL)
            break;
        if (found.option == NULL)
            check->records[check->record_count++] = found.value;
        else if ((status = take_option(check, found.option, found.value, err)) != CA_OK)
            return status;
    }
    if (status == CA_OK && walk.is_separated) {
        if (walk.at >= argc)
            return ca_error_set(err, CA_ERROR_USAGE, "no program after '--'");
        check->program = argv + walk.at;
    }
    return status;
}

enum ca_status ca_check_options_parse(struct ca_check_options *ret_options, int argc, char **argv,
                                      struct ca_error *err) {
    *ret_options = (struct ca_check_options){.wanted = {.is_live = true}};
    ret_options->records = calloc((size_t)argc + 1, sizeof *ret_options->records);
    if (ret_options->records == NULL)
        return ca_error_memory(err);
    enum ca_status status = walk_options(ret_options, argc, argv, err);
    return status == CA_OK ? check_whole(ret_options, err) : status;
}
