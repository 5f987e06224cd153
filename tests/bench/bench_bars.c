/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "bench_results.h"

struct bar {
    const char *workload;
    const char *variant;
    double most;
};

static const struct bar bars[] = {
    {"tight", "counts", 1.20},       {"tight", "live", 1.35},
    {"tight", "sites", 1.45},        {"tight", "stacks", 2.0},
    {"tight", "jemalloc", 1.0},      {"deep", "stacks", 4.0},
    {"ring", "counts", 1.08},        {"ring", "live", 1.16},
    {"tight2", "counts", 1.12},      {"tight2", "live", 1.25},
    {"tight2", "jemalloc", 1.0},     {"ring2", "counts", 1.12},
    {"ring2", "live", 1.25},         {"ring2", "jemalloc", 1.0},
    {"logstat v0", "counts", 1.08},  {"logstat v0", "live", 1.14},
    {"logstat v0", "sites", 1.12},   {"logstat v0", "stacks", 1.5},
    {"logstat v0", "jemalloc", 1.0}, {"real programs", "counts", 1.02},
    {"real programs", "live", 1.03}, {"start", "counts", 500e3},
    {"start", "live", 500e3},
};

static const struct bar instruction_bars[] = {{"tight", "counts", 24}, {"tight", "live", 45}};

static double find(const struct bar *list, size_t count, const char *workload,
                   const char *variant) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].workload, workload) == 0 && strcmp(list[i].variant, variant) == 0)
            return list[i].most;
    return 0;
}

double ca_bar_ratio(const char *workload, const char *variant) {
    return find(bars, sizeof bars / sizeof bars[0], workload, variant);
}

double ca_bar_instructions(const char *variant) {
    return find(instruction_bars, sizeof instruction_bars / sizeof instruction_bars[0], "tight",
                variant);
}

const char *ca_verdict(double figure, double first_quartile, double third_quartile, double bar) {
    bool is_open = first_quartile <= bar && bar < third_quartile;
    if (figure <= bar)
        return is_open ? "met ?" : "met";
    return is_open ? "not met ?" : "not met";
}

bool ca_real_programs_median(const struct ca_bench *bench, const struct ca_variant *variant,
                             struct ca_summary *ret_summary) {
    double ratios[CA_CELLS_MAX];
    double fastest[CA_CELLS_MAX];
    int count = 0;
    *ret_summary = (struct ca_summary){0};
    for (size_t i = 0; i < bench->cell_count; i++) {
        struct ca_summary summary;
        if (bench->cells[i].variant != variant || !bench->cells[i].workload->is_real_program)
            continue;
        ca_cell_summarise(&bench->cells[i], &summary);
        for (int kind = 0; kind < CA_PAIR_KINDS; kind++)
            ret_summary->pair_count[kind] += summary.pair_count[kind];
        if (summary.worst > ret_summary->worst)
            ret_summary->worst = summary.worst;
        ratios[count] = summary.ratio;
        fastest[count++] = summary.ratio_of_fastest;
    }
    ret_summary->used_count = count;
    ret_summary->ratio = ca_quantile(ratios, count, 0.5);
    ret_summary->first_quartile = ca_quantile(ratios, count, 0.25);
    ret_summary->third_quartile = ca_quantile(ratios, count, 0.75);
    ret_summary->ratio_of_fastest = ca_quantile(fastest, count, 0.5);
    return count > 0;
}
