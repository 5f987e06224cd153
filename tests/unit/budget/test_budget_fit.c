/* SPDX-License-Identifier: MIT */
#include "budget_fixture.h"

#include "budget/budget_update.h"

#define MUSL "linux-x86_64-musl-musl"

static enum ca_status fit(const char *budgets, enum ca_update_mode mode,
                          struct ca_record *const *records, struct ca_budget_plan *ret_plan,
                          struct ca_error *err) {
    struct ca_budget_file *file = budgets_of(budgets);
    struct ca_judge_options options = {.is_pair_ok = true};
    struct ca_judgement *judgement = judged_as(file, &options, records);
    return ca_budget_plan_fit(file, judgement, mode, ret_plan, err);
}

static struct ca_budget_plan *fitted(const char *budgets, enum ca_update_mode mode,
                                     struct ca_record *const *records) {
    struct ca_budget_plan *plan = kept(calloc(1, sizeof *plan));
    struct ca_error err = {""};
    cr_assert_eq(fit(budgets, mode, records, plan, &err), CA_OK, "%s", err.message);
    return plan;
}

static void refuse(const char *budgets, struct ca_record *const *records, enum ca_status status,
                   const char *expected) {
    struct ca_budget_plan plan;
    struct ca_error err = {""};
    cr_assert_eq(fit(budgets, CA_UPDATE_ALL, records, &plan, &err), status);
    cr_assert_str_eq(err.message, expected);
}

Test(budget_fit, two_sizes_give_rate_and_fixed) {
    struct ca_budget_plan *plan =
        fitted("[p/scan]\nper = line\nrate = 30 ; r\nfixed = 99 ; f\n", CA_UPDATE_LOWER,
               RECORDS(new_record("p", KEY, 210040, 10000), new_record("p", KEY, 21040, 1000)));
    cr_assert_str_eq(plan->text, "[p/scan]\nper = line\nrate = 21 ; r\nfixed = 40 ; f\n");
    cr_assert_eq(plan->edit_count, 2);
    cr_assert_eq(plan->remark_count, 0);
}

Test(budget_fit, a_rate_that_is_no_integer_is_amortised_growth) {
    struct ca_budget_plan *plan =
        fitted("[p/scan]\nper = line\nrate = 1\nfixed = 9\n", CA_UPDATE_LOWER,
               RECORDS(new_record("p", KEY, 10, 3), new_record("p", KEY, 15, 10)));
    /* 8 + 5/7 per line allows 10 at 3 lines and 15 at 10, no more. */
    cr_assert_str_eq(plan->text, "[p/scan]\nper = line\nrate = 5/7\nfixed = 8\n");
    cr_assert_eq(plan->remark_count, 1);
    cr_assert_str_eq(
        plan->remarks[0],
        "b.ini:3: [p/scan]: allocations: amortised growth: 10 to 15 over 3 to 10 line is 5/7 "
        "per line, no whole number: something grows in steps, and the rate holds near these "
        "sizes only");
    struct ca_judge_options strict = {.is_pair_ok = true, .is_strict = true};
    struct ca_judgement *judgement =
        judged_as(budgets_of(plan->text), &strict,
                  RECORDS(new_record("p", KEY, 10, 3), new_record("p", KEY, 15, 10)));
    cr_assert_eq(judgement->counts[CA_VERDICT_OK], 2);
    cr_assert_eq(judgement->status, 0);
}

Test(budget_fit, constant_and_falling_counts_have_rate_0) {
    static const char budgets[] = "[p/scan]\nper = line\nrate = 1\nfixed = 9\n";
    cr_assert_str_eq(fitted(budgets, CA_UPDATE_LOWER,
                            RECORDS(new_record("p", KEY, 3, 3), new_record("p", KEY, 3, 1000)))
                         ->text,
                     "[p/scan]\nper = line\nrate = 0\nfixed = 3\n");
    cr_assert_str_eq(fitted(budgets, CA_UPDATE_LOWER,
                            RECORDS(new_record("p", KEY, 5, 3), new_record("p", KEY, 3, 1000)))
                         ->text,
                     "[p/scan]\nper = line\nrate = 0\nfixed = 5\n");
}

Test(budget_fit, growth_beyond_proportion_fits_no_line) {
    static const char budgets[] = "[p/scan]\nper = line\nrate = 1\nfixed = 9\n";
    struct ca_budget_plan *plan =
        fitted(budgets, CA_UPDATE_ALL,
               RECORDS(new_record("p", KEY, 10, 10), new_record("p", KEY, 1000, 100)));
    cr_assert_str_eq(plan->text, budgets);
    cr_assert_eq(plan->remark_count, 1);
    cr_assert_str_eq(plan->remarks[0],
                     "b.ini:1: [p/scan]: allocations: growth beyond proportion: no "
                     "fixed number and rate fit both records");
}

