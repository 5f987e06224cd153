/* SPDX-License-Identifier: MIT */
#include "budget_fixture.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "budget/budget_update.h"

#define MUSL "linux-x86_64-musl-musl"

static struct ca_budget_plan *planned(const char *budgets, enum ca_update_mode mode,
                                      struct ca_record *const *records) {
    struct ca_budget_file *file = budgets_of(budgets);
    struct ca_judgement *judgement = judged_as(file, &(struct ca_judge_options){0}, records);
    struct ca_budget_plan *plan = kept(calloc(1, sizeof *plan));
    struct ca_error err = {""};
    enum ca_status status = ca_budget_plan_update(file, judgement, mode, plan, &err);
    cr_assert_eq(status, CA_OK, "%s", err.message);
    cr_assert_eq(strlen(plan->text), plan->byte_count);
    return plan;
}

static void expect_text(const char *budgets, enum ca_update_mode mode,
                        struct ca_record *const *records, const char *expected) {
    cr_expect_str_eq(planned(budgets, mode, records)->text, expected);
}

static void expect_refused(const char *budgets, struct ca_record *record, const char *expected) {
    struct ca_budget_file *file = budgets_of(budgets);
    struct ca_judgement *judgement =
        judged_as(file, &(struct ca_judge_options){0}, RECORDS(record));
    struct ca_budget_plan plan = {.edit_count = 77};
    struct ca_error err = {""};
    cr_assert_eq(ca_budget_plan_update(file, judgement, CA_UPDATE_ALL, &plan, &err),
                 CA_ERROR_INPUT);
    cr_assert_str_eq(err.message, expected);
    cr_assert_eq(plan.edit_count, 77);
}

Test(budget_update, only_the_digits_of_one_number_change) {
    expect_text(
        "\xef\xbb\xbf; top\r\n[p/scan]\r\n\tper = line ; u\r\n rate  =\t2   ; two\r\n fixed = 1000 "
        " "
        "; many # x\r\n; end\r\n\r\n[q/x]\nfixed = 1000",
        CA_UPDATE_LOWER, RECORDS(new_record("p", KEY, 205, 100)),
        "\xef\xbb\xbf; top\r\n[p/scan]\r\n\tper = line ; u\r\n rate  =\t2   ; two\r\n fixed = 5  "
        "; many # x\r\n; end\r\n\r\n[q/x]\nfixed = 1000");
}

Test(budget_update, an_edit_says_what_it_does) {
    struct ca_budget_plan *plan = planned("[p/scan]\nper = line\nfixed = 9\n", CA_UPDATE_LOWER,
                                          RECORDS(new_record("p", KEY, 5, 100)));
    cr_assert_eq(plan->edit_count, 1);
    cr_assert_eq(plan->edits[0].line, 3);
    cr_assert_eq(plan->edits[0].before.numerator, 9);
    cr_assert_eq(plan->edits[0].after.numerator, 5);
    cr_assert_not(plan->edits[0].is_raise);
    cr_assert_not(plan->edits[0].is_inserted);
    cr_assert_eq(plan->remark_count, 0);
}

Test(budget_update, lowering_raises_nothing) {
    static const char budgets[] = "[p/scan]\nfixed = 3\n[p/total]\nfixed = 99\n";
    struct ca_budget_plan *plan =
        planned(budgets, CA_UPDATE_LOWER, RECORDS(new_record("p", KEY, 5, 0)));
    cr_assert_str_eq(plan->text, "[p/scan]\nfixed = 3\n[p/total]\nfixed = 12\n");
    cr_assert_eq(plan->remark_count, 1);
    cr_assert_str_eq(plan->remarks[0],
                     "b.ini:2: [p/scan]: fixed stays 3: it would have to be 5, and "
                     "only --update=all raises a number");
}

