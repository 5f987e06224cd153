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
    put_all(&page, "notice", false);
    put_base(&page);
    if (judgement->status == 3 && judgement->counts[CA_VERDICT_INVALID] == 0)
        ca_out_text(out, "::error title=countalloc check::nothing was compared\n");
    return page.is_lost ? ca_error_memory(err) : CA_OK;
}
