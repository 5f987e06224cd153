/* SPDX-License-Identifier: MIT */
#include "commands/injection_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget/check_escape.h"
#include "budget/check_words.h"
#include "interpose/plain.h"

#define TOTAL          "total"
#define TOTAL_INJECTED "main" /* the phase to which the total's are added */

enum trial_state {
    TRIAL_PLANNED = 0,
    TRIAL_TURNED,      /* over with the added ones */
    TRIAL_OVER_BEFORE, /* over without */
    TRIAL_SILENT,      /* they were added, and the budget did not turn over */
    TRIAL_UNREACHABLE, /* it would take more than CA_INJECTION_REACH */
    TRIAL_UNTESTABLE,  /* its kind of limit */
    TRIAL_NOT_ADDED,   /* the count did not rise */
    TRIAL_NOT_MEASURED /* the run with the added ones */
};

/* One limit of one budget. */
struct trial {
    const struct ca_verdict *verdict;       /* of the run without additions */
    const struct ca_comparison *comparison; /* of it */
    uint64_t needed;                        /* to add */
    enum trial_state state;
    ca_i128 measured; /* in the run with them */
    ca_u128 allowed;
    char cause[CA_RECORD_NOTE_SIZE]; /* of NOT_MEASURED */
};

struct tester {
    struct ca_check_job *job;
    struct trial *trials; /* trial_count */
    size_t trial_count;
    struct ca_error *err;
};

/* ---- planning ---- */

static void plan(struct trial *trial) {
    const struct ca_comparison *comparison = trial->comparison;
    ca_u128 allowed = comparison->limit + comparison->tolerance;
    ca_i128 measured = comparison->measured;
    if (comparison->kind == CA_LIMIT_BYTES_PEAK || comparison->kind == CA_LIMIT_LIVE_BLOCKS)
        trial->state = TRIAL_UNTESTABLE;
    else if (comparison->verdict == CA_VERDICT_OVER)
        trial->state = TRIAL_OVER_BEFORE;
    else if (allowed - (ca_u128)measured >= CA_INJECTION_REACH)
        trial->state = TRIAL_UNREACHABLE;
    else
        trial->needed = (uint64_t)(allowed - (ca_u128)measured) + 1;
}

static enum ca_status make_trials(struct tester *tester) {
    const struct ca_judgement *judgement = &tester->job->judgement;
    tester->trials = calloc(judgement->comparison_count + 1, sizeof *tester->trials);
    if (tester->trials == NULL)
        return ca_error_memory(tester->err);
    for (size_t i = 0; i < judgement->verdict_count; i++)
        for (size_t k = 0; k < judgement->verdicts[i].comparison_count; k++) {
            struct trial *trial = &tester->trials[tester->trial_count++];
            trial->verdict = &judgement->verdicts[i];
            trial->comparison = &trial->verdict->comparisons[k];
            plan(trial);
        }
    return CA_OK;
}

/* ---- running ---- */

static const struct ca_verdict *find_verdict(const struct ca_judgement *judgement,
                                             const struct trial *trial) {
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (judgement->verdicts[i].section == trial->verdict->section)
            return &judgement->verdicts[i];
    return NULL;
}

static void conclude(struct trial *trial, const struct ca_judgement *judgement) {
    const struct ca_verdict *verdict = find_verdict(judgement, trial);
    trial->state = TRIAL_NOT_MEASURED;
    if (verdict == NULL || verdict->kind == CA_VERDICT_INVALID) {
        ca_plain_copy(trial->cause, verdict != NULL ? verdict->cause : "it has no such budget",
                      sizeof trial->cause);
        return;
    }
    for (size_t i = 0; i < verdict->comparison_count; i++) {
        const struct ca_comparison *comparison = &verdict->comparisons[i];
        if (comparison->kind != trial->comparison->kind)
            continue;
        trial->measured = comparison->measured;
        trial->allowed = comparison->limit + comparison->tolerance;
        trial->state = comparison->verdict == CA_VERDICT_OVER                ? TRIAL_TURNED
                       : comparison->measured == trial->comparison->measured ? TRIAL_NOT_ADDED
                                                                             : TRIAL_SILENT;
    }
}