Test(budget_update, what_is_ok_stays_as_it_is) {
    static const char budgets[] = "[p/scan]\nfixed = 10\ntolerance = 2\nwhy = x\n";
    expect_text(budgets, CA_UPDATE_ALL, RECORDS(new_record("p", KEY, 12, 0)), budgets);
    expect_text(budgets, CA_UPDATE_ALL, RECORDS(new_record("p", KEY, 8, 0)), budgets);
    expect_text(budgets, CA_UPDATE_LOWER, RECORDS(new_record("p", KEY, 7, 0)),
                "[p/scan]\nfixed = 7\ntolerance = 2\nwhy = x\n");
}

Test(budget_update, a_rate_that_allows_more_than_was_measured_wants_a_fit) {
    static const char budgets[] = "[p/scan]\nper = line\nrate = 2\nfixed = 40\n";
    struct ca_budget_plan *plan =
        planned(budgets, CA_UPDATE_LOWER, RECORDS(new_record("p", KEY, 199, 100)));
    cr_assert_str_eq(plan->text, budgets);
    cr_assert_eq(plan->edit_count, 0);
    cr_assert_eq(plan->remark_count, 1);
    cr_assert_str_eq(
        plan->remarks[0],
        "b.ini:4: [p/scan]: fixed stays: the rate alone allows more than was measured; --fit "
        "with records of two sizes finds a lower rate");
}

Test(budget_update, a_number_rises_with_a_reason_only) {
    expect_text("[p/scan]\nfixed = 3\nwhy = a cache\n", CA_UPDATE_ALL,
                RECORDS(new_record("p", KEY, 1003, 0)), "[p/scan]\nfixed = 1003\nwhy = a cache\n");
    expect_refused(
        "[p/scan]\nfixed = 3\n[p/total]\nfixed = 1\nwhy = x\n[p/main]\nfixed = 0\n",
        new_record("p", KEY, 1003, 0),
        "b.ini:2: [p/scan]: fixed would rise from 3 to 1003\n"
        "b.ini:7: [p/main]: fixed would rise from 0 to 7\n"
        "a number rises only for a reason: add a line 'why = ...' to the section; nothing was "
        "written");
}

Test(budget_update, a_rate_between_counts_leaves_a_whole_number) {
    expect_text("[p/scan]\nper = line\nrate = 1/3\nfixed = 9\n", CA_UPDATE_LOWER,
                RECORDS(new_record("p", KEY, 335, 1000)),
                "[p/scan]\nper = line\nrate = 1/3\nfixed = 2\n");
}

Test(budget_update, a_missing_line_is_added_in_the_style_of_the_last) {
    struct ca_record *const *records = RECORDS(new_record("p", KEY, 5, 4));
    expect_text(
        "[p/scan]\nper   = line\nrate  = 0  ; none\nwhy   = because\n\n; next\n[q/x]\nfixed = 1\n",
        CA_UPDATE_ALL, records,
        "[p/scan]\nper   = line\nrate  = 0  ; none\nwhy   = because\nfixed = 5\n\n; next\n"
        "[q/x]\nfixed = 1\n");
    expect_text("[p/scan]\r\nper=line\r\nwhy=x\r\n\trate=1", CA_UPDATE_ALL, records,
                "[p/scan]\r\nper=line\r\nwhy=x\r\n\trate=1\r\n\tfixed=1");
    expect_text("[p/scan]\nper = line\nrate = 0\nbytes.rate = 0\nwhy = x\n", CA_UPDATE_ALL, records,
                "[p/scan]\nper = line\nrate = 0\nbytes.rate = 0\nwhy = x\nfixed = 5\nbytes.fixed = "
                "100\n");
    expect_text("[p/scan]\nfixed = 9\n[p/scan@glibc]", CA_UPDATE_LOWER, records,
                "[p/scan]\nfixed = 9\n[p/scan@glibc]\nfixed = 5");
}

