/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget/check_escape.h"
#include "budget/check_words.h"

/* GitHub shows ten annotations of a kind for each step and drops the rest without a word; the tenth
 * says how many there are (actions/runner, and zizmor's pull request 634). */
#define SHOWN_MAX 9u

struct github_page {
    const struct ca_check_report *report;
    struct ca_out *out;
    bool is_lost; /* memory ran out */
};

static void put_given(struct github_page *page, enum ca_syntax syntax, char *text) {
    page->is_lost |= text == NULL;
    ca_escape(page->out, syntax, text != NULL ? text : "");
    free(text);
}

/* "./x" is no path of a repository to GitHub. */
static const char *path_in_repository(const char *path) {
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    return path;
}

/* Further lines of an annotation. */
static void put_sites(struct github_page *page, const struct ca_check_sites *sites) {
    char others[CA_WORDS_SIZE];
    if (sites == NULL)
        return;
    for (uint32_t i = 0; i < sites->site_count; i++) {
        ca_escape(page->out, CA_SYNTAX_GITHUB, "\n");
        ca_out_text(page->out, ca_check_site_kind_name(sites->sites[i].kind));
        ca_out_text(page->out, ": ");
        put_given(page, CA_SYNTAX_GITHUB, ca_words_site(sites, &sites->sites[i], true));
    }
    if (*ca_words_other_sites(sites, others) != '\0') {
        ca_escape(page->out, CA_SYNTAX_GITHUB, "\nothers: ");
        ca_escape(page->out, CA_SYNTAX_GITHUB, others);
    }
    for (uint32_t i = 0; i < sites->note_count; i++) {
        ca_escape(page->out, CA_SYNTAX_GITHUB, "\nnote: ");
        ca_escape(page->out, CA_SYNTAX_GITHUB, sites->notes[i]);
    }
}

static void put_annotation(struct github_page *page, const char *command,
                           const struct ca_verdict *verdict) {
    char line[32];
    ca_out_text(page->out, "::");
    ca_out_text(page->out, command);
    ca_out_text(page->out, " file=");
    ca_escape(page->out, CA_SYNTAX_GITHUB_PROPERTY, path_in_repository(page->report->file->path));
    snprintf(line, sizeof line, ",line=%u,title=", verdict->line > 0 ? verdict->line : 1);
    ca_out_text(page->out, line);
    put_given(page, CA_SYNTAX_GITHUB_PROPERTY, ca_words_title(page->report, verdict));
    ca_out_text(page->out, "::");
    put_given(page, CA_SYNTAX_GITHUB, ca_words_sentence(verdict));
    put_sites(page, ca_words_sites(page->report, verdict));
    ca_out_text(page->out, "\n");
}

static bool is_annotated(const struct ca_judgement *judgement, const struct ca_verdict *verdict,
                         bool is_error) {
    if (ca_verdict_is_failure(judgement, verdict))
        return is_error;
    if (verdict->base == CA_BASE_RAISED || verdict->base == CA_BASE_REMOVED)
        return !is_error;
    return !is_error && verdict->kind != CA_VERDICT_OK && verdict->kind != CA_VERDICT_STALE;
}

static void put_all(struct github_page *page, const char *command, bool is_error) {
    const struct ca_judgement *judgement = page->report->judgement;
    size_t count = 0;
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (is_annotated(judgement, &judgement->verdicts[i], is_error) && count++ < SHOWN_MAX)
            put_annotation(page, command, &judgement->verdicts[i]);
    char text[CA_WORDS_SIZE + 64], counts[CA_WORDS_SIZE];
    if (count <= SHOWN_MAX)
        return;
    snprintf(text, sizeof text, "::%s title=countalloc check::%zu more; in all: ", command,
             count - SHOWN_MAX);
    ca_out_text(page->out, text);
    ca_escape(page->out, CA_SYNTAX_GITHUB, ca_words_counts(judgement, counts));
    ca_out_text(page->out, "\n");
}

/* Whether an annotation at the same line came before. */
static bool was_annotated(const struct ca_check_report *report, size_t verdict, uint32_t index) {
    const struct ca_check_site *wanted = &report->sites[verdict].sites[index];
    for (size_t i = 0; i <= verdict; i++) {
        const struct ca_check_sites *sites = &report->sites[i];
        uint32_t count = i < verdict ? sites->site_count : index;
        for (uint32_t k = 0; k < count; k++)
            if (sites->sites[k].repository != NULL && sites->sites[k].line == wanted->line &&
                strcmp(sites->sites[k].repository, wanted->repository) == 0)
                return true;
    }
    return false;
}

static void put_site_annotation(struct github_page *page, const struct ca_verdict *verdict,
                                const struct ca_check_sites *sites,
                                const struct ca_check_site *site) {
    char line[32];
    ca_out_text(page->out, "::warning file=");
    ca_escape(page->out, CA_SYNTAX_GITHUB_PROPERTY, site->repository);
    snprintf(line, sizeof line, ",line=%u,title=", site->line > 0 ? site->line : 1);
    ca_out_text(page->out, line);
    put_given(page, CA_SYNTAX_GITHUB_PROPERTY, ca_words_title(page->report, verdict));
    ca_out_text(page->out, "::");
    ca_out_text(page->out, ca_check_site_kind_name(site->kind));
    ca_out_text(page->out, ": ");
    put_given(page, CA_SYNTAX_GITHUB, ca_words_site(sites, site, false));
    ca_out_text(page->out, "\n");
}

/* Beside the lines that allocate more. The largest sites are no news, and left out. */
static void put_site_annotations(struct github_page *page) {
    const struct ca_judgement *judgement = page->report->judgement;
    size_t shown = 0;
    for (size_t i = 0; i < judgement->verdict_count; i++) {
        const struct ca_check_sites *sites = ca_words_sites(page->report, &judgement->verdicts[i]);
        for (uint32_t k = 0; sites != NULL && k < sites->site_count; k++) {
            const struct ca_check_site *site = &sites->sites[k];
            if (site->kind != CA_CHECK_SITE_LARGEST && site->repository != NULL &&
                !was_annotated(page->report, i, k) && shown++ < SHOWN_MAX)
                put_site_annotation(page, &judgement->verdicts[i], sites, site);
        }
    }
}

static void put_base(struct github_page *page) {
    if (page->report->base == NULL)
        return;
    ca_out_text(page->out, "::notice title=countalloc check::");
    put_given(page, CA_SYNTAX_GITHUB, ca_words_base(page->report));
    ca_out_text(page->out, "\n");
}

enum ca_status ca_check_write_github(const struct ca_check_report *report, struct ca_out *out,
                                     struct ca_error *err) {
    struct github_page page = {.report = report, .out = out};
    const struct ca_judgement *judgement = report->judgement;
    put_all(&page, "error", true);
    put_site_annotations(&page);
    put_all(&page, "notice", false);
    put_base(&page);
    if (judgement->status == 3 && judgement->counts[CA_VERDICT_INVALID] == 0)
        ca_out_text(out, "::error title=countalloc check::nothing was compared\n");
    return page.is_lost ? ca_error_memory(err) : CA_OK;
}