/* The trials from `at` on that belong into one run: same kind of limit, total or not, as many as
 * there is room for. Marks them in `is_taken`, which has an element for each. */
static uint32_t gather(const struct tester *tester, size_t at, bool *is_taken,
                       struct ca_injection *injections) {
    const struct trial *first = &tester->trials[at];
    bool is_total = strcmp(first->verdict->phase, TOTAL) == 0;
    uint32_t count = 0;
    for (size_t i = at; i < tester->trial_count && count < CA_INJECTION_CAPACITY; i++) {
        const struct trial *trial = &tester->trials[i];
        const char *phase = trial->verdict->phase;
        is_taken[i] = trial->state == TRIAL_PLANNED &&
                      trial->comparison->kind == first->comparison->kind &&
                      (strcmp(phase, TOTAL) == 0) == is_total && (!is_total || i == at);
        if (!is_taken[i])
            continue;
        ca_plain_copy(injections[count].phase, is_total ? TOTAL_INJECTED : phase,
                      sizeof injections[count].phase);
        injections[count++].allocation_count = trial->needed;
    }
    return count;
}

static enum ca_status run_trials(struct tester *tester, size_t at, bool *is_taken) {
    struct ca_injection injections[CA_INJECTION_CAPACITY] = {{.allocation_count = 0}};
    struct ca_measurement *measurement = calloc(1, sizeof *measurement);
    struct ca_judgement judgement = {0};
    struct ca_subject subject;
    if (measurement == NULL)
        return ca_error_memory(tester->err);
    ca_measurement_init(measurement);
    memset(is_taken, 0, tester->trial_count * sizeof *is_taken);
    uint32_t count = gather(tester, at, is_taken, injections);
    enum ca_status status = ca_check_job_rerun(tester->job, injections, count, measurement,
                                               &subject, &judgement, tester->err);
    for (size_t i = 0; i < tester->trial_count && status == CA_OK; i++)
        if (is_taken[i])
            conclude(&tester->trials[i], &judgement);
    ca_judgement_release(&judgement);
    ca_measurement_release(measurement);
    free(measurement);
    return status;
}

static enum ca_status run_all(struct tester *tester) {
    bool *is_taken = calloc(tester->trial_count + 1, sizeof *is_taken);
    enum ca_status status = is_taken != NULL ? CA_OK : ca_error_memory(tester->err);
    for (size_t i = 0; i < tester->trial_count && status == CA_OK; i++)
        if (tester->trials[i].state == TRIAL_PLANNED)
            status = run_trials(tester, i, is_taken);
    free(is_taken);
    return status;
}

/* ---- telling ---- */

static bool is_failed(const struct trial *trial) {
    return trial->state == TRIAL_SILENT || trial->state == TRIAL_UNREACHABLE;
}

static bool is_good(const struct trial *trial) {
    return trial->state == TRIAL_TURNED || trial->state == TRIAL_OVER_BEFORE;
}

