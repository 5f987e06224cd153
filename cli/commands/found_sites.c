/* SPDX-License-Identifier: MIT */
#include "commands/found_sites.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flame/byte_buffer.h"

#define TOTAL "total"

struct finder {
    struct ca_found_sites *found;
    struct ca_check_job *job;
    char root[PATH_MAX]; /* of the repository, without a slash at its end; "": there is none */
    struct ca_error *err;
};

/* ---- records of --against ---- */

enum ca_status ca_found_sites_check(const struct ca_check_job *job, struct ca_error *err) {
    for (size_t i = 0; i < job->against_count; i++) {
        const struct ca_record *record = &job->against[i].record;
        const char *path = job->options.against[i];
        bool has_subject = false;
        if (!record->is_attached || record->level == CA_LEVEL_NONE)
            return ca_error_set(err, CA_ERROR_INPUT, "--against %s: nothing was measured", path);
        if (record->stack_depth == 0)
            return ca_error_set(err, CA_ERROR_INPUT,
                                "--against %s: it has no call sites: record it again with "
                                "'countalloc run --sites -o FILE'",
                                path);
        for (size_t k = 0; k < job->subject_count; k++)
            has_subject |= strcmp(job->subjects[k].record->name, record->name) == 0;
        if (!has_subject)
            return ca_error_set(err, CA_ERROR_INPUT,
                                "--against %s: it is of program '%s', and no such program is "
                                "checked (--name gives one another name)",
                                path, record->name);
    }
    return CA_OK;
}

/* Of the same program, and of the same platform when there is one. */
static size_t find_against(const struct ca_check_job *job, const struct ca_record *record) {
    size_t found = job->against_count;
    for (size_t i = 0; i < job->against_count; i++) {
        const struct ca_record *candidate = &job->against[i].record;
        if (strcmp(candidate->name, record->name) != 0)
            continue;
        if (strcmp(candidate->platform_key, record->platform_key) == 0)
            return i;
        found = found == job->against_count ? i : found;
    }
    return found;
}

/* ---- files ---- */

static void find_root(struct finder *finder) {
    struct stat facts;
    char mark[PATH_MAX + 8];
    if (getcwd(finder->root, sizeof finder->root) == NULL)
        finder->root[0] = '\0';
    while (finder->root[0] != '\0') {
        snprintf(mark, sizeof mark, "%s/.git", finder->root);
        if (stat(mark, &facts) == 0)
            return;
        *strrchr(finder->root, '/') = '\0';
    }
}

/* Where compilers were given a name without a folder, it is taken from here, then from the root. */
static bool find_file(const struct finder *finder, const char *file, char *ret_real) {
    char name[PATH_MAX];
    if (realpath(file, ret_real) != NULL)
        return true;
    int length = snprintf(name, sizeof name, "%s/%s", finder->root, file);
    return file[0] != '/' && (size_t)length < sizeof name && realpath(name, ret_real) != NULL;
}

/* `*ret_path`: `file` from the root of the repository, NULL when it is not in it. False: no
 * memory. */
static bool find_in_repository(struct finder *finder, const char *file, const char **ret_path) {
    struct ca_found_sites *found = finder->found;
    char real[PATH_MAX];
    size_t root_length = strlen(finder->root);
    *ret_path = NULL;
    if (root_length == 0 || file == NULL || !find_file(finder, file, real) ||
        strncmp(real, finder->root, root_length) != 0 || real[root_length] != '/')
        return true;
    char **paths =
        ca_array_grown(found->paths, found->path_count, &found->path_capacity, sizeof *paths);
    if (paths == NULL)
        return false;
    found->paths = paths;
    paths[found->path_count] = strdup(real + root_length + 1);
    *ret_path = paths[found->path_count];
    return *ret_path != NULL && ++found->path_count > 0;
}

/* ---- what to know about it ---- */

__attribute__((format(printf, 2, 3))) static void note(struct ca_check_sites *sites,
                                                       const char *format, ...) {
    va_list arguments;
    if (sites->note_count == CA_CHECK_SITE_NOTES)
        return;
    va_start(arguments, format);
    vsnprintf(sites->notes[sites->note_count++], CA_CHECK_NOTE_SIZE, format, arguments);
    va_end(arguments);
}

static void note_units(struct ca_check_sites *sites, const struct ca_verdict *verdict,
                       const struct ca_site_diff *diff, const char *phase) {
    struct ca_unit_pair units[2 * CA_UNIT_CAPACITY];
    uint32_t count = ca_site_units(diff, phase, units);
    for (uint32_t i = 0; i < count && verdict->unit != NULL; i++)
        if (strcmp(units[i].name, verdict->unit) == 0 && units[i].before != units[i].after)
            note(sites,
                 "'%.31s' was %llu in %.200s and is %llu now: a site can have grown with its "
                 "input alone",
                 verdict->unit, (unsigned long long)units[i].before, sites->against,
                 (unsigned long long)units[i].after);
}

