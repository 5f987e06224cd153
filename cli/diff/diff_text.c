/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>

#include "budget/check_escape.h"
#include "diff/diff_report.h"

#define THREADS_SHOWN 10u

/* All text, that of others included, is put through the terminal's syntax. */
__attribute__((format(printf, 2, 3))) static void put(struct ca_out *out, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ca_escape(out, CA_SYNTAX_TERMINAL, text);
}

static void end_line(struct ca_out *out) {
    ca_out_text(out, "\n");
}

/* "  allocations      3 -> 1003      +1000      0.003 -> 1.003 per line" */
static void put_figure(struct ca_out *out, const char *name, const struct ca_figure_pair *figure,
                       const struct ca_unit_pair *units, uint32_t unit_count) {
    char numbers[64], change[CA_DIFF_TEXT_SIZE], quotients[CA_DIFF_TEXT_SIZE];
    snprintf(numbers, sizeof numbers, "%lld -> %lld", (long long)figure->before,
             (long long)figure->after);
    put(out, "  %-18s %-28s %12s", name, numbers, ca_diff_change(figure, change));
    for (uint32_t i = 0; i < unit_count; i++)
        if (*ca_diff_quotients(figure, &units[i], quotients) != '\0')
            put(out, "   %s", quotients);
    end_line(out);
}

static void put_threads(struct ca_out *out, const struct ca_phase_diff *phase) {
    char name[CA_DIFF_TEXT_SIZE];
    for (uint32_t i = 0; i < phase->thread_count && i < THREADS_SHOWN; i++) {
        const struct ca_thread_pair *thread = &phase->threads[i];
        bool is_count = thread->allocations.is_different;
        put(out, "    %s%s", ca_diff_thread(thread, name), is_count ? "" : ", bytes requested");
        end_line(out);
        put_figure(out, is_count ? "    allocations" : "    bytes requested",
                   is_count ? &thread->allocations : &thread->bytes_requested, NULL, 0);
    }
    if (phase->thread_count > THREADS_SHOWN) {
        put(out, "    and %u more threads", phase->thread_count - THREADS_SHOWN);
        end_line(out);
    }
}

static void put_phase(struct ca_out *out, const struct ca_phase_diff *phase) {
    end_line(out);
    put(out, "%s%s", phase->name,
        phase->change == CA_CHANGE_NEW    ? "   (only in the new record)"
        : phase->change == CA_CHANGE_GONE ? "   (only in the old record)"
        : phase->change == CA_CHANGE_NONE ? "   (no difference)"
                                          : "");
    end_line(out);
    for (int column = 0; column < CA_COLUMN_COUNT; column++) {
        const struct ca_column_facts *facts = ca_column_facts((enum ca_column)column);
        if (phase->figures[column].is_different)
            put_figure(out, facts->name, &phase->figures[column], phase->units,
                       facts->is_per_unit ? phase->unit_count : 0);
    }
    if (phase->opened.is_different)
        put_figure(out, "opened", &phase->opened, NULL, 0);
    for (uint32_t i = 0; i < phase->unit_count; i++) {
        const struct ca_unit_pair *unit = &phase->units[i];
        const struct ca_figure_pair figure = {true, true, (int64_t)unit->before,
                                              (int64_t)unit->after};
        char name[64];
        snprintf(name, sizeof name, "units '%.31s'", unit->name);
        if (unit->before != unit->after)
            put_figure(out, name, &figure, NULL, 0);
    }
    put_threads(out, phase);
}

/* ---- by site ---- */

static void put_site(struct ca_out *out, const struct ca_site_diff *diff,
                     const struct ca_changed_site *site) {
    char text[CA_DIFF_TEXT_SIZE];
    struct ca_unit_pair units[2 * CA_UNIT_CAPACITY];
    uint32_t unit_count = ca_site_units(diff, site->phase, units);
    end_line(out);
    put(out, "%s: %s, in phase %.200s", ca_site_change_name(site->change),
        ca_diff_site_place(site, text), site->phase);
    if (site->caller_count > 0)
        put(out, ", called by %s", ca_diff_site_callers(site, text));
    put(out, "%s", site->is_guess ? " (paired by order: a guess)" : "");
    end_line(out);
    if (site->allocations.is_different)
        put_figure(out, "allocations", &site->allocations, units, unit_count);
    if (site->bytes_requested.is_different)
        put_figure(out, "bytes requested", &site->bytes_requested, units, unit_count);
}

static void put_sum(struct ca_out *out, const char *of_what,
                    const struct ca_figure_pair *allocations, const struct ca_figure_pair *bytes,
                    const struct ca_unit_pair *units, uint32_t unit_count) {
    end_line(out);
    put(out, "%s", of_what);
    end_line(out);
    put_figure(out, "allocations", allocations, units, unit_count);
    put_figure(out, "bytes requested", bytes, units, unit_count);
}

static void put_sites(struct ca_out *out, const struct ca_diff_report *report) {
    const struct ca_site_diff *diff = report->sites;
    struct ca_figure_pair others, bytes_of_others;
    struct ca_unit_pair units[2 * CA_UNIT_CAPACITY];
    char text[CA_DIFF_TEXT_SIZE];
    size_t shown = ca_diff_sites_shown(report, &others, &bytes_of_others);
    for (size_t i = 0; i < shown; i++)
        put_site(out, diff, &diff->sites[i]);
    if (shown < diff->site_count) {
        snprintf(text, sizeof text, "%zu more that differ", diff->site_count - shown);
        put_sum(out, text, &others, &bytes_of_others, NULL, 0);
    }
    if (diff->counts[CA_SITE_SAME] > 0) {
        snprintf(text, sizeof text, "%zu the same", diff->counts[CA_SITE_SAME]);
        put_sum(out, text, &diff->same_allocations, &diff->same_bytes, NULL, 0);
    }
    put_sum(out, "all sites", &diff->allocations, &diff->bytes_requested, units,
            ca_site_units(diff, NULL, units));
}

/* ---- the page ---- */

static void put_notes(struct ca_out *out, const char (*notes)[CA_DIFF_NOTE_SIZE],
                      uint32_t note_count) {
    for (uint32_t i = 0; i < note_count; i++) {
        put(out, "  note: %s", notes[i]);
        end_line(out);
    }
}

enum ca_status ca_diff_write_text(const struct ca_diff_report *report, struct ca_out *out,
                                  struct ca_error *err) {
    (void)err;
    const struct ca_record_diff *diff = report->diff;
    char summary[CA_DIFF_TEXT_SIZE];
    put(out, "countalloc diff: %s",
        report->sites != NULL ? ca_diff_site_summary(report->sites, summary)
                              : ca_diff_summary(diff, summary));
    end_line(out);
    put(out, "  old  %.400s  (%.100s, %.128s)", report->before_source, diff->before->name,
        diff->before->platform_key);
    end_line(out);
    put(out, "  new  %.400s  (%.100s, %.128s)", report->after_source, diff->after->name,
        diff->after->platform_key);
    end_line(out);
    put_notes(out, diff->notes, diff->note_count);
    if (report->sites != NULL) {
        put_notes(out, report->sites->notes, report->sites->note_count);
        if (report->sites->is_different)
            put_sites(out, report);
        return CA_OK;
    }
    if (!diff->is_different)
        return CA_OK;
    for (size_t i = 0; i < diff->phase_count; i++)
        put_phase(out, &diff->phases[i]);
    put_phase(out, &diff->total);
    return CA_OK;
}