static void describe(const struct trial *trial, char *ret_text, size_t size) {
    char text[3][CA_NUMBER_TEXT_SIZE], amount[80];
    enum ca_limit_kind kind = trial->comparison->kind;
    ca_u128 allowed = trial->comparison->limit + trial->comparison->tolerance;
    ca_words_amount(kind, trial->comparison->measured, amount);
    switch (trial->state) {
    case TRIAL_TURNED:
        snprintf(ret_text, size, "turned over by %llu more: %s, limit %s",
                 (unsigned long long)trial->needed, ca_words_amount(kind, trial->measured, amount),
                 ca_u128_text(trial->allowed, text[0]));
        break;
    case TRIAL_OVER_BEFORE:
        snprintf(ret_text, size, "over without any added: %s, limit %s", amount,
                 ca_u128_text(allowed, text[0]));
        break;
    case TRIAL_SILENT:
        snprintf(ret_text, size,
                 "did not turn over: %llu were added to %s, then %s were counted, limit %s; the "
                 "program does not do the same each time ('countalloc run --repeat 5' says where)",
                 (unsigned long long)trial->needed, amount, ca_i128_text(trial->measured, text[0]),
                 ca_u128_text(trial->allowed, text[1]));
        break;
    case TRIAL_UNREACHABLE:
        snprintf(ret_text, size,
                 "nothing would turn it over: %s, limit %s; lower it: countalloc check --update",
                 amount, ca_u128_text(allowed, text[0]));
        break;
    case TRIAL_NOT_ADDED:
        snprintf(ret_text, size,
                 "not tested: allocations could not be added to this phase (%s before and after)",
                 amount);
        break;
    case TRIAL_NOT_MEASURED:
        snprintf(ret_text, size, "not tested: the run with %llu more was not measured: %.400s",
                 (unsigned long long)trial->needed, trial->cause);
        break;
    default:
        snprintf(ret_text, size,
                 "not tested: what is added is freed again, so that it does not raise %s",
                 ca_limit_name(kind));
        break;
    }
}

static void put_trial(const struct tester *tester, const struct trial *trial, struct ca_out *out) {
    char place[CA_WORDS_SIZE], text[1024];
    snprintf(place, sizeof place, ":%u: ", trial->comparison->line);
    describe(trial, text, sizeof text);
    ca_escape(out, CA_SYNTAX_TERMINAL, tester->job->file.path);
    ca_escape(out, CA_SYNTAX_TERMINAL, place);
    ca_escape(out, CA_SYNTAX_TERMINAL, ca_words_program(trial->verdict));
    ca_out_text(out, "/");
    ca_escape(out, CA_SYNTAX_TERMINAL, trial->verdict->phase);
    ca_out_text(out, ": ");
    ca_escape(out, CA_SYNTAX_TERMINAL, text);
    ca_out_text(out, "\n");
}

static void write_page(void *stream, const char *bytes, size_t byte_count) {
    fwrite(bytes, 1, byte_count, stream);
}

static int tell(const struct tester *tester) {
    size_t good_count = 0, failed_count = 0, unknown_count;
    for (size_t i = 0; i < tester->trial_count; i++) {
        good_count += is_good(&tester->trials[i]);
        failed_count += is_failed(&tester->trials[i]);
    }
    unknown_count = tester->trial_count - good_count - failed_count;
    int status = failed_count > 0 ? 1 : unknown_count > 0 ? 3 : 0;
    char title[CA_WORDS_SIZE];
    struct ca_out out;
    ca_out_init(&out, write_page, stdout);
    snprintf(title, sizeof title,
             "countalloc check --self-test: %s  %zu limits turned over, %zu did not, %zu not "
             "tested\n",
             status == 0   ? "PASS"
             : status == 1 ? "FAIL"
                           : "NOT MEASURED",
             good_count, failed_count, unknown_count);
    ca_out_text(&out, title);
    for (int rank = 0; rank < 3; rank++)
        for (size_t i = 0; i < tester->trial_count; i++) {
            const struct trial *trial = &tester->trials[i];
            int rank_here = is_failed(trial) ? 0 : is_good(trial) ? 2 : 1;
            if (rank_here == rank)
                put_trial(tester, trial, &out);
        }
    ca_out_flush(&out);
    return status;
}

enum ca_status ca_injection_test(struct ca_check_job *job, int *ret_exit, struct ca_error *err) {
    struct tester tester = {.job = job, .err = err};
    enum ca_status status = make_trials(&tester);
    if (status == CA_OK)
        status = run_all(&tester);
    if (status == CA_OK)
        *ret_exit = tell(&tester);
    free(tester.trials);
    return status;
}