Test(budget_fit, a_raise_wants_all_and_a_reason) {
    struct ca_record *const *records =
        RECORDS(new_record("p", KEY, 25, 10), new_record("p", KEY, 205, 100));
    struct ca_budget_plan *plan =
        fitted("[p/scan]\nper = line\nrate = 1\nfixed = 9\n", CA_UPDATE_LOWER, records);
    cr_assert_eq(plan->edit_count, 0);
    cr_assert_eq(plan->remark_count, 1);
    cr_assert_str_eq(plan->remarks[0],
                     "b.ini:3: [p/scan]: rate stays 1: it would have to be 2, and "
                     "only --update=all raises a number");
    plan = fitted("[p/scan]\nper = line\nwhy = x\n fixed = 9", CA_UPDATE_ALL, records);
    cr_assert_str_eq(plan->text, "[p/scan]\nper = line\nwhy = x\n fixed = 5\n rate  = 2");
    plan = fitted("[p/scan]\nper = line\nrate = 1\nfixed = 9\n", CA_UPDATE_SHOW, records);
    cr_assert_str_eq(plan->text, "[p/scan]\nper = line\nrate = 2\nfixed = 5\n");
    cr_assert(plan->edits[0].is_raise);
    cr_assert_not(plan->edits[1].is_raise);
    refuse("[p/scan]\nper = line\nrate = 1\nfixed = 9\n", records, CA_ERROR_INPUT,
           "b.ini:3: [p/scan]: rate would rise from 1 to 2\n"
           "a number rises only for a reason: add a line 'why = ...' to the section; nothing was "
           "written");
}

Test(budget_fit, one_record_or_one_size_is_not_enough) {
    static const char budgets[] = "[p/scan]\nper = line\nrate = 1\nfixed = 9\n";
    refuse(budgets, RECORDS(new_record("p", KEY, 10, 10)), CA_ERROR_USAGE,
           "b.ini:1: [p/scan]: --fit wants two records of 'p', of different size, and has one");
    refuse(budgets, RECORDS(new_record("p", KEY, 10, 10), new_record("p", MUSL, 20, 20)),
           CA_ERROR_USAGE,
           "b.ini:1: [p/scan]: --fit wants two records of 'p', of different size, and has one");
    refuse(budgets, RECORDS(new_record("p", KEY, 10, 10), new_record("p", KEY, 20, 10)),
           CA_ERROR_USAGE,
           "b.ini:1: [p/scan]: --fit wants records of two sizes, and both have 10 of unit 'line'");
}

Test(budget_fit, a_record_that_was_not_measured_is_no_size) {
    struct ca_record *failed = new_record("p", KEY, 20, 20);
    failed->exit_status = 1;
    struct ca_budget_plan *plan = fitted("[p/scan]\nper = line\nfixed = 99\n", CA_UPDATE_LOWER,
                                         RECORDS(new_record("p", KEY, 10, 10), failed));
    cr_assert_eq(plan->edit_count, 0);
    cr_assert_str_eq(plan->remarks[0], "b.ini:1: [p/scan]: not fitted: one of the records of this "
                                       "budget was not measured");
}

Test(budget_fit, a_budget_without_a_unit_stays) {
    struct ca_budget_plan *plan =
        fitted("[p/scan]\nfixed = 99\n", CA_UPDATE_LOWER,
               RECORDS(new_record("p", KEY, 10, 10), new_record("p", KEY, 20, 20)));
    cr_assert_eq(plan->edit_count, 0);
    cr_assert_str_eq(plan->remarks[0],
                     "b.ini:1: [p/scan]: not fitted: it has no unit; 'per = UNIT' gives it one");
}

Test(budget_fit, the_edges_of_64_bits_are_exact) {
    struct ca_budget_plan *plan =
        fitted("[p/scan]\nper = line\nrate = 18446744073709551615\nfixed = 1\n", CA_UPDATE_LOWER,
               RECORDS(new_record("p", KEY, UINT64_MAX, UINT64_MAX), new_record("p", KEY, 1, 1)));
    cr_assert_str_eq(plan->text, "[p/scan]\nper = line\nrate = 1\nfixed = 0\n");
    plan = fitted("[p/scan]\nper = line\nrate = 1\nfixed = 1\nwhy = x\n", CA_UPDATE_ALL,
                  RECORDS(new_record("p", KEY, UINT64_MAX, UINT64_MAX),
                          new_record("p", KEY, 0, UINT64_MAX - 1)));
    cr_assert_eq(plan->edit_count, 0);
}
