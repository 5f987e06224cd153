/* SPDX-License-Identifier: MIT */
#include "budget_fixture.h"

#define SCAN "[p/scan]\nper = line\n"

/* The only verdict about a section. */
static struct ca_verdict *verdict_of(const char *budgets, struct ca_record *record) {
    struct ca_judgement *judgement = judged(budgets, RECORDS(record));
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (judgement->verdicts[i].section != NULL)
            return &judgement->verdicts[i];
    return &judgement->verdicts[0];
}

static void expect(const char *budgets, struct ca_record *record, enum ca_verdict_kind kind,
                   int status) {
    struct ca_judgement *judgement = judged(budgets, RECORDS(record));
    cr_expect_str_eq(ca_verdict_name(judgement->verdicts[0].kind), ca_verdict_name(kind), "%s: %s",
                     budgets, judgement->verdicts[0].cause);
    cr_expect_eq(judgement->status, status, "%s", budgets);
}

static void expect_invalid(const char *budgets, struct ca_record *record, const char *reason,
                           const char *cause, const char *next_step) {
    struct ca_verdict *verdict = verdict_of(budgets, record);
    cr_assert_eq(verdict->kind, CA_VERDICT_INVALID, "%s", budgets);
    cr_expect_str_eq(ca_invalid_reason_name(verdict->reason), reason);
    cr_expect_str_eq(verdict->cause, cause);
    cr_expect_str_eq(verdict->next_step, next_step);
    cr_expect_eq(judged(budgets, RECORDS(record))->status, 3);
}

static void refuse(const char *budgets, struct ca_record *const *records, const char *expected) {
    struct ca_subject subjects[4] = {{.record = NULL}};
    struct ca_judgement judgement;
    struct ca_error err = {""};
    size_t count = 0;
    for (; records[count] != NULL; count++)
        subjects[count].record = records[count];
    cr_assert_eq(ca_budget_judge(budgets_of(budgets), subjects, count,
                                 &(struct ca_judge_options){.is_strict = false}, &judgement, &err),
                 CA_ERROR_INPUT);
    cr_assert_str_eq(err.message, expected);
}

Test(budget_judge, the_limit_itself_is_ok_and_one_more_is_over) {
    expect(SCAN "fixed = 3\n", new_record("p", KEY, 3, 1000), CA_VERDICT_OK, 0);
    expect(SCAN "fixed = 3\n", new_record("p", KEY, 4, 1000), CA_VERDICT_OVER, 1);
    expect(SCAN "fixed = 3\n", new_record("p", KEY, 2, 1000), CA_VERDICT_IMPROVED, 0);
    expect(SCAN "rate = 21\nfixed = 3\n", new_record("p", KEY, 21003, 1000), CA_VERDICT_OK, 0);
    expect(SCAN "rate = 21\nfixed = 3\n", new_record("p", KEY, 21004, 1000), CA_VERDICT_OVER, 1);
}

Test(budget_judge, a_stray_allocation_among_a_million_units_is_over) {
    expect(SCAN "rate = 21.48\n", new_record("p", KEY, 21480000, 1000000), CA_VERDICT_OK, 0);
    expect(SCAN "rate = 21.48\n", new_record("p", KEY, 21480001, 1000000), CA_VERDICT_OVER, 1);
    expect(SCAN "rate = 21.48\n", new_record("p", KEY, 21479999, 1000000), CA_VERDICT_IMPROVED, 0);
}

Test(budget_judge, a_limit_between_two_counts_is_met_by_the_lower) {
    expect(SCAN "rate = 1/3\n", new_record("p", KEY, 333, 1000), CA_VERDICT_OK, 0);
    expect(SCAN "rate = 1/3\n", new_record("p", KEY, 334, 1000), CA_VERDICT_OVER, 1);
    expect(SCAN "rate = 1/3\n", new_record("p", KEY, 332, 1000), CA_VERDICT_IMPROVED, 0);
}

Test(budget_judge, tolerance_widens_both_sides) {
    static const char budgets[] = SCAN "fixed = 10\ntolerance = 2\n";
    expect(budgets, new_record("p", KEY, 13, 1), CA_VERDICT_OVER, 1);
    expect(budgets, new_record("p", KEY, 12, 1), CA_VERDICT_OK, 0);
    expect(budgets, new_record("p", KEY, 8, 1), CA_VERDICT_OK, 0);
    expect(budgets, new_record("p", KEY, 7, 1), CA_VERDICT_IMPROVED, 0);
    expect("[defaults]\ntolerance = 2\n" SCAN "fixed = 10\n", new_record("p", KEY, 12, 1),
           CA_VERDICT_OK, 0);
    expect("[defaults]\ntolerance = 2\n" SCAN "fixed = 10\ntolerance = 1\n",
           new_record("p", KEY, 12, 1), CA_VERDICT_OVER, 1);
}