Test(budget_update, an_added_line_ends_as_its_neighbours_do) {
    expect_text(
        "; top\n[p/scan]\r\nper = line\r\nrate = 1\r\nwhy = x\r\n\r\n; end\r\n", CA_UPDATE_ALL,
        RECORDS(new_record("p", KEY, 5, 4)),
        "; top\n[p/scan]\r\nper = line\r\nrate = 1\r\nwhy = x\r\nfixed = 1\r\n\r\n; end\r\n");
}

Test(budget_update, the_narrowest_section_is_changed) {
    expect_text(
        "[p/scan]\nfixed = 9\n[p/scan@glibc]\nwhy = x\n[p/scan@musl]\nfixed = 8\n", CA_UPDATE_LOWER,
        RECORDS(new_record("p", KEY, 5, 4)),
        "[p/scan]\nfixed = 9\n[p/scan@glibc]\nwhy = x\nfixed = 5\n[p/scan@musl]\nfixed = 8\n");
}

Test(budget_update, records_of_many_platforms_share_the_largest) {
    struct ca_record *const *records =
        RECORDS(new_record("p", KEY, 5, 4), new_record("p", MUSL, 7, 4));
    expect_text("[p/scan]\nfixed = 9\n", CA_UPDATE_LOWER, records, "[p/scan]\nfixed = 7\n");
    expect_text("[p/scan]\nfixed = 3\nwhy = x\n", CA_UPDATE_ALL, records,
                "[p/scan]\nfixed = 7\nwhy = x\n");
    expect_text("[p/scan]\nfixed = 9\n[p/scan@musl]\nfixed = 8\n", CA_UPDATE_LOWER, records,
                "[p/scan]\nfixed = 5\n[p/scan@musl]\nfixed = 7\n");
    /* musl's section inherits the number, so it may not fall below what musl needs. */
    expect_text("[p/scan]\nfixed = 7\n[p/scan@musl]\nwhy = x\n", CA_UPDATE_LOWER, records,
                "[p/scan]\nfixed = 7\n[p/scan@musl]\nwhy = x\n");
}

Test(budget_update, a_budget_with_an_unmeasured_record_stays) {
    struct ca_record *failed = new_record("p", MUSL, 5, 4);
    failed->exit_status = 1;
    struct ca_budget_plan *plan = planned("[p/scan]\nfixed = 9\n", CA_UPDATE_LOWER,
                                          RECORDS(new_record("p", KEY, 5, 4), failed));
    cr_assert_eq(plan->edit_count, 0);
    cr_assert_eq(plan->remark_count, 1);
    cr_assert_str_eq(
        plan->remarks[0],
        "b.ini:2: [p/scan]: fixed stays: one of the records of this budget was not measured");
}

Test(budget_update, the_edges_of_64_bits_are_written) {
    expect_text("[p/scan]\nper = line\nrate = 18446744073709551615\nfixed = 1\n", CA_UPDATE_LOWER,
                RECORDS(new_record("p", KEY, 5, UINT64_MAX)),
                "[p/scan]\nper = line\nrate = 18446744073709551615\nfixed = 1\n");
    expect_text("[p/scan]\nfixed = 0\nwhy = x\n", CA_UPDATE_ALL,
                RECORDS(new_record("p", KEY, UINT64_MAX, 1)),
                "[p/scan]\nfixed = 18446744073709551615\nwhy = x\n");
}

Test(budget_update, ci_is_where_it_is_set_and_not_empty) {
    unsetenv("CI");
    cr_assert_not(ca_budget_is_read_only());
    setenv("CI", "", 1);
    cr_assert_not(ca_budget_is_read_only());
    setenv("CI", "true", 1);
    cr_assert(ca_budget_is_read_only());
}

/* ---- writing ---- */

static char directory[] = "/tmp/countalloc-budget-XXXXXX";

