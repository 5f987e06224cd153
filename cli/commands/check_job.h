/* SPDX-License-Identifier: MIT
 *
 * What one `countalloc check` does before it reports: budgets, records, judgement. */
#ifndef CA_CHECK_JOB_H
#define CA_CHECK_JOB_H

#include "budget/budget_base.h"
#include "commands/check_options.h"
#include "commands/measure.h"
#include "commands/stdin_again.h"
#include "reader/record_reader.h"
#include "symbols/symbols.h"
#include "writers/output_file.h"

/* Everything one check holds. */
struct ca_check_job {
    struct ca_check_options options;
    const char *const *arguments; /* behind "check" */
    size_t argument_count;
    struct ca_output record_output;
    struct ca_stdin_again standard_input; /* with --self-test */
    struct ca_signals signals;
    struct ca_target target;
    struct ca_allocator allocator; /* with --allocator */
    struct ca_error refusal;
    struct ca_measurement measurement;
    struct ca_loaded_record *loaded; /* of the options' records, loaded_count so far */
    size_t loaded_count;
    struct ca_loaded_record against[CA_CHECK_AGAINST]; /* of the options, against_count so far */
    size_t against_count;
    struct ca_symbols **symbols; /* symbols_count: what frames of the records point to */
    size_t symbols_count;
    struct ca_subject *subjects;
    size_t subject_count;
    struct ca_budget_file file;
    struct ca_budget_base base; /* when options.base_ref is given */
    struct ca_judgement base_judgement;
    struct ca_judgement judgement;
};

/* Reads the budgets (a mistake in them is found before a long run), those of the base, and gets the
 * records: by running the program or from files. */
enum ca_status ca_check_job_prepare(struct ca_check_job *job, struct ca_error *err);

/* Names the frames of all records that have call sites: what is judged, and --against. */
enum ca_status ca_check_job_name_frames(struct ca_check_job *job, struct ca_error *err);

/* Judges the records by `job->file`, and by the base when there is one. */
enum ca_status ca_check_job_judge(struct ca_check_job *job, struct ca_error *err);

/* Runs the program again, with `injection_count` injections, and judges that run by itself, without
 * the base. `measurement` (initialised) and `ret_subject` must outlive the judgement. */
enum ca_status ca_check_job_rerun(struct ca_check_job *job, const struct ca_injection *injections,
                                  uint32_t injection_count, struct ca_measurement *measurement,
                                  struct ca_subject *ret_subject,
                                  struct ca_judgement *ret_judgement, struct ca_error *err);

void ca_check_job_init(struct ca_check_job *job);
void ca_check_job_release(struct ca_check_job *job);

#endif
