/* SPDX-License-Identifier: MIT */
#include "budget/check_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget/check_escape.h"

#define THREADS_SHOWN 4u

/* ---- names ---- */

size_t ca_words_platform_count(const struct ca_check_report *report) {
    size_t platform_count = 0;
    for (size_t i = 0; i < report->subject_count; i++) {
        bool is_new = true;
        for (size_t k = 0; k < i && is_new; k++)
            is_new = strcmp(report->subjects[k].record->platform_key,
                            report->subjects[i].record->platform_key) != 0;
        platform_count += is_new;
    }
    return platform_count;
}

const char *ca_words_program(const struct ca_verdict *verdict) {
    return verdict->section != NULL ? verdict->section->program : verdict->subject->record->name;
}

static char *joined(const char *before, const char *between, const char *after) {
    char *text;
    return asprintf(&text, "%s%s%s", before, between, after) >= 0 ? text : NULL;
}

char *ca_words_phase(const struct ca_check_report *report, const struct ca_verdict *verdict) {
    if (verdict->subject == NULL || ca_words_platform_count(report) < 2)
        return strdup(verdict->phase);
    return joined(verdict->phase, " on ", verdict->subject->record->platform_key);
}

char *ca_words_title(const struct ca_check_report *report, const struct ca_verdict *verdict) {
    char *phase = ca_words_phase(report, verdict);
    char *title = phase != NULL ? joined(ca_words_program(verdict), "/", phase) : NULL;
    free(phase);
    return title;
}

/* ---- numbers ---- */

const char *ca_words_amount(enum ca_limit_kind kind, ca_i128 amount, char *ret_text) {
    static const char *const nouns[CA_LIMIT_COUNT] = {"allocation", "byte", "byte at the peak",
                                                      "live block"};
    static const char *const plurals[CA_LIMIT_COUNT] = {"allocations", "bytes", "bytes at the peak",
                                                        "live blocks"};
    char number[CA_NUMBER_TEXT_SIZE];
    snprintf(ret_text, 80, "%s %s", ca_i128_text(amount, number),
             amount == 1 ? nouns[kind] : plurals[kind]);
    return ret_text;
}

