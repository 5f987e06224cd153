/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "bench_results.h"

static void print_head(const struct ca_bench *bench) {
    struct ca_machine_facts facts;
    ca_machine_describe(&facts);
    printf("%s (family %d, model %d), %d cores; %s; %s\n", facts.processor, facts.family,
           facts.model, CPU_COUNT(&bench->machine.all_cores), facts.system, facts.libc);
    printf(
        "CPU time as a ratio to the same program without the shim: median over pairs "
        "[quartiles].\n"
        "%d rounds (peers: %d); a turn of the calibration takes %.3f ns at best; quiet is up to "
        "%.0f %% above.\n"
        "pairs: quiet/even/disturbed. Of quiet pairs only, but for * (even ones, too) and ** "
        "(all).\n"
        "instructions: added to an operation by callgrind; of programs, the ratio for a tenth of "
        "the work.\n"
        "bar: the most there should be; ? when it lies between the quartiles.\n\n",
        bench->round_count, bench->peer_round_count, bench->machine.best_calibration_ns,
        (CA_QUIET_LIMIT - 1) * 100);
    printf("%-13s %-9s %10s  %-15s %-28s %8s %8s  %-8s  %5s %s\n", "workload", "per", "no shim ns",
           "under", "ratio", "fastest", "instr.", "pairs", "bar", "");
}

static const char *stars(const struct ca_summary *summary) {
    return summary->worst == CA_PAIR_QUIET ? "" : summary->worst == CA_PAIR_EVEN ? "*" : "**";
}

static void print_ratio(const struct ca_summary *summary) {
    char text[64];
    int digits = summary->ratio < 10 ? 3 : 1;
    snprintf(text, sizeof text, "%.*f%s [%.*f-%.*f]", digits, summary->ratio, stars(summary),
             digits, summary->first_quartile, digits, summary->third_quartile);
    printf("%-28s %8.*f", text, digits, summary->ratio_of_fastest);
}

static void print_added_ms(const struct ca_summary *summary) {
    char text[64];
    snprintf(text, sizeof text, "%+.3f%s [%+.3f,%+.3f] ms", summary->ratio / 1e6, stars(summary),
             summary->first_quartile / 1e6, summary->third_quartile / 1e6);
    printf("%-28s %+8.3f", text, summary->ratio_of_fastest / 1e6);
}

static void print_instructions(const struct ca_cell *cell) {
    if (cell->instructions < 0 || cell->bare_instructions <= 0)
        printf(" %8s", "-");
    else if (cell->workload->kind == CA_WORKLOAD_PROGRAM)
        printf(" %8.4f", cell->instructions / cell->bare_instructions);
    else
        printf(" %+8.1f", cell->instructions - cell->bare_instructions);
}

static void print_pairs(const struct ca_summary *summary) {
    char text[48];
    snprintf(text, sizeof text, "%d/%d/%d", summary->pair_count[CA_PAIR_QUIET],
             summary->pair_count[CA_PAIR_EVEN], summary->pair_count[CA_PAIR_DISTURBED]);
    printf("  %-8s", text);
}

static void print_bar(const struct ca_summary *summary, double bar, bool is_difference) {
    if (bar > 0)
        printf("  %5.2f %s", is_difference ? bar / 1e6 : bar,
               ca_verdict(summary->ratio, summary->first_quartile, summary->third_quartile, bar));
    printf("\n");
}

static void print_cell(const struct ca_cell *cell, bool is_first) {
    struct ca_summary summary;
    bool is_difference = cell->workload->kind == CA_WORKLOAD_START;
    ca_cell_summarise(cell, &summary);
    printf("%-13s %-9s %10.1f  %-15s ", is_first ? cell->workload->name : "",
           is_first ? cell->workload->operation : "", summary.bare_ns, cell->variant->name);
    if (is_difference)
        print_added_ms(&summary);
    else
        print_ratio(&summary);
    print_instructions(cell);
    print_pairs(&summary);
    print_bar(&summary, ca_bar_ratio(cell->workload->name, cell->variant->name), is_difference);
}

static void print_real_programs(const struct ca_bench *bench) {
    size_t variant_count;
    const struct ca_variant *variants = ca_variants(&variant_count);
    bool is_first = true;
    for (size_t i = 1; i < variant_count; i++) {
        struct ca_summary summary;
        if (!ca_real_programs_median(bench, &variants[i], &summary))
            continue;
        printf("%-13s %-9s %10s  %-15s ", is_first ? "real programs" : "", is_first ? "median" : "",
               "", variants[i].name);
        print_ratio(&summary);
        printf(" %8s", "");
        print_pairs(&summary);
        print_bar(&summary, ca_bar_ratio("real programs", variants[i].name), false);
        is_first = false;
    }
}

static void print_instruction_bars(const struct ca_bench *bench) {
    for (size_t i = 0; i < bench->cell_count; i++) {
        const struct ca_cell *cell = &bench->cells[i];
        double bar = ca_bar_instructions(cell->variant->name);
        if (strcmp(cell->workload->name, "tight") != 0 || bar <= 0 || cell->instructions < 0)
            continue;
        double added = cell->instructions - cell->bare_instructions;
        printf("instructions added to a tight pair, %s: %.1f, bar %.0f: %s\n", cell->variant->name,
               added, bar, ca_verdict(added, added, added, bar));
    }
}

void ca_bench_print(const struct ca_bench *bench) {
    print_head(bench);
    for (size_t i = 0; i < bench->cell_count; i++)
        print_cell(&bench->cells[i],
                   i == 0 || bench->cells[i].workload != bench->cells[i - 1].workload);
    print_real_programs(bench);
    printf("\n");
    print_instruction_bars(bench);
}
