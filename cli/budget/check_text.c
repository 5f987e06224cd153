/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget/check_escape.h"
#include "budget/check_words.h"

#define OK_LISTED_MAX   20u
#define REST_LISTED_MAX 10u

struct text_page {
    const struct ca_check_report *report;
    struct ca_out *out;
    bool is_lost; /* memory ran out */
};

__attribute__((format(printf, 2, 3))) static void put(struct text_page *page, const char *format,
                                                      ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        page->is_lost = true;
        return;
    }
    ca_escape(page->out, CA_SYNTAX_TERMINAL, text);
    free(text);
}

static void end_line(struct text_page *page) {
    ca_out_text(page->out, "\n");
}

static void put_title(struct text_page *page) {
    const struct ca_judgement *judgement = page->report->judgement;
    char counts[CA_WORDS_SIZE];
    size_t platform_count = ca_words_platform_count(page->report);
    put(page, "countalloc check: %s  %s", ca_words_outcome(judgement),
        ca_words_counts(judgement, counts));
    if (platform_count == 1 && page->report->subjects[0].record->platform_key[0] != '\0')
        put(page, "       key %s", page->report->subjects[0].record->platform_key);
    else if (platform_count > 1)
        put(page, "       %zu platforms", platform_count);
    end_line(page);
    char *base = ca_words_base(page->report);
    page->is_lost |= page->report->base != NULL && base == NULL;
    if (base != NULL) {
        put(page, "  %s", base);
        end_line(page);
    }
    free(base);
    if (judgement->comparison_count == 0) {
        put(page, "  nothing was compared, so nothing is known to be within its budget");
        end_line(page);
    }
}

/* "alloc-budgets.ini:7: logstat-v4/parse: " */
static void put_place(struct text_page *page, const struct ca_verdict *verdict) {
    char *title = ca_words_title(page->report, verdict);
    page->is_lost |= title == NULL;
    if (verdict->line > 0)
        put(page, "%s:%u: ", page->report->file->path, verdict->line);
    put(page, "%s: ", title != NULL ? title : "");
    free(title);
}

static void put_sentence_line(struct text_page *page, const struct ca_verdict *verdict) {
    char *sentence = ca_words_sentence(verdict);
    page->is_lost |= sentence == NULL;
    put_place(page, verdict);
    put(page, "%s", sentence != NULL ? sentence : "");
    free(sentence);
    end_line(page);
}

static void put_comparison(struct text_page *page, const struct ca_verdict *verdict,
                           const struct ca_comparison *comparison) {
    char number[CA_NUMBER_TEXT_SIZE], difference[CA_NUMBER_TEXT_SIZE];
    char limit[160], measured[80], room[CA_WORDS_SIZE];
    ca_u128 allowed = comparison->limit + comparison->tolerance;
    const char *formula = ca_words_formula(verdict, comparison, room);
    /* A limit may be larger than any amount: its noun is that of many. */
    ca_words_amount(comparison->kind, allowed == 1 ? 1 : 2, measured);
    snprintf(limit, sizeof limit, "%s%s", ca_u128_text(allowed, number), strchr(measured, ' '));
    ca_words_amount(comparison->kind, comparison->measured, measured);
    int width = (int)(strlen(limit) > strlen(measured) ? strlen(limit) : strlen(measured));
    if (*formula != '\0')
        put(page, "    budget   %-*s  = %s", width, limit, formula);
    else
        put(page, "    budget   %s", limit);
    end_line(page);
    put(page, "    measured %-*s  ", width, measured);
    if (verdict->unit != NULL)
        put(page, "= %s per %s, ",
            ca_quotient_text(comparison->measured, verdict->unit_count, number), verdict->unit);
    put(page, "%s", ca_words_difference(comparison, difference));
    if (comparison->error > 0)
        put(page, " (at least: the peak may be up to %llu bytes higher)",
            (unsigned long long)comparison->error);
    end_line(page);
}

static void put_sites(struct text_page *page, const struct ca_check_sites *sites) {
    char others[CA_WORDS_SIZE];
    if (sites == NULL)
        return;
    for (uint32_t i = 0; i < sites->site_count; i++) {
        char *site = ca_words_site(sites, &sites->sites[i], true);
        page->is_lost |= site == NULL;
        put(page, "    %-8s %s", ca_check_site_kind_name(sites->sites[i].kind),
            site != NULL ? site : "");
        free(site);
        end_line(page);
    }
    if (*ca_words_other_sites(sites, others) != '\0') {
        put(page, "    others   %s", others);
        end_line(page);
    }
    for (uint32_t i = 0; i < sites->note_count; i++) {
        put(page, "    note     %s", sites->notes[i]);
        end_line(page);
    }
}

