/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

enum {
    QUIET,
    OUTPUT,
    NAME,
    STACKS,
    LATER
};

static const struct ca_option options[] = {
    {QUIET, 'q', "quiet", CA_VALUE_NONE, NULL, "say less"},
    {OUTPUT, 'o', NULL, CA_VALUE_NEEDED, "FILE", "write there"},
    {NAME, 0, "name", CA_VALUE_NEEDED, "NAME", "call it so"},
    {STACKS, 0, "stacks", CA_VALUE_OPTIONAL, "DEPTH", "with stacks"},
    {LATER, 0, "later", CA_VALUE_NONE, NULL, NULL},
};
static const struct ca_option_table table = {options, sizeof options / sizeof options[0]};
static struct ca_option_walk walk;
static struct ca_option_found found;
static struct ca_error err;

static void begin(char **argv) {
    int argc = 0;
    while (argv[argc] != NULL)
        argc++;
    ca_option_walk_init(&walk, &table, argc, argv);
}

#define BEGIN(...) begin((char *[]){(char *)(uintptr_t) "x", __VA_ARGS__, NULL})

static void expect(int id, const char *value) {
    cr_assert_eq(ca_option_next(&walk, &found, &err), CA_OK, "%s", err.message);
    cr_assert_not_null(found.option);
    cr_assert_eq(found.option->id, id);
    if (value == NULL)
        cr_assert_null(found.value);
    else
        cr_assert_str_eq(found.value, value);
}

Test(options, values_are_taken_in_every_form) {
    BEGIN("-q", "-o", "a", "-ob", "--name", "c", "--name=d", "--name=", "--stacks", "--stacks=3",
          "-qoe");
    expect(QUIET, NULL);
    expect(OUTPUT, "a");
    expect(OUTPUT, "b");
    expect(NAME, "c");
    expect(NAME, "d");
    expect(NAME, "");
    expect(STACKS, NULL);
    expect(STACKS, "3");
    expect(QUIET, NULL);
    expect(OUTPUT, "e");
    cr_assert_eq(ca_option_next(&walk, &found, &err), CA_OK);
    cr_assert_null(found.option);
    cr_assert_null(found.value);
}

Test(options, two_dashes_end_them) {
    BEGIN("-q", "--", "-q");
    expect(QUIET, NULL);
    cr_assert_eq(ca_option_next(&walk, &found, &err), CA_OK);
    cr_assert_null(found.value);
    cr_assert(walk.is_separated);
    cr_assert_eq(walk.at, 3);
}

Test(options, other_words_and_one_dash_are_operands) {
    BEGIN("file", "-");
    cr_assert_eq(ca_option_next(&walk, &found, &err), CA_OK);
    cr_assert_str_eq(found.value, "file");
    cr_assert_eq(ca_option_next(&walk, &found, &err), CA_OK);
    cr_assert_str_eq(found.value, "-");
    cr_assert_null(found.option);
}

Test(options, help_is_known_to_all) {
    BEGIN("--help");
    cr_assert_eq(ca_option_next(&walk, &found, &err), CA_HELP_WANTED);
    BEGIN("-qh");
    expect(QUIET, NULL);
    cr_assert_eq(ca_option_next(&walk, &found, &err), CA_HELP_WANTED);
}

Test(options, mistakes_are_usage_errors) {
    const char *const bad[] = {"-x", "--nmae", "--quiet=1", "-o", "--name", "--later", "--", "---"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        BEGIN((char *)(uintptr_t)bad[i]);
        cr_assert_eq(ca_option_next(&walk, &found, &err),
                     strcmp(bad[i], "--") == 0 ? CA_OK : CA_ERROR_USAGE, "%s", bad[i]);
    }
    BEGIN("--nmae");
    ca_option_next(&walk, &found, &err);
    cr_assert_str_eq(err.message, "unknown option '--nmae'; did you mean '--name'?");
    BEGIN("--later");
    ca_option_next(&walk, &found, &err);
    cr_assert_str_eq(err.message, "'--later' is not in this version");
}