static void add_notes(struct ca_check_sites *sites, const struct ca_verdict *verdict,
                      const struct ca_site_diff *diff, const char *phase, bool is_compared) {
    const struct ca_comparison *worst = &verdict->comparisons[0];
    char advice[CA_DIFF_NOTE_SIZE] = "";
    for (size_t i = 0; i < verdict->comparison_count; i++)
        if (verdict->comparisons[i].verdict == CA_VERDICT_OVER) {
            worst = &verdict->comparisons[i];
            break;
        }
    if (sites->against == NULL)
        note(sites, "the largest sites; '--against RECORD' of a version within the budget names "
                    "those that are new");
    else if (!is_compared)
        note(sites, "no site is new or has grown against %.200s: these are the largest",
             sites->against);
    if (ca_site_advice(sites->sites[0].function, sites->sites[0].caller_count,
                       diff->after->stack_depth, advice) != NULL)
        note(sites, "%s", advice);
    if (is_compared)
        note_units(sites, verdict, diff, phase);
    if (worst->kind == CA_LIMIT_BYTES_PEAK || worst->kind == CA_LIMIT_LIVE_BLOCKS)
        note(sites, "sites count what was allocated, whether it was freed or not");
    if (verdict->adopted_allocations > 0)
        note(sites, "sites count all threads, those that adopted the phase, too");
    for (uint32_t i = 0; i < diff->note_count && is_compared; i++)
        if (strcmp(diff->notes[i], advice) != 0)
            note(sites, "%s", diff->notes[i]);
}

/* ---- one verdict ---- */

static enum ca_limit_kind kind_of(const struct ca_verdict *verdict) {
    for (size_t i = 0; i < verdict->comparison_count; i++)
        if (verdict->comparisons[i].verdict == CA_VERDICT_OVER)
            return verdict->comparisons[i].kind == CA_LIMIT_BYTES ||
                           verdict->comparisons[i].kind == CA_LIMIT_BYTES_PEAK
                       ? CA_LIMIT_BYTES
                       : CA_LIMIT_ALLOCATIONS;
    return CA_LIMIT_ALLOCATIONS;
}

/* A site of the diff with what is counted, as an order can be made of. */
struct candidate {
    const struct ca_changed_site *site;
    enum ca_check_site_kind kind;
    int64_t before;
    int64_t after;
};

static int compare_candidates(const void *left, const void *right) {
    const struct candidate *a = left, *b = right;
    int64_t of_a = a->after - a->before, of_b = b->after - b->before;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (of_a != of_b)
        return of_a > of_b ? -1 : 1;
    return (a->site > b->site) - (a->site < b->site);
}

/* Those of a phase (NULL: of all) that have more than before; what has less is summed up. */
static size_t collect(const struct ca_site_diff *diff, const char *phase, bool is_alone,
                      struct ca_check_sites *sites, struct candidate *ret_candidates) {
    size_t count = 0;
    for (size_t i = 0; i < diff->site_count; i++) {
        const struct ca_changed_site *site = &diff->sites[i];
        const struct ca_figure_pair *figure =
            sites->kind == CA_LIMIT_BYTES ? &site->bytes_requested : &site->allocations;
        if (phase != NULL && strcmp(site->phase, phase) != 0)
            continue;
        if (figure->after > figure->before)
            ret_candidates[count++] =
                (struct candidate){site,
                                   is_alone                      ? CA_CHECK_SITE_LARGEST
                                   : site->change == CA_SITE_NEW ? CA_CHECK_SITE_NEW
                                                                 : CA_CHECK_SITE_GROWN,
                                   figure->before, figure->after};
        sites->less_count += figure->after < figure->before;
        sites->less_amount += figure->after < figure->before ? figure->after - figure->before : 0;
    }
    if (count > 0)
        qsort(ret_candidates, count, sizeof *ret_candidates, compare_candidates);
    return count;
}

static bool add_site(struct finder *finder, struct ca_check_sites *sites,
                     const struct candidate *candidate, bool is_phase_shown) {
    const struct ca_changed_site *site = candidate->site;
    if (sites->site_count == CA_CHECK_SITES) {
        sites->more_count++;
        sites->more_amount += candidate->after - candidate->before;
        return true;
    }
    struct ca_check_site *added = &sites->sites[sites->site_count++];
    *added = (struct ca_check_site){
        .kind = candidate->kind,
        .function = site->function,
        .file = site->file,
        .line = site->line,
        .phase = is_phase_shown ? site->phase : NULL,
        .caller_count = site->caller_count,
        .before = candidate->before,
        .after = candidate->after,
    };
    for (uint32_t i = 0; i < site->caller_count; i++)
        added->callers[i] = site->callers[i];
    return find_in_repository(finder, site->file, &added->repository);
}