static void put_compared(struct text_page *page, const struct ca_verdict *verdict) {
    char *headline = ca_words_headline(verdict);
    page->is_lost |= headline == NULL;
    put_place(page, verdict);
    put(page, "%s", headline != NULL ? headline : "");
    free(headline);
    end_line(page);
    for (size_t i = 0; i < verdict->comparison_count; i++)
        if (verdict->comparisons[i].verdict == verdict->kind)
            put_comparison(page, verdict, &verdict->comparisons[i]);
    if (verdict->adopted_allocations > 0) {
        put(page,
            "    other threads: %llu allocations of threads that adopted the phase are not counted "
            "(scope = all counts them)",
            (unsigned long long)verdict->adopted_allocations);
        end_line(page);
    }
    if (verdict->base_note != NULL) {
        put(page, "    base     %s", verdict->base_note);
        end_line(page);
    }
    if (verdict->why != NULL) {
        put(page, "    why      %s", verdict->why);
        end_line(page);
    }
    put_sites(page, ca_words_sites(page->report, verdict));
}

/* What is wrong with a record is said once, not for each of its budgets. */
static bool was_said(const struct ca_judgement *judgement, size_t index) {
    const struct ca_verdict *verdict = &judgement->verdicts[index];
    for (size_t i = 0; verdict->is_about_record && i < index; i++)
        if (judgement->verdicts[i].is_about_record &&
            judgement->verdicts[i].subject == verdict->subject)
            return true;
    return false;
}

static void put_invalid(struct text_page *page, size_t index) {
    const struct ca_judgement *judgement = page->report->judgement;
    const struct ca_verdict *verdict = &judgement->verdicts[index];
    if (was_said(judgement, index))
        return;
    if (verdict->is_about_record) {
        size_t budget_count = 0;
        for (size_t i = index; i < judgement->verdict_count; i++)
            budget_count += judgement->verdicts[i].is_about_record &&
                            judgement->verdicts[i].subject == verdict->subject;
        const char *source = verdict->subject->source;
        put(page, "%s%s%s: not measured: %s", source != NULL ? source : "",
            source != NULL ? ": " : "", verdict->subject->record->name, verdict->cause);
        end_line(page);
        if (verdict->line > 0)
            put(page, "    budgets not judged: %zu, from %s:%u on", budget_count,
                page->report->file->path, verdict->line);
        if (verdict->line > 0)
            end_line(page);
    } else {
        put_place(page, verdict);
        put(page, "not measured: %s", verdict->cause);
        end_line(page);
    }
    put(page, "    next     %s", verdict->next_step);
    end_line(page);
}

/* Those of `kind`, at most `limit`; then how many more. */
static void put_kind(struct text_page *page, enum ca_verdict_kind kind, size_t limit) {
    const struct ca_judgement *judgement = page->report->judgement;
    size_t shown = 0;
    for (size_t i = 0; i < judgement->verdict_count; i++) {
        const struct ca_verdict *verdict = &judgement->verdicts[i];
        if (verdict->kind != kind || shown++ >= limit)
            continue;
        if (kind == CA_VERDICT_OVER || (kind == CA_VERDICT_IMPROVED && judgement->is_strict))
            put_compared(page, verdict);
        else if (kind == CA_VERDICT_INVALID)
            put_invalid(page, i);
        else
            put_sentence_line(page, verdict);
    }
    if (shown > limit) {
        put(page, "and %zu more %s", shown - limit, ca_verdict_name(kind));
        end_line(page);
    }
}

static void put_command(struct text_page *page, const char *label, const char *option) {
    char *command = ca_words_command_text(page->report, option);
    page->is_lost |= command == NULL;
    put(page, "  %s%s", label, command != NULL ? command : "");
    free(command);
    end_line(page);
}

static void put_commands(struct text_page *page) {
    const struct ca_judgement *judgement = page->report->judgement;
    const char *option = ca_words_accept_option(judgement);
    if (judgement->status != 0)
        put_command(page, "reproduce: ", NULL);
    if (ca_words_is_where_wanted(page->report)) {
        char *where = ca_words_where(page->report);
        page->is_lost |= where == NULL;
        put(page, "  where:     %s", where != NULL ? where : "");
        free(where);
        end_line(page);
    }
    if (ca_words_is_held_by_base(judgement)) {
        put(page, "  accept:    a number above the base's counts once it is merged: let a person "
                  "decide, and merge with this check failing");
        end_line(page);
    }
    if (option == NULL)
        return;
    put_command(page, judgement->status != 0 ? "accept:    " : "tighten:   ", option);
    if (ca_words_is_why_wanted(judgement)) {
        put(page, "             a number rises only for a reason: 'why = ...' in its section");
        end_line(page);
    }
}

enum ca_status ca_check_write_text(const struct ca_check_report *report, struct ca_out *out,
                                   struct ca_error *err) {
    struct text_page page = {.report = report, .out = out};
    put_title(&page);
    put_kind(&page, CA_VERDICT_INVALID, SIZE_MAX);
    put_kind(&page, CA_VERDICT_OVER, SIZE_MAX);
    put_kind(&page, CA_VERDICT_IMPROVED, SIZE_MAX);
    put_kind(&page, CA_VERDICT_UNBUDGETED, REST_LISTED_MAX);
    put_kind(&page, CA_VERDICT_STALE, REST_LISTED_MAX);
    put_commands(&page);
    put_kind(&page, CA_VERDICT_OK, OK_LISTED_MAX);
    return page.is_lost ? ca_error_memory(err) : CA_OK;
}