Test(budget_judge, the_edges_of_64_bits_are_exact) {
    static const char largest[] = SCAN "rate = 18446744073709551615\nfixed = 18446744073709551615\n"
                                       "tolerance = 18446744073709551615\n";
    expect(largest, new_record("p", KEY, UINT64_MAX, UINT64_MAX), CA_VERDICT_IMPROVED, 0);
    expect(SCAN "fixed = 18446744073709551615\n", new_record("p", KEY, UINT64_MAX, 1),
           CA_VERDICT_OK, 0);
    expect(SCAN "fixed = 18446744073709551614\n", new_record("p", KEY, UINT64_MAX, 1),
           CA_VERDICT_OVER, 1);
    expect(SCAN "fixed = 18446744073709551614\ntolerance = 1\n",
           new_record("p", KEY, UINT64_MAX, 1), CA_VERDICT_OK, 0);
    expect(SCAN "rate = 1\n", new_record("p", KEY, UINT64_MAX, UINT64_MAX), CA_VERDICT_OK, 0);
    expect(SCAN "rate = 1\n", new_record("p", KEY, UINT64_MAX, UINT64_MAX - 1), CA_VERDICT_OVER, 1);
    expect(SCAN "rate = 1/18446744073709551615\n", new_record("p", KEY, 1, UINT64_MAX),
           CA_VERDICT_OK, 0);
    expect(SCAN "rate = 1/18446744073709551615\n", new_record("p", KEY, 1, UINT64_MAX - 1),
           CA_VERDICT_OVER, 1);
}

Test(budget_judge, owner_scope_counts_no_adopters) {
    struct ca_record *record = new_record("p", KEY, 3, 10);
    adopt(record, 50);
    struct ca_verdict *verdict = verdict_of(SCAN "fixed = 3\n", record);
    cr_assert_eq(verdict->kind, CA_VERDICT_OK);
    cr_assert_eq(verdict->adopted_allocations, 50);
    expect(SCAN "fixed = 52\nscope = all\n", record, CA_VERDICT_OVER, 1);
    expect(SCAN "fixed = 53\nscope = all\n", record, CA_VERDICT_OK, 0);
    expect("[defaults]\nscope = all\n" SCAN "fixed = 53\n", record, CA_VERDICT_OK, 0);
    expect("[p/total]\nfixed = 60\nscope = owner\n", record, CA_VERDICT_OK, 0);
    expect("[p/main]\nfixed = 7\n", record, CA_VERDICT_OK, 0);
}

Test(budget_judge, every_kind_of_limit_is_compared) {
    struct ca_record *record = new_record("p", KEY, 3, 10);
    static const char budgets[] = SCAN "bytes.rate = 10\nbytes_peak.fixed = 4095\n"
                                       "live_blocks.fixed = 3\n";
    struct ca_verdict *verdict = verdict_of(budgets, record);
    cr_assert_eq(verdict->comparison_count, 3);
    cr_assert_eq(verdict->kind, CA_VERDICT_OVER);
    cr_assert_eq(verdict->line, 4);
    cr_assert_eq(verdict->comparisons[0].verdict, CA_VERDICT_OK);
    cr_assert_eq(verdict->comparisons[1].verdict, CA_VERDICT_OVER);
    cr_assert_eq(verdict->comparisons[2].verdict, CA_VERDICT_IMPROVED);
    scan_of(record)->shares[0].counts.live_blocks = -5;
    expect("[p/scan]\nlive_blocks.fixed = 0\n", record, CA_VERDICT_IMPROVED, 0);
    scan_of(record)->counts.has_peak = false;
    expect_invalid(budgets, record, "live bytes not measured", "bytes_peak was not measured",
                   "run with --live on; where it is on, the record's notes say why");
}

