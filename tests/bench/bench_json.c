/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdio.h>

#include "bench_results.h"

static json_t *machine_json(const struct ca_bench *bench) {
    struct ca_machine_facts facts;
    ca_machine_describe(&facts);
    return json_pack("{s:s, s:i, s:i, s:i, s:s, s:s, s:f}", "processor", facts.processor, "family",
                     facts.family, "model", facts.model, "cores",
                     CPU_COUNT(&bench->machine.all_cores), "system", facts.system, "libc",
                     facts.libc, "calibration_ns", bench->machine.best_calibration_ns);
}

static json_t *pairs_json(const struct ca_cell *cell) {
    static const char *const kinds[CA_PAIR_KINDS] = {"quiet", "even", "disturbed"};
    json_t *list = json_array();
    for (int i = 0; i < cell->pair_count; i++) {
        const struct ca_pair *pair = &cell->pairs[i];
        json_array_append_new(
            list, json_pack("{s:s, s:f, s:f, s:f, s:f}", "kind", kinds[pair->kind], "bare_ns",
                            pair->bare_ns, "ns", pair->ns, "bare_calibration_ns",
                            pair->bare_calibration_ns, "calibration_ns", pair->calibration_ns));
    }
    return list;
}

static json_t *summary_json(const struct ca_summary *summary, double bar, bool is_difference) {
    const char *unit = is_difference ? "added_ns" : "ratio";
    json_t *json = json_pack("{s:f, s:f, s:f, s:f, s:i, s:i, s:i, s:i}", unit, summary->ratio,
                             "first_quartile", summary->first_quartile, "third_quartile",
                             summary->third_quartile, "of_fastest", summary->ratio_of_fastest,
                             "quiet_pairs", summary->pair_count[CA_PAIR_QUIET], "even_pairs",
                             summary->pair_count[CA_PAIR_EVEN], "disturbed_pairs",
                             summary->pair_count[CA_PAIR_DISTURBED], "used", summary->used_count);
    if (bar > 0) {
        json_object_set_new(json, "bar", json_real(bar));
        json_object_set_new(json, "is_met", json_boolean(summary->ratio <= bar));
    }
    return json;
}

static json_t *cell_json(const struct ca_cell *cell) {
    struct ca_summary summary;
    ca_cell_summarise(cell, &summary);
    json_t *json = json_pack("{s:s, s:s, s:s, s:i, s:f}", "workload", cell->workload->name,
                             "operation", cell->workload->operation, "variant", cell->variant->name,
                             "divisor", (int)ca_workload_divisor(cell->workload, cell->variant),
                             "bare_ns", summary.bare_ns);
    json_object_update_new(
        json, summary_json(&summary, ca_bar_ratio(cell->workload->name, cell->variant->name),
                           cell->workload->kind == CA_WORKLOAD_START));
    if (cell->instructions >= 0) {
        json_object_set_new(json, "bare_instructions", json_real(cell->bare_instructions));
        json_object_set_new(json, "instructions", json_real(cell->instructions));
    }
    json_object_set_new(json, "pairs", pairs_json(cell));
    return json;
}

static json_t *real_programs_json(const struct ca_bench *bench) {
    json_t *list = json_array();
    size_t variant_count;
    const struct ca_variant *variants = ca_variants(&variant_count);
    for (size_t i = 1; i < variant_count; i++) {
        struct ca_summary summary;
        if (!ca_real_programs_median(bench, &variants[i], &summary))
            continue;
        json_t *json =
            summary_json(&summary, ca_bar_ratio("real programs", variants[i].name), false);
        json_object_set_new(json, "variant", json_string(variants[i].name));
        json_array_append_new(list, json);
    }
    return list;
}

bool ca_bench_write_json(const struct ca_bench *bench, const char *path) {
    json_t *cells = json_array();
    for (size_t i = 0; i < bench->cell_count; i++)
        json_array_append_new(cells, cell_json(&bench->cells[i]));
    json_t *root =
        json_pack("{s:s, s:s, s:i, s:o, s:o, s:o}", "schema", "countalloc.bench/2", "countalloc",
                  COUNTALLOC_VERSION, "rounds", bench->round_count, "machine", machine_json(bench),
                  "cells", cells, "real_programs", real_programs_json(bench));
    bool is_good = json_dump_file(root, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0;
    json_decref(root);
    if (!is_good)
        fprintf(stderr, "bench: cannot write %s\n", path);
    return is_good;
}