/* An s where English would have one for sure. */
static const char *plural_of(const char *unit, uint64_t unit_count) {
    size_t length = strlen(unit);
    char last = length > 0 ? unit[length - 1] : 's';
    bool is_letter = (last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z');
    return unit_count == 1 || !is_letter || strchr("sxyzh", last) != NULL ? "" : "s";
}

const char *ca_words_formula(const struct ca_verdict *verdict,
                             const struct ca_comparison *comparison, char *ret_text) {
    if (verdict->unit == NULL && comparison->tolerance == 0)
        return "";
    char rate[CA_NUMBER_TEXT_SIZE], tolerance[64] = "", growing[128] = "", amount[128] = "";
    if (comparison->tolerance > 0)
        snprintf(tolerance, sizeof tolerance, " + tolerance %llu",
                 (unsigned long long)comparison->tolerance);
    if (verdict->unit != NULL) {
        const char *brace[2] = {"(", ")"};
        bool is_whole = comparison->rate.denominator == 1;
        snprintf(growing, sizeof growing, "%s%s%s/%s + ", is_whole ? "" : brace[0],
                 ca_ratio_text(comparison->rate, rate), is_whole ? "" : brace[1], verdict->unit);
        snprintf(amount, sizeof amount, " for %llu %s%s", (unsigned long long)verdict->unit_count,
                 verdict->unit, plural_of(verdict->unit, verdict->unit_count));
    }
    snprintf(ret_text, CA_WORDS_SIZE, "%s%llu%s%s", growing, (unsigned long long)comparison->fixed,
             tolerance, amount);
    return ret_text;
}

ca_u128 ca_words_distance(const struct ca_comparison *comparison, bool *ret_is_above) {
    ca_u128 allowed = comparison->limit;
    if (comparison->verdict == CA_VERDICT_OVER)
        allowed += comparison->tolerance;
    ca_i128 measured = comparison->measured;
    *ret_is_above = measured > 0 && (ca_u128)measured > allowed;
    return *ret_is_above ? (ca_u128)measured - allowed : allowed - (ca_u128)measured;
}

const char *ca_words_difference(const struct ca_comparison *comparison, char *ret_text) {
    bool is_above;
    ca_u128 distance = ca_words_distance(comparison, &is_above);
    ret_text[0] = is_above ? '+' : '-';
    ca_u128_text(distance, ret_text + 1);
    return distance == 0 ? "0" : ret_text;
}

const struct ca_comparison *ca_words_worst(const struct ca_verdict *verdict) {
    for (size_t i = 0; i < verdict->comparison_count; i++)
        if (verdict->comparisons[i].verdict == verdict->kind)
            return &verdict->comparisons[i];
    return NULL;
}

/* ---- sentences ---- */

static char *sentence_of_comparison(const struct ca_verdict *verdict) {
    static const char *const openings[] = {"within budget", "over budget", "improved"};
    const struct ca_comparison *comparison = ca_words_worst(verdict);
    char measured[80], limit[CA_NUMBER_TEXT_SIZE], difference[CA_NUMBER_TEXT_SIZE];
    char room[CA_WORDS_SIZE];
    char *text;
    const char *formula = ca_words_formula(verdict, comparison, room);
    int length = asprintf(&text, "%s: %s, limit %s%s%s%s: %s", openings[verdict->kind],
                          ca_words_amount(comparison->kind, comparison->measured, measured),
                          ca_u128_text(comparison->limit + comparison->tolerance, limit),
                          *formula != '\0' ? " (" : "", formula, *formula != '\0' ? ")" : "",
                          ca_words_difference(comparison, difference));
    return length >= 0 ? text : NULL;
}

static char *sentence_of(const struct ca_verdict *verdict) {
    char *text;
    char amount[80];
    int length;
    switch (verdict->kind) {
    case CA_VERDICT_INVALID:
        length = asprintf(&text, "not measured: %s: %s", verdict->cause, verdict->next_step);
        break;
    case CA_VERDICT_STALE:
        length =
            asprintf(&text, "stale: there is no record of program '%s'", verdict->section->program);
        break;
    case CA_VERDICT_UNBUDGETED:
        length = asprintf(&text, "unbudgeted: %s in a phase without a budget",
                          ca_words_amount(CA_LIMIT_ALLOCATIONS,
                                          verdict->measured_phase->counts.allocations, amount));
        break;
    default:
        return sentence_of_comparison(verdict);
    }
    return length >= 0 ? text : NULL;
}

char *ca_words_sentence(const struct ca_verdict *verdict) {
    char *sentence = sentence_of(verdict);
    if (sentence == NULL || verdict->base_note == NULL)
        return sentence;
    char *text = joined(sentence, "; ", verdict->base_note);
    free(sentence);
    return text;
}

char *ca_words_base(const struct ca_check_report *report) {
    const struct ca_budget_base *base = report->base;
    char *text, changes[80] = "";
    size_t counts[CA_BASE_REMOVED + 1] = {0};
    if (base == NULL)
        return NULL;
    for (size_t i = 0; i < report->judgement->verdict_count; i++)
        counts[report->judgement->verdicts[i].base]++;
    if (counts[CA_BASE_RAISED] + counts[CA_BASE_REMOVED] > 0)
        snprintf(changes, sizeof changes, "; %zu raised, %zu removed", counts[CA_BASE_RAISED],
                 counts[CA_BASE_REMOVED]);
    int length =
        base->has_file
            ? asprintf(&text, "judged by the budgets at %.*s, the merge base with %s%s",
                       CA_COMMIT_SHOWN, base->commit, base->ref, changes)
            : asprintf(&text, "%s is new since %.*s, the merge base with %s: judged by itself",
                       report->file->path, CA_COMMIT_SHOWN, base->commit, base->ref);
    return length >= 0 ? text : NULL;
}

/* " on thread 1 (owner)", " on threads 1, 2 and 7 more (owners)": those that allocated. */
static void name_owners(const struct ca_verdict *verdict, FILE *out) {
    const struct ca_record_phase *phase = verdict->measured_phase;
    uint32_t count = 0;
    for (uint32_t i = 0; i < phase->share_count; i++)
        count += !phase->shares[i].is_adopted && phase->shares[i].counts.allocations > 0;
    if (count == 0)
        return;
    fprintf(out, " on thread%s ", count == 1 ? "" : "s");
    uint32_t shown = 0;
    for (uint32_t i = 0; i < phase->share_count && shown < THREADS_SHOWN; i++)
        if (!phase->shares[i].is_adopted && phase->shares[i].counts.allocations > 0)
            fprintf(out, "%s%u", shown++ > 0 ? ", " : "", phase->shares[i].thread);
    if (count > shown)
        fprintf(out, " and %u more", count - shown);
    fprintf(out, " (owner%s)", count == 1 ? "" : "s");
}

char *ca_words_headline(const struct ca_verdict *verdict) {
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return NULL;
    fputs(verdict->kind == CA_VERDICT_OVER ? "over budget" : ca_verdict_name(verdict->kind), out);
    if (verdict->scope == CA_SCOPE_OWNER && verdict->measured_phase != NULL)
        name_owners(verdict, out);
    else
        fputs(" (all threads)", out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

const char *ca_words_counts(const struct ca_judgement *judgement, char *ret_text) {
    static const enum ca_verdict_kind order[] = {CA_VERDICT_INVALID,  CA_VERDICT_OVER,
                                                 CA_VERDICT_IMPROVED, CA_VERDICT_OK,
                                                 CA_VERDICT_STALE,    CA_VERDICT_UNBUDGETED};
    size_t length = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        enum ca_verdict_kind kind = order[i];
        bool is_always_shown =
            kind == CA_VERDICT_OVER || kind == CA_VERDICT_IMPROVED || kind == CA_VERDICT_OK;
        if (judgement->counts[kind] > 0 || is_always_shown)
            length += (size_t)snprintf(ret_text + length, CA_WORDS_SIZE - length, "%s%zu %s",
                                       length > 0 ? ", " : "", judgement->counts[kind],
                                       ca_verdict_name(kind));
    }
    return ret_text;
}

const char *ca_words_outcome(const struct ca_judgement *judgement) {
    return judgement->status == 0 ? "PASS" : judgement->status == 1 ? "FAIL" : "NOT MEASURED";
}

/* ---- commands to copy ---- */

/* How many words from `words` on are left out: an option that contradicts `extra`. */
static size_t left_out_count(const char *const *words, const char *extra) {
    if (strcmp(words[0], "--update") == 0 || strncmp(words[0], "--update=", 9) == 0)
        return 1;
    bool is_accepting = extra != NULL && strncmp(extra, "--update", 8) == 0;
    if (!is_accepting || strncmp(words[0], "--base", 6) != 0)
        return 0;
    return words[0][6] == '=' ? 1 : words[0][6] == '\0' ? 2 : 0;
}

void ca_words_command(const struct ca_check_report *report, const char *extra, struct ca_out *out) {
    bool is_option = true;
    ca_out_text(out, "countalloc check");
    if (extra != NULL) {
        ca_out_text(out, " ");
        ca_out_text(out, extra);
    }
    for (size_t i = 0; i < report->argument_count; i++) {
        is_option &= strcmp(report->arguments[i], "--") != 0;
        size_t left_out = is_option ? left_out_count(report->arguments + i, extra) : 0;
        if (left_out > 0) {
            i += left_out - 1;
            continue;
        }
        ca_out_text(out, " ");
        ca_escape_word(out, report->arguments[i]);
    }
}

static void write_stream(void *target, const char *bytes, size_t byte_count) {
    fwrite(bytes, 1, byte_count, target);
}

char *ca_words_command_text(const struct ca_check_report *report, const char *extra) {
    char *text = NULL;
    size_t length;
    struct ca_out out;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL)
        return NULL;
    ca_out_init(&out, write_stream, stream);
    ca_words_command(report, extra, &out);
    ca_out_flush(&out);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static bool is_held_by_base(const struct ca_verdict *verdict) {
    return verdict->kind == CA_VERDICT_OVER &&
           (verdict->base == CA_BASE_RAISED || verdict->base == CA_BASE_REMOVED);
}

bool ca_words_is_held_by_base(const struct ca_judgement *judgement) {
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (is_held_by_base(&judgement->verdicts[i]))
            return true;
    return false;
}

const char *ca_words_accept_option(const struct ca_judgement *judgement) {
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (judgement->verdicts[i].kind == CA_VERDICT_OVER &&
            !is_held_by_base(&judgement->verdicts[i]))
            return "--update=all";
    if (judgement->counts[CA_VERDICT_OVER] > 0)
        return NULL;
    return judgement->counts[CA_VERDICT_IMPROVED] > 0 ? "--update" : NULL;
}

bool ca_words_is_why_wanted(const struct ca_judgement *judgement) {
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (judgement->verdicts[i].kind == CA_VERDICT_OVER &&
            !is_held_by_base(&judgement->verdicts[i]) &&
            judgement->verdicts[i].section->why == NULL)
            return true;
    return false;
}