static const char *path_of(const char *name) {
    static char paths[4][200];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static void put_file(const char *path, const char *text) {
    FILE *stream = fopen(path, "w");
    cr_assert_not_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static void assert_file(const char *path, const char *expected) {
    char text[1000] = "";
    FILE *stream = fopen(path, "r");
    cr_assert_not_null(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    cr_assert_str_eq(text, expected);
}

static enum ca_status update_file(const char *path, const char *meanwhile, struct ca_error *err) {
    struct ca_budget_file file;
    struct ca_judgement judgement;
    struct ca_budget_plan plan;
    struct ca_subject subject = {.record = new_record("p", KEY, 5, 4)};
    cr_assert_eq(ca_budget_file_read(&file, path, err), CA_OK);
    cr_assert_eq(
        ca_budget_judge(&file, &subject, 1, &(struct ca_judge_options){0}, &judgement, err), CA_OK);
    cr_assert_eq(ca_budget_plan_update(&file, &judgement, CA_UPDATE_LOWER, &plan, err), CA_OK);
    if (meanwhile != NULL)
        put_file(path, meanwhile);
    enum ca_status status = ca_budget_plan_write(&file, &plan, err);
    ca_budget_plan_release(&plan);
    ca_judgement_release(&judgement);
    ca_budget_file_release(&file);
    return status;
}

static void remove_directory(void) {
    static const char *const names[] = {"b.ini", "link.ini"};
    for (size_t i = 0; i < 2; i++)
        unlink(path_of(names[i]));
    cr_assert_eq(rmdir(directory), 0, "files were left in %s", directory);
}

Test(budget_write, the_mode_and_a_symbolic_link_stay) {
    struct ca_error err = {""};
    struct stat facts;
    cr_assert_not_null(mkdtemp(directory));
    put_file(path_of("b.ini"), "[p/scan]\nfixed = 9\n");
    cr_assert_eq(chmod(path_of("b.ini"), 0640), 0);
    cr_assert_eq(symlink("b.ini", path_of("link.ini")), 0);
    cr_assert_eq(update_file(path_of("link.ini"), NULL, &err), CA_OK, "%s", err.message);
    assert_file(path_of("b.ini"), "[p/scan]\nfixed = 5\n");
    cr_assert_eq(stat(path_of("b.ini"), &facts), 0);
    cr_assert_eq(facts.st_mode & 07777, 0640);
    cr_assert_eq(lstat(path_of("link.ini"), &facts), 0);
    cr_assert(S_ISLNK(facts.st_mode));
    remove_directory();
}

Test(budget_write, a_file_that_changed_meanwhile_is_left_alone) {
    struct ca_error err = {""};
    char expected[300];
    cr_assert_not_null(mkdtemp(directory));
    put_file(path_of("b.ini"), "[p/scan]\nfixed = 9\n");
    cr_assert_eq(update_file(path_of("b.ini"), "[p/scan]\nfixed = 8\n", &err), CA_ERROR_SYSTEM);
    snprintf(expected, sizeof expected,
             "'%s/b.ini' has changed since it was read: nothing was written; try again", directory);
    cr_assert_str_eq(err.message, expected);
    assert_file(path_of("b.ini"), "[p/scan]\nfixed = 8\n");
    remove_directory();
}

Test(budget_write, a_plan_without_edits_touches_nothing) {
    struct ca_budget_file file = {.path = "/nonexistent/b.ini"};
    struct ca_budget_plan plan = {.text = NULL};
    struct ca_error err = {""};
    cr_assert_eq(ca_budget_plan_write(&file, &plan, &err), CA_OK);
    plan.edit_count = 1;
    cr_assert_eq(ca_budget_plan_write(&file, &plan, &err), CA_ERROR_SYSTEM);
    cr_assert_str_eq(err.message,
                     "cannot write '/nonexistent/b.ini': No such file or directory; it "
                     "is as it was");
    file.path = "-";
    cr_assert_eq(ca_budget_plan_write(&file, &plan, &err), CA_ERROR_USAGE);
}
