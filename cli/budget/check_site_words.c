/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget/check_words.h"
#include "interpose/plain.h"

const char *ca_check_site_kind_name(enum ca_check_site_kind kind) {
    static const char *const names[] = {"new", "grown", "largest"};
    return names[kind];
}

const struct ca_check_sites *ca_words_sites(const struct ca_check_report *report,
                                            const struct ca_verdict *verdict) {
    size_t index = (size_t)(verdict - report->judgement->verdicts);
    bool is_known = report->sites != NULL && verdict->kind == CA_VERDICT_OVER &&
                    report->sites[index].site_count > 0;
    return is_known ? &report->sites[index] : NULL;
}

const char *ca_words_change(enum ca_limit_kind kind, int64_t amount, char *ret_text) {
    ret_text[0] = '+';
    ca_words_amount(kind, amount, ret_text + (amount > 0));
    return ret_text;
}

static void put_amount(FILE *out, const struct ca_check_sites *sites,
                       const struct ca_check_site *site) {
    char amount[96];
    if (site->kind == CA_CHECK_SITE_LARGEST)
        fputs(ca_words_amount(sites->kind, site->after, amount), out);
    else
        fputs(ca_words_change(sites->kind, site->after - site->before, amount), out);
    if (site->kind == CA_CHECK_SITE_GROWN)
        fprintf(out, " (%lld -> %lld)", (long long)site->before, (long long)site->after);
}

char *ca_words_site(const struct ca_check_sites *sites, const struct ca_check_site *site,
                    bool has_place) {
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return NULL;
    fputs(site->function, out);
    if (has_place && site->file != NULL)
        fprintf(out, " %s", ca_plain_basename(site->file));
    if (has_place && site->file != NULL && site->line > 0)
        fprintf(out, ":%u", site->line);
    fputs("  ", out);
    put_amount(out, sites, site);
    if (site->phase != NULL)
        fprintf(out, ", in phase %s", site->phase);
    for (uint32_t i = 0; i < site->caller_count; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : ", called by ", site->callers[i]);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

const char *ca_words_other_sites(const struct ca_check_sites *sites, char *ret_text) {
    char amount[96];
    bool is_change = sites->sites[0].kind != CA_CHECK_SITE_LARGEST;
    size_t length = 0;
    ret_text[0] = '\0';
    if (sites->more_count > 0)
        length =
            (size_t)snprintf(ret_text, CA_WORDS_SIZE, "%zu more: %s", sites->more_count,
                             is_change ? ca_words_change(sites->kind, sites->more_amount, amount)
                                       : ca_words_amount(sites->kind, sites->more_amount, amount));
    if (sites->less_count > 0)
        snprintf(ret_text + length, CA_WORDS_SIZE - length, "%s%zu with less: %s",
                 length > 0 ? "; " : "", sites->less_count,
                 ca_words_change(sites->kind, sites->less_amount, amount));
    return ret_text;
}

/* The first verdict that is over and whose record has no sites. */
static const struct ca_verdict *siteless(const struct ca_check_report *report) {
    for (size_t i = 0; i < report->judgement->verdict_count; i++) {
        const struct ca_verdict *verdict = &report->judgement->verdicts[i];
        if (verdict->kind == CA_VERDICT_OVER && verdict->subject->record->stack_depth == 0)
            return verdict;
    }
    return NULL;
}

bool ca_words_is_where_wanted(const struct ca_check_report *report) {
    return siteless(report) != NULL;
}

char *ca_words_where(const struct ca_check_report *report) {
    const struct ca_verdict *verdict = siteless(report);
    if (verdict != NULL && verdict->subject->source != NULL)
        return strdup("record with 'countalloc run --sites -o FILE', and check that record");
    return ca_words_command_text(report, "--sites");
}