Test(budget_judge, the_section_with_the_most_components_decides_key_by_key) {
    static const char budgets[] = SCAN "rate = 1\nfixed = 3\n"
                                       "[p/scan@musl]\nfixed = 1\n"
                                       "[p/scan@linux-musl]\nfixed = 9\n"
                                       "[p/scan@x86_64-glibc2.36]\nfixed = 5\n";
    struct ca_verdict *verdict = verdict_of(budgets, new_record("p", KEY, 15, 10));
    cr_assert_eq(verdict->kind, CA_VERDICT_OK);
    cr_assert_str_eq(verdict->section->title, "p/scan@x86_64-glibc2.36");
    cr_assert_eq(verdict->line, 10);
    verdict = verdict_of(budgets, new_record("p", "linux-x86_64-musl-musl", 19, 10));
    cr_assert_eq(verdict->kind, CA_VERDICT_OK);
    cr_assert_eq(verdict->line, 8);
    verdict = verdict_of(budgets, new_record("p", "darwin-arm64-libSystem-libSystem", 13, 10));
    cr_assert_eq(verdict->kind, CA_VERDICT_OK);
    cr_assert_eq(verdict->line, 4);
}

Test(budget_judge, platforms_match_components_in_order) {
    cr_assert(ca_platform_is_match("", KEY));
    cr_assert(ca_platform_is_match("linux", KEY));
    cr_assert(ca_platform_is_match("glibc", KEY));
    cr_assert(ca_platform_is_match("linux-glibc2.36", KEY));
    cr_assert(ca_platform_is_match(KEY, KEY));
    cr_assert_not(ca_platform_is_match("glibc2.36-linux", KEY));
    cr_assert_not(ca_platform_is_match("glibc2", KEY));
    cr_assert_not(ca_platform_is_match("linu", KEY));
    cr_assert_not(ca_platform_is_match("glibc-glibc", KEY));
    cr_assert_not(ca_platform_is_match(KEY "-x", KEY));
    cr_assert_not(ca_platform_is_match("linux", ""));
}

Test(budget_judge, a_tie_is_an_error_unless_a_better_section_settles_it) {
    static const char tied[] = "[p/scan@linux]\nfixed = 3\n[p/scan@glibc]\nfixed = 4\n";
    refuse(tied, RECORDS(new_record("p", KEY, 3, 0)),
           "b.ini:3: [p/scan@glibc] and [p/scan@linux] on line 1 match platform " KEY
           " equally well: give one of them a component more");
    expect(
        "[p/scan@linux]\nfixed = 3\n[p/scan@glibc]\nfixed = 4\n[p/scan@linux-glibc]\nfixed = 5\n",
        new_record("p", KEY, 5, 0), CA_VERDICT_OK, 0);
    refuse("[p/scan@linux]\nfixed = 3\n[p/scan@glibc]\nfixed = 4\n[p/scan@linux-glibc]\nwhy = x\n",
           RECORDS(new_record("p", KEY, 5, 0)),
           "b.ini:3: [p/scan@glibc] and [p/scan@linux] on line 1 match platform " KEY
           " equally well: give one of them a component more");
}

Test(budget_judge, a_section_with_a_path_is_compared_with_the_executable) {
    struct ca_record *record = new_record("renamed", KEY, 3, 0);
    expect("[/opt/bin/logstat/scan]\nfixed = 3\n", record, CA_VERDICT_OK, 0);
    expect("[bin/logstat/scan]\nfixed = 3\n", record, CA_VERDICT_OK, 0);
    expect("[in/logstat/scan]\nfixed = 3\n", record, CA_VERDICT_STALE, 3);
    expect("[/bin/logstat/scan]\nfixed = 3\n", record, CA_VERDICT_STALE, 3);
    expect("[logstat/scan]\nfixed = 3\n", record, CA_VERDICT_STALE, 3);
}

Test(budget_judge, a_phase_that_was_never_opened_is_no_zero) {
    struct ca_record *record = new_record("p", KEY, 3, 10);
    expect_invalid(
        "[p/parse]\nfixed = 0\n", record, "phase never opened", "phase 'parse' was never opened",
        "the phases that the program opened: scan; countalloc_phase_begin(\"parse\") opens "
        "this one");
    expect_invalid("[p/scna]\nfixed = 0\n", record, "phase never opened",
                   "phase 'scna' was never opened", "the program opened 'scan': is that the one");
    scan_of(record)->opened = 0;
    expect_invalid("[p/scan]\nfixed = 0\n", record, "phase never opened",
                   "phase 'scan' was never opened",
                   "the phases that the program opened: none of its own; "
                   "countalloc_phase_begin(\"scan\") opens this one");
}

Test(budget_judge, a_unit_that_is_missing_or_0_is_no_rate) {
    struct ca_record *record = new_record("p", KEY, 3, 10);
    expect_invalid(
        "[p/scan]\nper = byte\nrate = 0\n", record, "unit missing",
        "the phase has no unit 'byte' (it has line)",
        "countalloc_phase_units(\"byte\", n) in the program gives it, or --units byte=N of the "
        "run");
    scan_of(record)->units[0].unit_count = 0;
    expect_invalid(SCAN "rate = 0\n", record, "0 units", "it did 0 units of 'line'",
                   "give the program something to do");
    record->total_units_count = 0;
    expect_invalid(
        "[p/total]\nper = line\nrate = 0\n", record, "unit missing",
        "the total has no unit 'line' (it has none)",
        "countalloc_phase_units(\"line\", n) in the program gives it, or --units line=N of the "
        "run");
}

