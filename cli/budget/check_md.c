/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget/check_escape.h"
#include "budget/check_words.h"

/* GitHub refuses a job summary beyond 1 MiB as a whole. A row has no more than some 3 KiB. */
#define ROWS_MAX 200u
/* Nor has a list of sites. */
#define SITE_LISTS_MAX 20u

struct md_page {
    const struct ca_check_report *report;
    struct ca_out *out;
    bool is_lost; /* memory ran out */
};

static void put(struct md_page *page, const char *markup) {
    ca_out_text(page->out, markup);
}

static void put_escaped(struct md_page *page, const char *text) {
    ca_escape(page->out, CA_SYNTAX_MARKDOWN, text);
}

/* `text` is given; NULL: memory ran out. */
static void put_given(struct md_page *page, char *text) {
    page->is_lost |= text == NULL;
    put_escaped(page, text != NULL ? text : "");
    free(text);
}

static void put_numbers(struct md_page *page, const struct ca_verdict *verdict) {
    const struct ca_comparison *comparison = ca_words_worst(verdict);
    char text[CA_WORDS_SIZE];
    if (comparison == NULL) {
        put(page, " | | | ");
        put_given(page, ca_words_sentence(verdict));
        return;
    }
    put(page, " | ");
    put_escaped(page, ca_words_amount(comparison->kind, comparison->measured, text));
    put(page, " | ");
    put_escaped(page, ca_u128_text(comparison->limit + comparison->tolerance, text));
    const char *formula = ca_words_formula(verdict, comparison, text);
    put(page, *formula != '\0' ? " = " : "");
    put_escaped(page, formula);
    put(page, " | ");
    put_escaped(page, ca_words_difference(comparison, text));
    if (verdict->base_note != NULL) {
        put(page, "; ");
        put_escaped(page, verdict->base_note);
    }
}

static void put_row(struct md_page *page, const struct ca_verdict *verdict) {
    char line[32];
    bool is_failure = ca_verdict_is_failure(page->report->judgement, verdict);
    put(page, is_failure ? "| **" : "| ");
    put(page, ca_verdict_name(verdict->kind));
    put(page, is_failure ? "** | " : " | ");
    put_given(page, ca_words_title(page->report, verdict));
    put_numbers(page, verdict);
    put(page, " | ");
    if (verdict->line > 0) {
        put_escaped(page, page->report->file->path);
        snprintf(line, sizeof line, ":%u", verdict->line);
        put(page, line);
    }
    put(page, " |\n");
}

static void put_rows(struct md_page *page, enum ca_verdict_kind kind, size_t *row_count) {
    const struct ca_judgement *judgement = page->report->judgement;
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (judgement->verdicts[i].kind == kind && (*row_count)++ < ROWS_MAX)
            put_row(page, &judgement->verdicts[i]);
}

static void put_table(struct md_page *page) {
    static const enum ca_verdict_kind order[] = {CA_VERDICT_INVALID,    CA_VERDICT_OVER,
                                                 CA_VERDICT_IMPROVED,   CA_VERDICT_OK,
                                                 CA_VERDICT_UNBUDGETED, CA_VERDICT_STALE};
    size_t row_count = 0;
    char more[64];
    put(page, "| verdict | budget | measured | limit | difference | file |\n"
              "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        put_rows(page, order[i], &row_count);
    if (row_count > ROWS_MAX) {
        snprintf(more, sizeof more, "\nand %zu more.\n", row_count - ROWS_MAX);
        put(page, more);
    }
}

/* An indented block needs no fence that the text could close; a command is one line. */
static void put_command(struct md_page *page, const char *heading, const char *option) {
    char *command = ca_words_command_text(page->report, option);
    page->is_lost |= command == NULL;
    put(page, heading);
    put(page, "\n\n    ");
    ca_escape(page->out, CA_SYNTAX_TERMINAL, command != NULL ? command : "");
    put(page, "\n\n");
    free(command);
}

static void put_sites_of(struct md_page *page, const struct ca_verdict *verdict,
                         const struct ca_check_sites *sites) {
    char others[CA_WORDS_SIZE];
    put_given(page, ca_words_title(page->report, verdict));
    put(page, sites->against != NULL ? ", against " : "");
    put_escaped(page, sites->against != NULL ? sites->against : "");
    put(page, ":\n\n");
    for (uint32_t i = 0; i < sites->site_count; i++) {
        put(page, "- **");
        put(page, ca_check_site_kind_name(sites->sites[i].kind));
        put(page, "** ");
        put_given(page, ca_words_site(sites, &sites->sites[i], true));
        put(page, "\n");
    }
    if (*ca_words_other_sites(sites, others) != '\0') {
        put(page, "- ");
        put_escaped(page, others);
        put(page, "\n");
    }
    for (uint32_t i = 0; i < sites->note_count; i++) {
        put(page, "- ");
        put_escaped(page, sites->notes[i]);
        put(page, "\n");
    }
    put(page, "\n");
}

static void put_sites(struct md_page *page) {
    const struct ca_judgement *judgement = page->report->judgement;
    size_t list_count = 0;
    for (size_t i = 0; i < judgement->verdict_count; i++) {
        const struct ca_check_sites *sites = ca_words_sites(page->report, &judgement->verdicts[i]);
        if (sites != NULL && list_count++ < SITE_LISTS_MAX)
            put_sites_of(page, &judgement->verdicts[i], sites);
    }
}

static void put_where(struct md_page *page) {
    char *where = ca_words_where(page->report);
    page->is_lost |= where == NULL;
    put(page, "See where:\n\n    ");
    ca_escape(page->out, CA_SYNTAX_TERMINAL, where != NULL ? where : "");
    put(page, "\n\n");
    free(where);
}

enum ca_status ca_check_write_md(const struct ca_check_report *report, struct ca_out *out,
                                 struct ca_error *err) {
    struct md_page page = {.report = report, .out = out};
    const struct ca_judgement *judgement = report->judgement;
    const char *option = ca_words_accept_option(judgement);
    char counts[CA_WORDS_SIZE];
    put(&page, "### countalloc check: ");
    put(&page, ca_words_outcome(judgement));
    put(&page, "\n\n");
    put_escaped(&page, ca_words_counts(judgement, counts));
    if (ca_words_platform_count(report) == 1 &&
        report->subjects[0].record->platform_key[0] != '\0') {
        put(&page, " on ");
        put_escaped(&page, report->subjects[0].record->platform_key);
    }
    put(&page, "\n\n");
    if (report->base != NULL) {
        put_given(&page, ca_words_base(report));
        put(&page, "\n\n");
    }
    if (judgement->comparison_count == 0)
        put(&page, "Nothing was compared, so nothing is known to be within its budget.\n\n");
    if (judgement->verdict_count > 0)
        put_table(&page);
    put(&page, "\n");
    put_sites(&page);
    if (judgement->status != 0)
        put_command(&page, "Reproduce:", NULL);
    if (ca_words_is_where_wanted(report))
        put_where(&page);
    if (option != NULL)
        put_command(&page, judgement->status != 0 ? "Accept:" : "Tighten:", option);
    return page.is_lost ? ca_error_memory(err) : CA_OK;
}
