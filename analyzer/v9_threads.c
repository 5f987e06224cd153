/* SPDX-License-Identifier: MIT
 *
 * v9, threads: v8, except that a regular file is shared out to several threads in ranges of lines.
 *
 * Each thread has a scanner and a result of its own, and nothing is shared while it scans; the
 * results are added up at the end. What comes through a pipe has one reader and is v8's.
 */
#include <countalloc/phase.h>
#include <pthread.h>
#include <stdlib.h>

#include "progress_bar.h"
#include "range_list.h"
#include "scanner_kind.h"
#include "versions.h"
#include "word_scanner.h"

/* What the threads share. */
struct crew {
    const struct ca_scanner_kind *kind;
    struct ca_job job;
    struct ca_blocked_users blocked;
    uint64_t phase_token;
    struct ca_progress *progress;
    pthread_mutex_t lock; /* for what follows, and for drawing */
    struct ca_range_list ranges;
};

struct worker {
    struct crew *crew;
    unsigned number;
    pthread_t thread;
    void *scanner; /* of the crew's kind */
    struct ca_result result;
    struct ca_error err;
    enum ca_status search_status; /* of looking for a range */
};

static bool take_range(struct worker *worker, struct ca_source *ret_source,
                       struct ca_range **ret_range) {
    struct crew *crew = worker->crew;
    pthread_mutex_lock(&crew->lock);
    const bool is_taken = ca_range_list_next(&crew->ranges, ret_source, ret_range,
                                             &worker->search_status, &worker->err);
    if (is_taken) {
        (*ret_range)->thread_number = worker->number;
        ca_progress_add(crew->progress, crew->ranges.range_bytes);
    }
    pthread_mutex_unlock(&crew->lock);
    return is_taken;
}

/* After a failure no further range is handed out; those before it are scanned to their end, because
 * one of them may fail too, and the first failure is the one to report. */
static void return_range(struct worker *worker, struct ca_range *range, uint64_t lines_before,
                         enum ca_status status) {
    struct crew *crew = worker->crew;
    pthread_mutex_lock(&crew->lock);
    range->lines_before = lines_before;
    range->line_count = worker->result.line_count - lines_before;
    range->status = status;
    if (status != CA_OK)
        crew->ranges.is_exhausted = true;
    pthread_mutex_unlock(&crew->lock);
}

static void work(struct worker *worker) {
    struct ca_source source;
    struct ca_range *range;
    enum ca_status status = CA_OK;
    while (status == CA_OK && take_range(worker, &source, &range)) {
        const uint64_t lines_before = worker->result.line_count;
        status = worker->crew->kind->scan(worker->scanner, &source, &worker->result, &worker->err);
        return_range(worker, range, lines_before, status);
    }
}

static void *run_thread(void *argument) {
    struct worker *worker = argument;
    countalloc_phase_adopt(worker->crew->phase_token);
    work(worker);
    countalloc_phase_end();
    return NULL;
}

/* This thread is the first worker. One that cannot be started is done without. */
static unsigned run_crew(struct crew *crew, struct worker *workers, unsigned worker_count) {
    char *scanners = (char *)(workers + worker_count);
    unsigned started_count = 1;
    for (unsigned at = 0; at < worker_count; at++) {
        struct worker *worker = &workers[at];
        worker->crew = crew;
        worker->number = at;
        ca_result_init(&worker->result);
        worker->scanner = scanners + at * crew->kind->scanner_bytes;
        crew->kind->init(worker->scanner, &crew->job, &crew->blocked);
    }
    while (started_count < worker_count && pthread_create(&workers[started_count].thread, NULL,
                                                          run_thread, &workers[started_count]) == 0)
        started_count++;
    work(&workers[0]);
    for (unsigned at = 1; at < started_count; at++)
        pthread_join(workers[at].thread, NULL);
    return started_count;
}

/* Moves them if there are none yet. */
static bool merge_groups(struct ca_groups *groups, struct ca_groups *others) {
    if (groups->slot_count == 0) {
        *groups = *others;
        *others = (struct ca_groups){0};
        return true;
    }
    for (size_t at = 0; at < others->slot_count; at++) {
        const struct ca_group *other = &others->slots[at];
        if (other->route.bytes == NULL)
            continue;
        struct ca_group *group = ca_groups_find(groups, other->hash, other->route, other->model);
        if (group == NULL)
            group = ca_groups_add_copy(groups, other->hash, other->route, other->model);
        if (group == NULL || !ca_tally_merge(&group->tally, &other->tally))
            return false;
        group->token_sum += other->token_sum;
    }
    return true;
}