Test(budget_judge, no_section_for_the_program_or_for_its_platform) {
    struct ca_judgement *judgement =
        judged("[q/total]\nfixed = 3\n[q/x]\nfixed = 1\n[r/x]\nfixed = 1\n",
               RECORDS(new_record("p", KEY, 3, 10)));
    cr_assert_eq(judgement->status, 3);
    cr_assert_eq(judgement->verdict_count, 4);
    cr_assert_eq(judgement->counts[CA_VERDICT_STALE], 3);
    cr_assert_str_eq(judgement->verdicts[3].cause, "no section of b.ini is for program 'p'");
    cr_assert_str_eq(judgement->verdicts[3].next_step,
                     "add [p/total], or name the program with --name as the file has it: q, r");
    expect_invalid("[p/scan@musl]\nfixed = 3\n[p/scan@darwin]\nfixed = 3\n",
                   new_record("p", KEY, 3, 10), "no section matched the platform",
                   "its sections are for musl, darwin, the record is of " KEY,
                   "add [p/scan], which is for every platform, or one for this");
    expect_invalid("[p/scan]\nper = line\n[p/scan@musl]\nfixed = 3\n", new_record("p", KEY, 3, 10),
                   "no limit for this platform",
                   "the sections that match platform " KEY " limit nothing",
                   "give [p/scan] a limit");
}

Test(budget_judge, nothing_compared_is_not_green) {
    struct ca_record *const none[] = {NULL};
    cr_assert_eq(judged("", none)->status, 3);
    cr_assert_eq(judged("[p/x]\nfixed = 1\n", none)->status, 3);
    cr_assert_eq(judged("", RECORDS(new_record("p", KEY, 3, 10)))->status, 3);
}

Test(budget_judge, a_record_that_was_not_measured_to_the_end_is_invalid) {
    struct ca_record *record = new_record("p", KEY, 3, 10);
    static const char budgets[] = "[p/scan]\nfixed = 3\n";
    record->exit_status = 4;
    expect_invalid(budgets, record, "program failed", "the program failed with exit status 4",
                   "see what it said; if that status is expected, --allow-status 4");
    record = new_record("p", KEY, 3, 10);
    record->has_exit_status = record->is_complete = false;
    record->signal = 11;
    expect_invalid(
        budgets, record, "killed by signal",
        "signal 11 (Segmentation fault) killed the program: its counts end there",
        "run it without countalloc: if it dies there, too, it is the program's own fault");
    record->is_timed_out = true;
    expect_invalid(budgets, record, "timed out", "--timeout ended the program before it was done",
                   "raise --timeout, or give the program less to do");
    record = new_record("p", KEY, 3, 10);
    record->is_complete = false;
    expect_invalid(budgets, record, "timed out", "--timeout ended the program before it was done",
                   "raise --timeout, or give the program less to do");
    record->has_exit_status = false;
    expect_invalid(budgets, record, "incomplete",
                   "the record says that the program did not run to its end", "record it again");
    record = new_record("p", KEY, 0, 0);
    record->is_attached = false;
    expect_invalid(
        budgets, record, "not measured", "the counting library was never in charge",
        "'countalloc doctor -- PROGRAM' says whether the program can be counted, and how");
    record = new_record("p", KEY, 3, 10);
    record->rules = 2;
    expect_invalid(budgets, record, "other counting rules",
                   "the record was counted by rules 2, budgets are for rules 1",
                   "run the program again with this version of countalloc");
}

Test(budget_judge, allowed_statuses_are_no_failure) {
    struct ca_record *record = new_record("p", KEY, 3, 10);
    static const int allowed[] = {1, 4};
    struct ca_judge_options options = {.allowed_status = allowed, .allowed_count = 2};
    record->exit_status = 4;
    const struct ca_budget_file *file = budgets_of("[p/scan]\nfixed = 3\n");
    cr_assert_eq(judged_as(file, &options, RECORDS(record))->status, 0);
    record->exit_status = 3;
    cr_assert_eq(judged_as(file, &options, RECORDS(record))->status, 3);
    record->exit_status = 0;
    cr_assert_eq(judged_as(file, &options, RECORDS(record))->status, 0);
}

