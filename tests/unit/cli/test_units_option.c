/* SPDX-License-Identifier: MIT */
#include "commands/units_option.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>

#include "temporary_folder.h"

static struct ca_given_units given;
static struct ca_error err;

TestSuite(units_option, .init = temporary_folder_enter, .fini = temporary_folder_remove);

static uint64_t lines_of(const char *text) {
    given.units_count = 0;
    temporary_file("lines", text, strlen(text), 0644);
    cr_assert_eq(ca_units_option_take(&given, "line=@lines", &err), CA_OK, "%s", err.message);
    return given.units[0].unit_count;
}

Test(units_option, number_is_taken) {
    cr_assert_eq(ca_units_option_take(&given, "request=1000000", &err), CA_OK);
    cr_assert_str_eq(given.units[0].name, "request");
    cr_assert_eq(given.units[0].unit_count, 1000000);
}

Test(units_option, lines_are_counted_with_a_last_one_that_does_not_end) {
    cr_assert_eq(lines_of(""), 0);
    cr_assert_eq(lines_of("\n"), 1);
    cr_assert_eq(lines_of("a\nb\n"), 2);
    cr_assert_eq(lines_of("a\nb"), 2);
    cr_assert_eq(lines_of("\r\n\n\nx"), 4);
}

Test(units_option, long_lines_are_counted_across_blocks) {
    static char text[300001];
    memset(text, 'x', sizeof text - 1);
    text[65535] = text[65536] = text[131071] = '\n';
    cr_assert_eq(lines_of(text), 4);
}

Test(units_option, mistakes_are_told) {
    const char *const bad[] = {
        "line",    "line=", "=3",   "line=-1", "line=1.5",
        "line=3x", "a/b=3", "a]=3", "a\n=3",   "a-name-that-has-32-bytes-or-more=1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_eq(ca_units_option_take(&given, bad[i], &err), CA_ERROR_USAGE, "%s", bad[i]);
    cr_assert_eq(ca_units_option_take(&given, "line=@absent", &err), CA_ERROR_INPUT);
    cr_assert_not_null(strstr(err.message, "absent"));
    cr_assert_eq(ca_units_option_take(&given, "line=@.", &err), CA_ERROR_INPUT);
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    cr_assert_eq(given.units_count, 0);
}

Test(units_option, at_most_four_and_each_once) {
    const char *const four[] = {"a=1", "b=2", "c=3", "d=4"};
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(ca_units_option_take(&given, four[i], &err), CA_OK);
    cr_assert_eq(ca_units_option_take(&given, "e=5", &err), CA_ERROR_USAGE);
    given.units_count = 1;
    cr_assert_eq(ca_units_option_take(&given, "a=5", &err), CA_ERROR_USAGE);
}

Test(units_option, apply_to_the_total_and_to_phases_without_them) {
    static struct ca_record record;
    struct ca_record_phase phases[2] = {{.name = "scan", .units = {{"line", 7}}, .units_count = 1},
                                        {.name = "report"}};
    record.phases = phases;
    record.phase_count = 2;
    record.total_units[0] = (struct ca_units){"line", 7};
    record.total_units_count = 1;
    ca_units_option_take(&given, "line=10", &err);
    ca_units_option_take(&given, "request=5", &err);
    ca_units_option_apply(&given, &record);
    cr_assert_eq(record.total_units_count, 2);
    cr_assert_eq(record.total_units[0].unit_count, 10);
    cr_assert_eq(record.total_units[1].unit_count, 5);
    cr_assert_eq(phases[0].units_count, 2);
    cr_assert_eq(phases[0].units[0].unit_count, 7);
    cr_assert_eq(phases[1].units_count, 2);
    cr_assert_eq(phases[1].units[0].unit_count, 10);
    cr_assert_eq(record.note_count, 0);
}