/* False: no memory. */
static bool fill(struct finder *finder, struct ca_check_sites *sites,
                 const struct ca_verdict *verdict, const struct ca_site_diff *diff, bool is_alone) {
    const char *phase = strcmp(verdict->phase, TOTAL) == 0 && verdict->measured_phase == NULL
                            ? NULL
                            : verdict->phase;
    struct candidate *candidates = calloc(diff->site_count + 1, sizeof *candidates);
    bool is_ok = candidates != NULL;
    size_t count = is_ok ? collect(diff, phase, is_alone, sites, candidates) : 0;
    for (size_t i = 0; i < count && is_ok; i++)
        is_ok = add_site(finder, sites, &candidates[i], phase == NULL);
    free(candidates);
    if (is_ok && count > 0)
        add_notes(sites, verdict, diff, phase, !is_alone);
    return is_ok;
}

/* ---- all of them ---- */

static enum ca_status find_largest(struct finder *finder, struct ca_check_sites *sites,
                                   const struct ca_verdict *verdict) {
    struct ca_site_diff alone = {.before = NULL};
    const struct ca_check_sites empty = {.kind = sites->kind, .against = sites->against};
    struct ca_site_diff *kept =
        &finder->found->diffs[finder->found->subject_count +
                              (size_t)(verdict->subject - finder->job->subjects)];
    enum ca_status status = CA_OK;
    if (kept->after == NULL) {
        status = ca_site_diff_init_alone(&alone, verdict->subject->record, finder->err);
        *kept = alone;
    }
    *sites = empty;
    if (status == CA_OK && !fill(finder, sites, verdict, kept, true))
        return ca_error_memory(finder->err);
    return status;
}

static enum ca_status compare_subject(struct finder *finder, size_t subject) {
    struct ca_check_job *job = finder->job;
    const struct ca_record *record = job->subjects[subject].record;
    struct ca_site_diff *diff = &finder->found->diffs[subject];
    size_t index = find_against(job, record);
    if (index == job->against_count || diff->after != NULL)
        return CA_OK;
    finder->found->against[subject] = job->options.against[index];
    return ca_site_diff_init(diff, &job->against[index].record, record, job->options.against[index],
                             "the record", finder->err);
}

static enum ca_status find_for(struct finder *finder, size_t verdict_index) {
    const struct ca_verdict *verdict = &finder->job->judgement.verdicts[verdict_index];
    struct ca_check_sites *sites = &finder->found->sites[verdict_index];
    if (verdict->kind != CA_VERDICT_OVER || verdict->subject->record->stack_depth == 0)
        return CA_OK;
    size_t subject = (size_t)(verdict->subject - finder->job->subjects);
    enum ca_status status = compare_subject(finder, subject);
    const struct ca_site_diff *diff = &finder->found->diffs[subject];
    sites->kind = kind_of(verdict);
    sites->against = finder->found->against[subject];
    if (status == CA_OK && diff->after != NULL && !fill(finder, sites, verdict, diff, false))
        return ca_error_memory(finder->err);
    return status == CA_OK && sites->site_count == 0 ? find_largest(finder, sites, verdict)
                                                     : status;
}

enum ca_status ca_found_sites_init(struct ca_found_sites *found, struct ca_check_job *job,
                                   struct ca_error *err) {
    struct finder finder = {.found = found, .job = job, .err = err};
    size_t verdict_count = job->judgement.verdict_count;
    *found = (struct ca_found_sites){.subject_count = job->subject_count};
    found->sites = calloc(verdict_count + 1, sizeof *found->sites);
    found->diffs = calloc(2 * job->subject_count + 1, sizeof *found->diffs);
    found->against = calloc(job->subject_count + 1, sizeof *found->against);
    if (found->sites == NULL || found->diffs == NULL || found->against == NULL)
        return ca_error_memory(err);
    if (job->judgement.counts[CA_VERDICT_OVER] == 0)
        return CA_OK;
    find_root(&finder);
    enum ca_status status = ca_check_job_name_frames(job, err);
    for (size_t i = 0; i < verdict_count && status == CA_OK; i++)
        status = find_for(&finder, i);
    return status;
}

void ca_found_sites_release(struct ca_found_sites *found) {
    for (size_t i = 0; found->diffs != NULL && i < 2 * found->subject_count; i++)
        ca_site_diff_release(&found->diffs[i]);
    for (size_t i = 0; i < found->path_count; i++)
        free(found->paths[i]);
    free(found->sites);
    free(found->diffs);
    free(found->against);
    free(found->paths);
    *found = (struct ca_found_sites){.sites = NULL};
}
