/* SPDX-License-Identifier: MIT
 *
 * Records and budgets as tests write them down. Each test runs in a process of its own, so that
 * nothing here is released. */
#ifndef CA_BUDGET_FIXTURE_H
#define CA_BUDGET_FIXTURE_H

#include "budget/budget_judge.h"

#include <criterion/criterion.h>
#include <string.h>

#define KEY "linux-x86_64-glibc2.36-glibc"

/* Keeps `pointer` reachable, so that a leak checker reports only what the tested code lost. */
static inline void *kept(void *pointer) {
    static void *all[65536];
    static size_t count;
    if (count < sizeof all / sizeof *all)
        all[count++] = pointer;
    return pointer;
}

/* A record of a program with phase "scan" (thread 1 opened it, thread 2 adopted it), "main", and a
 * total. */
struct fixture {
    struct ca_record record;
    struct ca_record_phase phases[3];
    struct ca_share shares[2];
};

static inline struct ca_record *new_record(const char *name, const char *key, uint64_t scan_count,
                                           uint64_t line_count) {
    struct fixture *fixture = kept(calloc(1, sizeof *fixture));
    struct ca_record *record = &fixture->record;
    *record = (struct ca_record){
        .version = "0.1.0",
        .rules = CA_COUNTING_RULES,
        .name = name,
        .executable = "/opt/bin/logstat",
        .arguments = "",
        .has_exit_status = true,
        .is_complete = true,
        .platform_key = key,
        .is_attached = true,
        .level = CA_LEVEL_FULL,
        .phases = fixture->phases,
        .phase_count = 2,
    };
    fixture->phases[0] = (struct ca_record_phase){
        .name = "main",
        .is_process_phase = true,
        .opened = 1,
        .counts = {.allocations = 7, .has_peak = true},
    };
    fixture->shares[0] = (struct ca_share){
        .thread = 1,
        .opened = 1,
        .counts = {.allocations = scan_count, .bytes_requested = 100, .live_blocks = 2},
    };
    fixture->shares[1] = (struct ca_share){.thread = 2, .is_adopted = true};
    fixture->phases[1] = (struct ca_record_phase){
        .name = "scan",
        .opened = 1,
        .units = {{"line", line_count}},
        .units_count = line_count > 0,
        .counts = {.allocations = scan_count,
                   .bytes_requested = 100,
                   .live_blocks = 2,
                   .has_peak = true,
                   .bytes_peak = 4096},
        .shares = fixture->shares,
        .share_count = 2,
    };
    record->total = fixture->phases[1].counts;
    record->total.allocations = scan_count + 7;
    record->total_units[0] = fixture->phases[1].units[0];
    record->total_units_count = line_count > 0;
    return record;
}

static inline struct ca_record_phase *scan_of(struct ca_record *record) {
    return &record->phases[1];
}

/* What thread 2, which adopted the phase, allocated. */
static inline void adopt(struct ca_record *record, uint64_t count) {
    scan_of(record)->shares[1].counts.allocations = count;
    scan_of(record)->counts.allocations += count;
    record->total.allocations += count;
}

static inline struct ca_budget_file *budgets_of(const char *text) {
    struct ca_budget_file *file = kept(calloc(1, sizeof *file));
    struct ca_error err = {""};
    enum ca_status status = ca_budget_file_parse(file, "b.ini", text, strlen(text), &err);
    cr_assert_eq(status, CA_OK, "%s", err.message);
    return file;
}

/* Judges up to four records; NULL ends them. */
static inline struct ca_judgement *judged_as(const struct ca_budget_file *file,
                                             const struct ca_judge_options *options,
                                             struct ca_record *const *records) {
    struct ca_subject *subjects = kept(calloc(4, sizeof *subjects));
    struct ca_judgement *judgement = kept(calloc(1, sizeof *judgement));
    struct ca_error err = {""};
    size_t count = 0;
    for (; records[count] != NULL; count++)
        subjects[count].record = records[count];
    enum ca_status status = ca_budget_judge(file, subjects, count, options, judgement, &err);
    cr_assert_eq(status, CA_OK, "%s", err.message);
    return judgement;
}

#define RECORDS(...) ((struct ca_record *const[]){__VA_ARGS__, NULL})

static inline struct ca_judgement *judged(const char *budgets, struct ca_record *const *records) {
    return judged_as(budgets_of(budgets), &(struct ca_judge_options){.is_strict = false}, records);
}

#endif
