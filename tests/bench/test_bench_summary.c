/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "bench_results.h"

static const struct ca_workload program = {
    .name = "p", .kind = CA_WORKLOAD_PROGRAM, .is_real_program = true};
static const struct ca_workload start = {.name = "start", .kind = CA_WORKLOAD_START};

static void add(struct ca_cell *cell, enum ca_pair_kind kind, double bare_ns, double ns) {
    cell->pairs[cell->pair_count++] = (struct ca_pair){kind, bare_ns, ns, 0.3, 0.3};
}

Test(bench_summary, a_quantile_lies_between_its_neighbours) {
    double values[] = {4, 1, 3, 2};
    cr_assert_eq(ca_quantile(values, 4, 0.5), 2.5);
    cr_assert_eq(ca_quantile(values, 4, 0.25), 1.75);
    cr_assert_eq(ca_quantile(values, 4, 1), 4);
    cr_assert_eq(ca_quantile(values, 0, 0.5), 0);
}

Test(bench_summary, a_disturbed_pair_counts_for_nothing_beside_three_quiet_ones) {
    static struct ca_cell cell = {.workload = &program};
    struct ca_summary summary;
    add(&cell, CA_PAIR_QUIET, 8, 9);
    add(&cell, CA_PAIR_QUIET, 8, 10);
    add(&cell, CA_PAIR_QUIET, 16, 22);
    add(&cell, CA_PAIR_DISTURBED, 4, 32);
    ca_cell_summarise(&cell, &summary);
    cr_assert_eq(summary.ratio, 1.25);
    cr_assert_eq(summary.bare_ns, 8);
    cr_assert_eq(summary.used_count, 3);
    cr_assert_eq(summary.worst, CA_PAIR_QUIET);
    cr_assert_eq(summary.pair_count[CA_PAIR_DISTURBED], 1);
    cr_assert_eq(summary.ratio_of_fastest, 9.0 / 4.0);
}

Test(bench_summary, a_pair_of_a_slow_hour_is_quiet_no_more_once_the_machine_was_faster) {
    static struct ca_cell cell = {.workload = &program};
    struct ca_machine machine = {.best_calibration_ns = 0.3};
    add(&cell, CA_PAIR_QUIET, 8, 9);
    add(&cell, CA_PAIR_QUIET, 8, 9);
    cell.pairs[1].bare_calibration_ns = 0.60;
    cell.pairs[1].calibration_ns = 0.62;
    add(&cell, CA_PAIR_QUIET, 8, 9);
    cell.pairs[2].calibration_ns = 0.60;
    ca_cell_settle(&machine, &cell);
    cr_assert_eq(cell.pairs[0].kind, CA_PAIR_QUIET);
    cr_assert_eq(cell.pairs[1].kind, CA_PAIR_EVEN);
    cr_assert_eq(cell.pairs[2].kind, CA_PAIR_DISTURBED);
}

Test(bench_summary, even_pairs_step_in_for_quiet_ones_that_are_too_few) {
    static struct ca_cell cell = {.workload = &program};
    struct ca_summary summary;
    add(&cell, CA_PAIR_QUIET, 8, 8);
    add(&cell, CA_PAIR_EVEN, 8, 12);
    add(&cell, CA_PAIR_EVEN, 8, 16);
    add(&cell, CA_PAIR_DISTURBED, 8, 80);
    ca_cell_summarise(&cell, &summary);
    cr_assert_eq(summary.ratio, 1.5);
    cr_assert_eq(summary.used_count, 3);
    cr_assert_eq(summary.worst, CA_PAIR_EVEN);
}

Test(bench_summary, all_pairs_are_used_and_marked_when_most_were_disturbed) {
    static struct ca_cell cell = {.workload = &program};
    struct ca_summary summary;
    add(&cell, CA_PAIR_QUIET, 8, 8);
    add(&cell, CA_PAIR_DISTURBED, 8, 16);
    add(&cell, CA_PAIR_DISTURBED, 8, 24);
    ca_cell_summarise(&cell, &summary);
    cr_assert_eq(summary.ratio, 2);
    cr_assert_eq(summary.used_count, 3);
    cr_assert_eq(summary.worst, CA_PAIR_DISTURBED);
}

Test(bench_summary, a_start_has_a_difference_instead_of_a_ratio) {
    static struct ca_cell cell = {.workload = &start};
    struct ca_summary summary;
    for (int i = 0; i < 3; i++)
        add(&cell, CA_PAIR_QUIET, 600000 + i, 850000 + i);
    ca_cell_summarise(&cell, &summary);
    cr_assert_eq(summary.ratio, 250000);
    cr_assert_eq(summary.ratio_of_fastest, 250000);
}

Test(bench_summary, the_median_of_programs_is_one_of_their_medians) {
    static struct ca_cell cells[3];
    size_t variant_count;
    const struct ca_variant *variants = ca_variants(&variant_count);
    struct ca_bench bench = {.cell_count = 3, .cells = cells};
    struct ca_summary summary;
    for (int i = 0; i < 3; i++) {
        cells[i] = (struct ca_cell){.workload = &program, .variant = &variants[1]};
        for (int k = 0; k < 3; k++)
            add(&cells[i], CA_PAIR_QUIET, 8, 8 + i);
    }
    cr_assert(ca_real_programs_median(&bench, &variants[1], &summary));
    cr_assert_eq(summary.ratio, 1.125);
    cr_assert_eq(summary.pair_count[CA_PAIR_QUIET], 9);
    cr_assert_not(ca_real_programs_median(&bench, &variants[2], &summary));
}

Test(bench_summary, a_verdict_doubts_when_the_bar_lies_between_the_quartiles) {
    cr_assert_str_eq(ca_verdict(1.1, 1.0, 1.15, 1.2), "met");
    cr_assert_str_eq(ca_verdict(1.1, 1.0, 1.3, 1.2), "met ?");
    cr_assert_str_eq(ca_verdict(1.25, 1.1, 1.3, 1.2), "not met ?");
    cr_assert_str_eq(ca_verdict(1.25, 1.21, 1.3, 1.2), "not met");
}

Test(bench_summary, the_bars_are_the_ones_that_were_set) {
    cr_assert_eq(ca_bar_ratio("tight", "counts"), 1.20);
    cr_assert_eq(ca_bar_ratio("logstat v0", "live"), 1.14);
    cr_assert_eq(ca_bar_ratio("real programs", "live"), 1.03);
    cr_assert_eq(ca_bar_ratio("start", "counts"), 500000);
    cr_assert_eq(ca_bar_ratio("pc", "counts"), 0);
    cr_assert_eq(ca_bar_instructions("live"), 45);
}