/* Keeps the first CA_MALFORMED_SHOWN in the order of the file. */
static void merge_malformed(struct ca_result *result, const struct worker *worker) {
    const struct ca_range_list *ranges = &worker->crew->ranges;
    uint64_t shown_count = result->malformed_count;
    for (uint64_t at = 0; at < worker->result.malformed_count && at < CA_MALFORMED_SHOWN; at++) {
        struct ca_malformed moved = worker->result.malformed[at];
        moved.line_number = ca_range_list_line_number(ranges, worker->number, moved.line_number);
        if (shown_count < CA_MALFORMED_SHOWN)
            result->malformed[shown_count++].line_number = UINT64_MAX;
        for (uint64_t place = 0; place < shown_count && place < CA_MALFORMED_SHOWN; place++) {
            const struct ca_malformed held = result->malformed[place];
            if (held.line_number < moved.line_number)
                continue;
            result->malformed[place] = moved;
            moved = held;
        }
    }
    result->malformed_count += worker->result.malformed_count;
}

static enum ca_status merge(struct ca_result *result, struct worker *worker, struct ca_error *err) {
    result->line_count += worker->result.line_count;
    result->blocked_count += worker->result.blocked_count;
    result->error_count += worker->result.error_count;
    merge_malformed(result, worker);
    return merge_groups(&result->groups, &worker->result.groups)
               ? CA_OK
               : ca_result_no_memory(result, &worker->crew->job, err);
}

/* The failure that comes first in the file. */
static enum ca_status find_failure(const struct worker *workers, unsigned worker_count,
                                   struct ca_error *err) {
    const struct crew *crew = workers[0].crew;
    const struct ca_range *failed = ca_range_list_failure(&crew->ranges);
    if (failed != NULL && failed->status == CA_MALFORMED) {
        struct ca_malformed malformed = workers[failed->thread_number].result.malformed[0];
        malformed.line_number =
            ca_range_list_line_number(&crew->ranges, failed->thread_number, malformed.line_number);
        return ca_malformed_fail(&malformed, &crew->job, err);
    }
    if (failed != NULL) {
        *err = workers[failed->thread_number].err;
        return failed->status;
    }
    for (unsigned at = 0; at < worker_count; at++) {
        if (workers[at].search_status == CA_OK)
            continue;
        *err = workers[at].err;
        return workers[at].search_status;
    }
    return CA_OK;
}

static enum ca_status scan_with(struct crew *crew, struct worker *workers, unsigned worker_count,
                                struct ca_result *result, struct ca_error *err) {
    const unsigned started_count = run_crew(crew, workers, worker_count);
    enum ca_status status = find_failure(workers, started_count, err);
    for (unsigned at = 0; at < started_count && status == CA_OK; at++)
        status = merge(result, &workers[at], err);
    for (unsigned at = 0; at < worker_count; at++) {
        crew->kind->release(workers[at].scanner);
        ca_result_release(&workers[at].result);
    }
    return status;
}

static unsigned count_workers(const struct ca_job *job, const struct ca_range_list *ranges) {
    const size_t range_limit = ca_range_list_limit(ranges);
    return range_limit < job->thread_count ? (unsigned)range_limit : job->thread_count;
}

static enum ca_status scan_in_ranges(const struct ca_job *job, struct crew *crew,
                                     struct ca_result *result, struct ca_error *err) {
    const unsigned worker_count = count_workers(job, &crew->ranges);
    /* All workers, then all scanners. */
    struct worker *workers = calloc(worker_count, sizeof *workers + crew->kind->scanner_bytes);
    if (workers == NULL || !ca_blocked_users_init(&crew->blocked, job->blocklist, job->sip_key)) {
        free(workers);
        return ca_result_no_memory(result, job, err);
    }
    const enum ca_status status = scan_with(crew, workers, worker_count, result, err);
    ca_blocked_users_release(&crew->blocked);
    free(workers);
    return status;
}

bool ca_job_has_threads(const struct ca_job *job) {
    return job->thread_count >= 2 && job->source->is_seekable;
}

enum ca_status ca_scan_in_threads(const struct ca_scanner_kind *kind, const struct ca_job *job,
                                  struct ca_result *result, struct ca_error *err) {
    struct crew crew = {
        .kind = kind,
        .job = *job,
        .phase_token = countalloc_phase_token(),
        .progress = job->progress,
        .lock = PTHREAD_MUTEX_INITIALIZER,
    };
    crew.job.progress = NULL; /* drawn under the lock instead */
    ca_range_list_init(&crew.ranges, job->source, job->range_bytes);
    const enum ca_status status = scan_in_ranges(job, &crew, result, err);
    pthread_mutex_destroy(&crew.lock);
    return status;
}

static void init_scanner(void *scanner, const struct ca_job *job,
                         const struct ca_blocked_users *blocked) {
    ca_word_scanner_init(scanner, job, blocked);
}

static enum ca_status scan_source(void *scanner, struct ca_source *source, struct ca_result *result,
                                  struct ca_error *err) {
    return ca_word_scanner_scan(scanner, source, result, err);
}

static void release_scanner(void *scanner) {
    ca_word_scanner_release(scanner);
}

enum ca_status ca_scan_v9(const struct ca_job *job, struct ca_result *result,
                          struct ca_error *err) {
    static const struct ca_scanner_kind words = {sizeof(struct ca_word_scanner), init_scanner,
                                                 scan_source, release_scanner};
    return ca_job_has_threads(job) ? ca_scan_in_threads(&words, job, result, err)
                                   : ca_scan_v8(job, result, err);
}
