/* SPDX-License-Identifier: MIT */
#include "budget/budget_base.h"
#include "budget_fixture.h"

#define SCAN "[p/scan]\n"

/* Judges `record` by `now` and holds it to `then`. */
static struct ca_judgement *held(const char *now, const char *then, struct ca_record *record,
                                 bool is_strict) {
    const struct ca_judge_options options = {.is_strict = is_strict};
    struct ca_subject *subject = kept(calloc(1, sizeof *subject));
    struct ca_judgement *judgement = kept(calloc(1, sizeof *judgement));
    struct ca_judgement *of_base = kept(calloc(1, sizeof *of_base));
    struct ca_budget_base *base = kept(calloc(1, sizeof *base));
    struct ca_error err = {""};
    subject->record = record;
    base->ref = "main";
    strcpy(base->commit, "0123456789abcdef");
    base->has_file = true;
    cr_assert_eq(ca_budget_judge(budgets_of(now), subject, 1, &options, judgement, &err), CA_OK);
    cr_assert_eq(ca_budget_judge(budgets_of(then), subject, 1, &options, of_base, &err), CA_OK);
    cr_assert_eq(ca_judgement_hold_to_base(judgement, of_base, base, &err), CA_OK);
    /* What was taken over must not be needed any more. */
    ca_judgement_release(of_base);
    return judgement;
}

static const struct ca_verdict *only(const struct ca_judgement *judgement) {
    cr_assert_eq(judgement->verdict_count, 1);
    return &judgement->verdicts[0];
}

Test(budget_base, the_lower_number_decides) {
    struct ca_judgement *judgement =
        held(SCAN "fixed = 100\n", SCAN "fixed = 3\n", new_record("p", KEY, 50, 0), false);
    cr_assert_eq(judgement->status, 1);
    cr_assert_eq(only(judgement)->kind, CA_VERDICT_OVER);
    cr_assert_eq(only(judgement)->base, CA_BASE_RAISED);
    cr_assert_eq(only(judgement)->comparisons[0].limit, 3);
    cr_assert_eq(only(judgement)->line, 2, "the line is that of the file as it is");
    cr_assert_str_eq(only(judgement)->base_note,
                     "raised: the limit on allocations is 100, at the base 0123456789ab it is 3: "
                     "that still counts");
    judgement = held(SCAN "fixed = 3\n", SCAN "fixed = 100\n", new_record("p", KEY, 50, 0), false);
    cr_assert_eq(judgement->status, 1);
    cr_assert_eq(only(judgement)->base, CA_BASE_SAME);
    cr_assert_eq(only(judgement)->comparisons[0].limit, 3);
    cr_assert_null(only(judgement)->base_note);
}

Test(budget_base, a_rate_and_a_fixed_number_that_trade_are_compared_at_the_size_measured) {
    const char *now = SCAN "per = line\nrate = 1\nfixed = 0\n";
    const char *then = SCAN "per = line\nrate = 0\nfixed = 100\n";
    cr_assert_eq(only(held(now, then, new_record("p", KEY, 50, 50), false))->base, CA_BASE_SAME);
    cr_assert_eq(only(held(now, then, new_record("p", KEY, 50, 101), false))->base, CA_BASE_RAISED);
}

Test(budget_base, a_higher_tolerance_is_a_raise) {
    struct ca_judgement *judgement = held(SCAN "fixed = 3\ntolerance = 10\n", SCAN "fixed = 3\n",
                                          new_record("p", KEY, 4, 0), false);
    cr_assert_eq(judgement->status, 1);
    cr_assert_eq(only(judgement)->base, CA_BASE_RAISED);
}

Test(budget_base, each_limit_counts_for_itself) {
    /* allocations raised, bytes (100 of them) lowered */
    struct ca_judgement *judgement =
        held(SCAN "fixed = 9\nbytes.fixed = 99\n", SCAN "fixed = 7\nbytes.fixed = 500\n",
             new_record("p", KEY, 8, 0), false);
    cr_assert_eq(judgement->status, 1);
    cr_assert_eq(only(judgement)->comparisons[0].verdict, CA_VERDICT_OVER);
    cr_assert_eq(only(judgement)->comparisons[0].limit, 7);
    cr_assert_eq(only(judgement)->comparisons[1].verdict, CA_VERDICT_OVER);
    cr_assert_eq(only(judgement)->comparisons[1].limit, 99);
    cr_assert_eq(judgement->comparison_count, 2);
}

Test(budget_base, a_limit_that_is_gone_still_counts) {
    struct ca_judgement *judgement = held(SCAN "fixed = 9\n", SCAN "fixed = 9\nbytes.fixed = 99\n",
                                          new_record("p", KEY, 9, 0), false);
    cr_assert_eq(judgement->status, 1);
    cr_assert_str_eq(only(judgement)->base_note,
                     "the limit on bytes is gone, at the base 0123456789ab it is 99: that still "
                     "counts");
}

Test(budget_base, a_phase_whose_budget_is_gone_is_judged_once) {
    struct ca_judgement *judgement =
        held("[p/total]\nfixed = 99\n", "[p/total]\nfixed = 99\n" SCAN "fixed = 3\n",
             new_record("p", KEY, 4, 0), true);
    cr_assert_eq(judgement->verdict_count, 2);
    cr_assert_eq(judgement->counts[CA_VERDICT_OVER], 1);
    cr_assert_eq(judgement->counts[CA_VERDICT_UNBUDGETED], 0);
    cr_assert_eq(judgement->verdicts[1].base, CA_BASE_REMOVED);
    cr_assert_eq(judgement->verdicts[1].line, 0);
}

Test(budget_base, an_unmeasured_budget_of_the_base_is_no_success) {
    struct ca_judgement *judgement =
        held(SCAN "fixed = 9\n", SCAN "per = byte\nrate = 1\n", new_record("p", KEY, 9, 0), false);
    cr_assert_eq(judgement->status, 3);
    cr_assert_str_eq(only(judgement)->base_note,
                     "what it wants differs from the base 0123456789ab: what is there counts");
}

Test(budget_base, another_scope_does_not_get_around_it) {
    struct ca_record *record = new_record("p", KEY, 3, 0);
    adopt(record, 5);
    struct ca_judgement *judgement =
        held(SCAN "fixed = 3\n", SCAN "fixed = 7\nscope = all\n", record, false);
    cr_assert_eq(judgement->status, 1);
    cr_assert_eq(only(judgement)->base, CA_BASE_RAISED);
    /* And the other way round it is the file that is over. */
    judgement = held(SCAN "fixed = 7\nscope = all\n", SCAN "fixed = 3\n", record, false);
    cr_assert_eq(judgement->status, 1);
    cr_assert_eq(only(judgement)->base, CA_BASE_SAME);
}

Test(budget_base, what_is_new_is_judged_by_itself) {
    struct ca_judgement *judgement =
        held(SCAN "fixed = 3\n", "[q/scan]\nfixed = 1\n", new_record("p", KEY, 3, 0), false);
    cr_assert_eq(judgement->status, 0);
    cr_assert_eq(only(judgement)->base, CA_BASE_NEW);
}
