/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "budget/check_escape.h"
#include "budget/check_words.h"

struct junit_page {
    const struct ca_check_report *report;
    struct ca_out *out;
    bool is_lost; /* memory ran out */
};

static void put(struct junit_page *page, const char *markup) {
    ca_out_text(page->out, markup);
}

static void put_escaped(struct junit_page *page, const char *text) {
    ca_escape(page->out, CA_SYNTAX_XML, text);
}

/* `text` is given; NULL: memory ran out. */
static void put_given(struct junit_page *page, char *text) {
    page->is_lost |= text == NULL;
    put_escaped(page, text != NULL ? text : "");
    free(text);
}

static const char *element_of(const struct ca_judgement *judgement,
                              const struct ca_verdict *verdict) {
    if (verdict->kind == CA_VERDICT_INVALID)
        return "error";
    if (ca_verdict_is_failure(judgement, verdict))
        return "failure";
    return verdict->kind == CA_VERDICT_STALE || verdict->kind == CA_VERDICT_UNBUDGETED ? "skipped"
                                                                                       : NULL;
}

static size_t count_of(const struct ca_judgement *judgement, const char *element) {
    size_t count = 0;
    for (size_t i = 0; i < judgement->verdict_count; i++) {
        const char *of_verdict = element_of(judgement, &judgement->verdicts[i]);
        count += of_verdict != NULL && of_verdict[0] == element[0];
    }
    return count;
}

static void put_sites(struct junit_page *page, const struct ca_check_sites *sites) {
    char others[CA_WORDS_SIZE];
    if (sites == NULL)
        return;
    for (uint32_t i = 0; i < sites->site_count; i++) {
        put(page, "\n");
        put(page, ca_check_site_kind_name(sites->sites[i].kind));
        put(page, ": ");
        put_given(page, ca_words_site(sites, &sites->sites[i], true));
    }
    if (*ca_words_other_sites(sites, others) != '\0') {
        put(page, "\nothers: ");
        put_escaped(page, others);
    }
    for (uint32_t i = 0; i < sites->note_count; i++) {
        put(page, "\nnote: ");
        put_escaped(page, sites->notes[i]);
    }
}

static void put_body(struct junit_page *page, const struct ca_verdict *verdict) {
    char line[32];
    if (verdict->line > 0) {
        put_escaped(page, page->report->file->path);
        snprintf(line, sizeof line, ":%u: ", verdict->line);
        put(page, line);
    }
    put_given(page, ca_words_title(page->report, verdict));
    put(page, ": ");
    put_given(page, ca_words_sentence(verdict));
    put_sites(page, ca_words_sites(page->report, verdict));
    if (verdict->kind == CA_VERDICT_OVER && verdict->subject->record->stack_depth == 0) {
        put(page, "\nwhere: ");
        put_given(page, ca_words_where(page->report));
    }
    put(page, "\nreproduce: ");
    put_given(page, ca_words_command_text(page->report, NULL));
    const char *option = ca_words_accept_option(page->report->judgement);
    if (option != NULL && verdict->kind != CA_VERDICT_INVALID) {
        put(page, "\naccept: ");
        put_given(page, ca_words_command_text(page->report, option));
    }
    put(page, "\n");
}

static void put_case(struct junit_page *page, const struct ca_verdict *verdict) {
    const char *element = element_of(page->report->judgement, verdict);
    put(page, "    <testcase classname=\"");
    put_escaped(page, ca_words_program(verdict));
    put(page, "\" name=\"");
    put_given(page, ca_words_phase(page->report, verdict));
    put(page, "\"");
    if (element == NULL && verdict->kind == CA_VERDICT_OK && verdict->base_note == NULL) {
        put(page, "/>\n");
        return;
    }
    put(page, ">\n      <");
    put(page, element != NULL ? element : "system-out");
    if (element != NULL) {
        put(page, " message=\"");
        put_given(page, ca_words_sentence(verdict));
        put(page, "\"");
    }
    /* The JUnit schema that most tools follow gives `skipped` no type. */
    if (element != NULL && element[0] != 's') {
        put(page, " type=\"");
        put_escaped(page, verdict->kind == CA_VERDICT_INVALID
                              ? ca_invalid_reason_name(verdict->reason)
                              : ca_verdict_name(verdict->kind));
        put(page, "\"");
    }
    put(page, ">");
    put_body(page, verdict);
    put(page, "</");
    put(page, element != NULL ? element : "system-out");
    put(page, ">\n    </testcase>\n");
}

static void put_base(struct junit_page *page) {
    if (page->report->base == NULL)
        return;
    put(page, "    <properties>\n      <property name=\"base\" value=\"");
    put_given(page, ca_words_base(page->report));
    put(page, "\"/>\n    </properties>\n");
}

/* Nothing compared is not nothing wrong. */
static void put_nothing(struct junit_page *page) {
    put(page, "    <testcase classname=\"countalloc check\" name=\"comparisons\">\n"
              "      <error message=\"nothing was compared\" type=\"nothing compared\"/>\n"
              "    </testcase>\n");
}

enum ca_status ca_check_write_junit(const struct ca_check_report *report, struct ca_out *out,
                                    struct ca_error *err) {
    struct junit_page page = {.report = report, .out = out};
    const struct ca_judgement *judgement = report->judgement;
    bool is_empty = judgement->status == 3 && judgement->counts[CA_VERDICT_INVALID] == 0;
    char sums[160];
    snprintf(sums, sizeof sums, "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
             judgement->verdict_count + is_empty, count_of(judgement, "failure"),
             count_of(judgement, "error") + is_empty, count_of(judgement, "skipped"));
    put(&page,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"countalloc check\" ");
    put(&page, sums);
    put(&page, ">\n  <testsuite name=\"");
    put_escaped(&page, report->file->path);
    put(&page, "\" ");
    put(&page, sums);
    put(&page, ">\n");
    put_base(&page);
    for (size_t i = 0; i < judgement->verdict_count; i++)
        put_case(&page, &judgement->verdicts[i]);
    if (is_empty)
        put_nothing(&page);
    put(&page, "  </testsuite>\n</testsuites>\n");
    return page.is_lost ? ca_error_memory(err) : CA_OK;
}
