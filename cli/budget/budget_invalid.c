/* SPDX-License-Identifier: MIT */
#include "budget/budget_invalid.h"

#include <stdio.h>
#include <string.h>

/* ---- names ---- */

const char *ca_verdict_name(enum ca_verdict_kind kind) {
    static const char *const names[CA_VERDICT_COUNT] = {"ok",      "over",  "improved",
                                                        "invalid", "stale", "unbudgeted"};
    return names[kind];
}

const char *ca_invalid_reason_name(enum ca_invalid_reason reason) {
    static const char *const names[] = {
        [CA_INVALID_NONE] = "none",
        [CA_INVALID_NOT_MEASURED] = "not measured",
        [CA_INVALID_RULES] = "other counting rules",
        [CA_INVALID_TIMED_OUT] = "timed out",
        [CA_INVALID_SIGNAL] = "killed by signal",
        [CA_INVALID_INCOMPLETE] = "incomplete",
        [CA_INVALID_EXIT_STATUS] = "program failed",
        [CA_INVALID_PARTIAL] = "counted in part",
        [CA_INVALID_NO_SECTION] = "no section matched",
        [CA_INVALID_NO_PLATFORM] = "no section matched the platform",
        [CA_INVALID_NEVER_OPENED] = "phase never opened",
        [CA_INVALID_OVERFLOW] = "counters overflowed",
        [CA_INVALID_NO_THREADS] = "no figures by thread",
        [CA_INVALID_NO_UNIT] = "unit missing",
        [CA_INVALID_ZERO_UNITS] = "0 units",
        [CA_INVALID_NO_LIMIT] = "no limit for this platform",
        [CA_INVALID_LIVE_OFF] = "live bytes not measured",
    };
    return names[reason];
}

/* ---- verdicts ---- */

enum ca_status ca_verdict_invalidate(struct ca_verdict *verdict, enum ca_invalid_reason reason,
                                     char *cause, char *next_step, struct ca_error *err) {
    verdict->kind = CA_VERDICT_INVALID;
    verdict->reason = reason;
    verdict->is_about_record = reason < CA_INVALID_NO_SECTION;
    verdict->cause = cause;
    verdict->next_step = next_step;
    verdict->comparison_count = 0;
    return cause != NULL && next_step != NULL ? CA_OK : ca_error_memory(err);
}

char *ca_text_of(const char *format, ...) {
    char *text;
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    __builtin_va_end(arguments);
    return length >= 0 ? text : NULL;
}

void ca_listing_add(struct ca_listing *listing, const char *name) {
    if (listing->count++ >= CA_LISTED_MAX)
        return;
    int added = snprintf(listing->text + listing->length, sizeof listing->text - listing->length,
                         "%s%.100s", listing->length > 0 ? ", " : "", name);
    listing->length += (size_t)added;
}

const char *ca_listing_text(struct ca_listing *listing, const char *nothing) {
    if (listing->count == 0)
        return nothing;
    if (listing->count > CA_LISTED_MAX)
        snprintf(listing->text + listing->length, sizeof listing->text - listing->length,
                 " and %u more", listing->count - CA_LISTED_MAX);
    return listing->text;
}

/* ---- what is wrong with a record as a whole ---- */

/* A program that catches the signal may still end by itself, incomplete. */
static bool is_timed_out(const struct ca_subject *subject) {
    const struct ca_record *record = subject->record;
    return subject->is_timed_out || record->is_timed_out ||
           (!record->is_complete && record->has_exit_status);
}

static bool is_status_allowed(const struct ca_judge_options *options, int exit_status) {
    for (size_t i = 0; i < options->allowed_count; i++)
        if (options->allowed_status[i] == exit_status)
            return true;
    return exit_status == 0;
}

enum ca_invalid_reason ca_subject_reason(const struct ca_subject *subject,
                                         const struct ca_judge_options *options) {
    const struct ca_record *record = subject->record;
    if (!record->is_attached || record->level == CA_LEVEL_NONE)
        return CA_INVALID_NOT_MEASURED;
    if (record->rules != CA_COUNTING_RULES)
        return CA_INVALID_RULES;
    if (is_timed_out(subject))
        return CA_INVALID_TIMED_OUT;
    if (record->signal != 0)
        return CA_INVALID_SIGNAL;
    if (!record->is_complete)
        return CA_INVALID_INCOMPLETE;
    if (record->has_exit_status && !is_status_allowed(options, record->exit_status))
        return CA_INVALID_EXIT_STATUS;
    if (record->level == CA_LEVEL_PARTIAL &&
        (!options->is_partial_ok || record->total.allocations == 0))
        return CA_INVALID_PARTIAL;
    return CA_INVALID_NONE;
}

enum ca_status ca_verdict_invalidate_for_record(struct ca_verdict *verdict,
                                                enum ca_invalid_reason reason,
                                                struct ca_error *err) {
    const struct ca_record *record = verdict->subject->record;
    const char *note = record->note_count > 0 ? record->notes[0] : NULL;
    const char *last_note = record->note_count > 0 ? record->notes[record->note_count - 1] : NULL;
    switch (reason) {
    case CA_INVALID_NOT_MEASURED:
        return ca_verdict_invalidate(
            verdict, reason,
            ca_text_of("%s", note != NULL ? note : "the counting library was never in charge"),
            ca_text_of("'countalloc doctor -- PROGRAM' says whether the program can be "
                       "counted, and how"),
            err);
    case CA_INVALID_RULES:
        return ca_verdict_invalidate(
            verdict, reason,
            ca_text_of("the record was counted by rules %u, budgets are for rules %u",
                       record->rules, CA_COUNTING_RULES),
            ca_text_of("run the program again with this version of countalloc"), err);
    case CA_INVALID_TIMED_OUT:
        return ca_verdict_invalidate(
            verdict, reason, ca_text_of("--timeout ended the program before it was done"),
            ca_text_of("raise --timeout, or give the program less to do"), err);
    case CA_INVALID_SIGNAL:
        return ca_verdict_invalidate(
            verdict, reason,
            ca_text_of("signal %d (%s) killed the program: its counts end there", record->signal,
                       strsignal(record->signal)),
            ca_text_of("run it without countalloc: if it dies there, too, it is the program's "
                       "own fault"),
            err);
    case CA_INVALID_EXIT_STATUS:
        return ca_verdict_invalidate(
            verdict, reason,
            ca_text_of("the program failed with exit status %d", record->exit_status),
            ca_text_of("see what it said; if that status is expected, --allow-status %d",
                       record->exit_status),
            err);
    case CA_INVALID_PARTIAL:
        return ca_verdict_invalidate(
            verdict, reason,
            ca_text_of("only part of the program was counted: %s",
                       last_note != NULL ? last_note : "the record does not say which"),
            record->total.allocations == 0
                ? ca_text_of("'countalloc doctor -- PROGRAM' says what cannot be counted")
                : ca_text_of("count the part that matters by itself, or --uncounted-ok to judge "
                             "what was counted"),
            err);
    default:
        return ca_verdict_invalidate(
            verdict, reason, ca_text_of("the record says that the program did not run to its end"),
            ca_text_of("record it again"), err);
    }
}
