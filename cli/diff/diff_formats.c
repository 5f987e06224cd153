/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "budget/ratio.h"
#include "diff/diff_report.h"
#include "interpose/plain.h"

static const struct ca_diff_format formats[] = {
    {"text", ca_diff_write_text},
    {"json", ca_diff_write_json},
    {"md", ca_diff_write_md},
};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

enum ca_status ca_diff_format_find(const char *name, const struct ca_diff_format **ret_format,
                                   struct ca_error *err) {
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(formats[i].name, name) == 0) {
            *ret_format = &formats[i];
            return CA_OK;
        }
    return ca_error_set(err, CA_ERROR_USAGE, "unknown format '%s'; known are: text, json, md",
                        name);
}

const char *ca_change_name(enum ca_change change) {
    static const char *const names[] = {"same", "changed", "new", "gone"};
    return names[change];
}

const char *ca_diff_change(const struct ca_figure_pair *figure, char *ret_text) {
    ca_i128 change = (ca_i128)figure->after - figure->before;
    ret_text[0] = '+';
    ca_i128_text(change, ret_text + (change > 0));
    return ret_text;
}

const char *ca_diff_quotients(const struct ca_figure_pair *figure, const struct ca_unit_pair *unit,
                              char *ret_text) {
    char before[CA_NUMBER_TEXT_SIZE] = "-", after[CA_NUMBER_TEXT_SIZE] = "-";
    ret_text[0] = '\0';
    if (unit->before == 0 && unit->after == 0)
        return ret_text;
    if (unit->before > 0)
        ca_quotient_text(figure->before, unit->before, before);
    if (unit->after > 0)
        ca_quotient_text(figure->after, unit->after, after);
    snprintf(ret_text, CA_DIFF_TEXT_SIZE, "%s -> %s per %.31s", before, after, unit->name);
    return ret_text;
}

const char *ca_diff_thread(const struct ca_thread_pair *thread, char *ret_text) {
    char number[24] = "beyond the table";
    if (thread->number > 0)
        snprintf(number, sizeof number, "%u", thread->number);
    snprintf(ret_text, CA_DIFF_TEXT_SIZE, "thread %s%s%.32s%s%s", number,
             thread->name != NULL ? " '" : "", thread->name != NULL ? thread->name : "",
             thread->name != NULL ? "'" : "", thread->is_adopted ? " (adopted)" : "");
    return ret_text;
}

const char *ca_diff_summary(const struct ca_record_diff *diff, char *ret_text) {
    const struct ca_figure_pair *figures = diff->total.figures;
    char allocations[CA_NUMBER_TEXT_SIZE + 1], bytes[CA_NUMBER_TEXT_SIZE + 1];
    size_t all = diff->phase_count + diff->same_count;
    if (!diff->is_different)
        return strcpy(ret_text, "no difference");
    snprintf(ret_text, CA_DIFF_TEXT_SIZE,
             "%s allocations, %s bytes requested; %zu of %zu phases differ%s",
             ca_diff_change(&figures[CA_COLUMN_ALLOCATIONS], allocations),
             ca_diff_change(&figures[CA_COLUMN_BYTES_REQUESTED], bytes), diff->phase_count, all,
             diff->phase_count == 1 ? "s" : "");
    return ret_text;
}

/* ---- by site ---- */

const char *ca_diff_site_summary(const struct ca_site_diff *diff, char *ret_text) {
    char allocations[CA_NUMBER_TEXT_SIZE + 1], bytes[CA_NUMBER_TEXT_SIZE + 1];
    const size_t *counts = diff->counts;
    if (!diff->is_different)
        snprintf(ret_text, CA_DIFF_TEXT_SIZE, "no site differs (%zu site%s)", counts[CA_SITE_SAME],
                 counts[CA_SITE_SAME] == 1 ? "" : "s");
    else
        snprintf(ret_text, CA_DIFF_TEXT_SIZE,
                 "%s allocations, %s bytes requested; sites: %zu new, %zu grown, %zu shrunk, %zu "
                 "gone, %zu the same",
                 ca_diff_change(&diff->allocations, allocations),
                 ca_diff_change(&diff->bytes_requested, bytes), counts[CA_SITE_NEW],
                 counts[CA_SITE_GROWN], counts[CA_SITE_SHRUNK], counts[CA_SITE_GONE],
                 counts[CA_SITE_SAME]);
    return ret_text;
}

const char *ca_diff_site_place(const struct ca_changed_site *site, char *ret_text) {
    const char *file = site->file != NULL ? ca_plain_basename(site->file) : NULL;
    int length = snprintf(ret_text, CA_DIFF_TEXT_SIZE, "%.200s%s%.80s", site->function,
                          file != NULL ? " " : "", file != NULL ? file : "");
    if (file != NULL && site->line > 0)
        snprintf(ret_text + length, CA_DIFF_TEXT_SIZE - (size_t)length, ":%u", site->line);
    return ret_text;
}

const char *ca_diff_site_callers(const struct ca_changed_site *site, char *ret_text) {
    size_t length = 0;
    ret_text[0] = '\0';
    for (uint32_t i = 0; i < site->caller_count; i++)
        length += (size_t)snprintf(ret_text + length, CA_DIFF_TEXT_SIZE - length, "%s%.100s",
                                   i > 0 ? ", " : "", site->callers[i]);
    return ret_text;
}

size_t ca_diff_sites_shown(const struct ca_diff_report *report, struct ca_figure_pair *ret_others,
                           struct ca_figure_pair *ret_bytes_of_others) {
    const struct ca_site_diff *diff = report->sites;
    size_t shown = diff->site_count < report->top_count ? diff->site_count : report->top_count;
    *ret_others = *ret_bytes_of_others = (struct ca_figure_pair){.is_known = true};
    for (size_t i = shown; i < diff->site_count; i++) {
        ret_others->before += diff->sites[i].allocations.before;
        ret_others->after += diff->sites[i].allocations.after;
        ret_bytes_of_others->before += diff->sites[i].bytes_requested.before;
        ret_bytes_of_others->after += diff->sites[i].bytes_requested.after;
    }
    return shown;
}
