/* SPDX-License-Identifier: MIT */
#include "commands/run_options.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct ca_run_options run;
static struct ca_error err;

static enum ca_status parse(char **argv) {
    int argc = 0;
    while (argv[argc] != NULL)
        argc++;
    return ca_run_options_parse(&run, argc, argv, &err);
}

#define PARSE(...) parse((char *[]){(char *)(uintptr_t) "run", __VA_ARGS__, NULL})

Test(run_options, defaults) {
    char words[][8] = {"run", "--", "prog", "-o", "x"};
    char *argv[] = {words[0], words[1], words[2], words[3], words[4], NULL};
    cr_assert_eq(parse(argv), CA_OK);
    cr_assert_eq(run.repeat_count, 1);
    cr_assert_str_eq(run.program[0], "prog");
    cr_assert_str_eq(run.program[2], "x");
    cr_assert_eq(run.output_count, 0);
    cr_assert(run.wanted.is_live);
    cr_assert_not(run.is_quiet);
    cr_assert_not(run.is_uncounted_ok);
    cr_assert_eq(run.timeout_ns, 0);
    cr_assert_eq(run.region_bytes, 0);
}

Test(run_options, everything_given) {
    cr_assert_eq(PARSE("-o", "a.json", "--format=text=b", "--format", "json", "--name", "n",
                       "--units", "line=3", "--live", "off", "--allocator", "jemalloc", "--timeout",
                       "1.5", "--follow", "none", "--uncounted-ok", "-q", "--", "p"),
                 CA_OK, "%s", err.message);
    cr_assert_eq(run.output_count, 3);
    cr_assert_str_eq(run.outputs[0].path, "a.json");
    cr_assert_str_eq(run.outputs[0].writer->name, "json");
    cr_assert_str_eq(run.outputs[1].path, "b");
    cr_assert_str_eq(run.outputs[1].writer->name, "text");
    cr_assert_null(run.outputs[2].path);
    cr_assert_str_eq(run.name, "n");
    cr_assert_eq(run.units.units_count, 1);
    cr_assert_not(run.wanted.is_live);
    cr_assert_str_eq(run.allocator, "jemalloc");
    cr_assert_eq(run.timeout_ns, 1500000000u);
    cr_assert(run.is_uncounted_ok);
    cr_assert(run.is_quiet);
}

Test(run_options, program_needs_the_dashes) {
    cr_assert_eq(PARSE("prog"), CA_ERROR_USAGE);
    cr_assert_not_null(strstr(err.message, "countalloc run -- prog"));
    cr_assert_eq(PARSE("-q"), CA_ERROR_USAGE);
    cr_assert_eq(PARSE("--"), CA_ERROR_USAGE);
}

Test(run_options, unknown_format_lists_the_known_ones) {
    cr_assert_eq(PARSE("--format", "yaml", "--", "p"), CA_ERROR_USAGE);
    cr_assert_str_eq(err.message, "unknown format 'yaml'; known are: text, json, folded, svg");
}

Test(run_options, mistakes_are_usage_errors) {
    cr_assert_eq(PARSE("--format", "json=", "--", "p"), CA_ERROR_USAGE);
    cr_assert_eq(PARSE("--format", "json", "--format", "text", "--", "p"), CA_ERROR_USAGE);
    cr_assert_eq(PARSE("-o", "a", "--format", "text=a", "--", "p"), CA_ERROR_USAGE);
    cr_assert_eq(PARSE("-o", "", "--", "p"), CA_ERROR_USAGE);
    cr_assert_eq(PARSE("--name", "", "--", "p"), CA_ERROR_USAGE);
    cr_assert_eq(PARSE("--allocator", "", "--", "p"), CA_ERROR_USAGE);
    cr_assert_eq(PARSE("--live", "maybe", "--", "p"), CA_ERROR_USAGE);
    cr_assert_eq(PARSE("--timeout", "0", "--", "p"), CA_ERROR_USAGE);
    cr_assert_eq(PARSE("--timeout", "soon", "--", "p"), CA_ERROR_USAGE);
    cr_assert_eq(PARSE("--repeat", "0", "--", "p"), CA_ERROR_USAGE);
    cr_assert_eq(PARSE("--repeat", "many", "--", "p"), CA_ERROR_USAGE);
    cr_assert_str_eq(err.message, "'--repeat' is 1 to 100000, not 'many'");
}

Test(run_options, what_later_versions_have_is_refused) {
    const char *const later[] = {"--track"};
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        cr_assert_eq(PARSE((char *)(uintptr_t)later[i], "3", "--", "p"), CA_ERROR_USAGE, "%s",
                     later[i]);
        cr_assert_not_null(strstr(err.message, "not in this version"), "%s", err.message);
    }
    cr_assert_eq(PARSE("--follow", "all", "--", "p"), CA_ERROR_USAGE);
    cr_assert_not_null(strstr(err.message, "not in this version"));
}

Test(run_options, region_size_is_checked) {
    setenv("COUNTALLOC_REGION_BYTES", "16777216", 1);
    cr_assert_eq(PARSE("--", "p"), CA_OK);
    cr_assert_eq(run.region_bytes, 16777216);
    setenv("COUNTALLOC_REGION_BYTES", "1000", 1);
    cr_assert_eq(PARSE("--", "p"), CA_ERROR_USAGE);
}