Test(budget_judge, partial_coverage_is_not_green) {
    struct ca_record *record = new_record("p", KEY, 3, 10);
    struct ca_judge_options options = {.is_partial_ok = true};
    record->level = CA_LEVEL_PARTIAL;
    ca_record_note(record, "the process became 'x', which never attached");
    expect_invalid(
        "[p/scan]\nfixed = 3\n", record, "counted in part",
        "only part of the program was counted: the process became 'x', which never attached",
        "count the part that matters by itself, or --uncounted-ok to judge what was counted");
    const struct ca_budget_file *file = budgets_of("[p/scan]\nfixed = 3\n");
    cr_assert_eq(judged_as(file, &options, RECORDS(record))->status, 0);
    record->total.allocations = 0;
    cr_assert_eq(judged_as(file, &options, RECORDS(record))->status, 3);
}

Test(budget_judge, overflowed_counters_leave_only_the_total) {
    struct ca_record *record = new_record("p", KEY, 3, 10);
    record->phases[2] = (struct ca_record_phase){.name = "(other)", .opened = 1};
    record->phase_count = 3;
    expect_invalid(
        "[p/scan]\nfixed = 3\n", record, "counters overflowed",
        "the counters overflowed, so that calls of this phase may be counted elsewhere",
        "the record's notes say which; open fewer phases or threads, or budget the total");
    expect("[p/total]\nfixed = 10\n", record, CA_VERDICT_OK, 0);
    record->phase_count = 2;
    struct ca_record_thread thread = {.number = 0, .counts = {.allocations = 1}};
    record->threads = &thread;
    record->thread_count = 1;
    expect("[p/scan]\nfixed = 3\n", record, CA_VERDICT_INVALID, 3);
}

Test(budget_judge, a_phase_without_figures_by_thread_is_no_zero) {
    struct ca_record *record = new_record("p", KEY, 3, 10);
    scan_of(record)->share_count = 0;
    expect_invalid("[p/scan]\nfixed = 0\n", record, "no figures by thread",
                   "the record has no figures by thread for this phase",
                   "record it again, or set 'scope = all'");
}

Test(budget_judge, two_records_of_one_name_and_platform_are_an_error) {
    refuse("[p/scan]\nfixed = 3\n",
           RECORDS(new_record("p", KEY, 3, 10), new_record("p", KEY, 3, 10)),
           "the run and the run are both records of 'p' on " KEY
           ": name one of them with --name, or add them up with 'countalloc merge'");
    struct ca_judgement *judgement =
        judged("[p/scan]\nfixed = 3\n", RECORDS(new_record("p", KEY, 3, 10),
                                                new_record("p", "linux-x86_64-musl-musl", 4, 10)));
    cr_assert_eq(judgement->counts[CA_VERDICT_OK], 1);
    cr_assert_eq(judgement->counts[CA_VERDICT_OVER], 1);
    cr_assert_eq(judgement->status, 1);
}

Test(budget_judge, invalid_comes_before_over) {
    struct ca_judgement *judgement =
        judged("[p/scan]\nfixed = 0\n[p/parse]\nfixed = 0\n", RECORDS(new_record("p", KEY, 3, 10)));
    cr_assert_eq(judgement->counts[CA_VERDICT_OVER], 1);
    cr_assert_eq(judgement->counts[CA_VERDICT_INVALID], 1);
    cr_assert_eq(judgement->overall, CA_VERDICT_INVALID);
    cr_assert_eq(judgement->status, 3);
}

static void expect_strict(const char *budgets, enum ca_verdict_kind overall) {
    struct ca_judge_options strict = {.is_strict = true};
    struct ca_judgement *judgement =
        judged_as(budgets_of(budgets), &strict, RECORDS(new_record("p", KEY, 3, 10)));
    cr_expect_str_eq(ca_verdict_name(judgement->overall), ca_verdict_name(overall));
    cr_expect_eq(judgement->status, overall == CA_VERDICT_OK ? 0 : 1);
    cr_expect_eq(judged(budgets, RECORDS(new_record("p", KEY, 3, 10)))->status, 0);
}

Test(budget_judge, strict_fails_on_improved_stale_and_unbudgeted) {
    expect_strict("[p/scan]\nfixed = 3\n", CA_VERDICT_OK);
    expect_strict("[p/scan]\nfixed = 4\n", CA_VERDICT_IMPROVED);
    expect_strict("[p/scan]\nfixed = 3\n[q/x]\nfixed = 0\n", CA_VERDICT_STALE);
    expect_strict("[p/total]\nfixed = 10\n", CA_VERDICT_UNBUDGETED);
}
