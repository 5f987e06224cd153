/* SPDX-License-Identifier: MIT
 *
 * Which call sites stand behind the budgets that are over: those of the judged records, against the
 * records of --against. Looks up symbols of records that have none. */
#ifndef CA_FOUND_SITES_H
#define CA_FOUND_SITES_H

#include "budget/check_sites.h"
#include "commands/check_job.h"
#include "diff/site_diff.h"

struct ca_found_sites {
    struct ca_check_sites *sites; /* of each verdict of the job's judgement */
    struct ca_site_diff *diffs;   /* of each subject; all zero without sites */
    const char **against;         /* of each subject: the file; NULL: none */
    size_t subject_count;
    char **paths; /* path_count that the records have not */
    size_t path_count;
    size_t path_capacity;
};

/* Refuses records of --against that cannot be compared: CA_ERROR_INPUT says why. */
enum ca_status ca_found_sites_check(const struct ca_check_job *job, struct ca_error *err);

/* CA_ERROR_SYSTEM: no memory. Release it all the same. `job` and its judgement are kept. */
enum ca_status ca_found_sites_init(struct ca_found_sites *found, struct ca_check_job *job,
                                   struct ca_error *err);

void ca_found_sites_release(struct ca_found_sites *found);

#endif
