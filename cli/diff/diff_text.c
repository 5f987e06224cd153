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
                       const struct ca_phase_diff *phase, bool is_per_unit) {
    char numbers[64], change[CA_DIFF_TEXT_SIZE], quotients[CA_DIFF_TEXT_SIZE];
    snprintf(numbers, sizeof numbers, "%lld -> %lld", (long long)figure->before,
             (long long)figure->after);
    put(out, "  %-18s %-28s %12s", name, numbers, ca_diff_change(figure, change));
    for (uint32_t i = 0; is_per_unit && i < phase->unit_count; i++)
        if (*ca_diff_quotients(figure, &phase->units[i], quotients) != '\0')
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
                   is_count ? &thread->allocations : &thread->bytes_requested, phase, false);
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
            put_figure(out, facts->name, &phase->figures[column], phase, facts->is_per_unit);
    }
    if (phase->opened.is_different)
        put_figure(out, "opened", &phase->opened, phase, false);
    for (uint32_t i = 0; i < phase->unit_count; i++) {
        const struct ca_unit_pair *unit = &phase->units[i];
        const struct ca_figure_pair figure = {true, true, (int64_t)unit->before,
                                              (int64_t)unit->after};
        char name[64];
        snprintf(name, sizeof name, "units '%.31s'", unit->name);
        if (unit->before != unit->after)
            put_figure(out, name, &figure, phase, false);
    }
    put_threads(out, phase);
}

enum ca_status ca_diff_write_text(const struct ca_diff_report *report, struct ca_out *out,
                                  struct ca_error *err) {
    (void)err;
    const struct ca_record_diff *diff = report->diff;
    char summary[CA_DIFF_TEXT_SIZE];
    put(out, "countalloc diff: %s", ca_diff_summary(diff, summary));
    end_line(out);
    put(out, "  old  %.400s  (%.100s, %.128s)", report->before_source, diff->before->name,
        diff->before->platform_key);
    end_line(out);
    put(out, "  new  %.400s  (%.100s, %.128s)", report->after_source, diff->after->name,
        diff->after->platform_key);
    end_line(out);
    for (uint32_t i = 0; i < diff->note_count; i++) {
        put(out, "  note: %s", diff->notes[i]);
        end_line(out);
    }
    if (!diff->is_different)
        return CA_OK;
    for (size_t i = 0; i < diff->phase_count; i++)
        put_phase(out, &diff->phases[i]);
    put_phase(out, &diff->total);
    return CA_OK;
}
