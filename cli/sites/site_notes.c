/* SPDX-License-Identifier: MIT */
#include "sites/site_notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "flame/flame_number.h"

static void note(struct ca_site_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note(struct ca_site_report *report, const char *format, ...) {
    if (report->note_count == CA_SITE_NOTES)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->notes[report->note_count++], CA_SITE_NOTE_SIZE, format, arguments);
    va_end(arguments);
}

/* ---- wrappers ---- */

static char lower_of(char letter) {
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static bool contains(const char *name, const char *lower) {
    size_t length = strlen(lower);
    for (; *name != '\0'; name++) {
        size_t same = 0;
        while (same < length && lower_of(name[same]) == lower[same])
            same++;
        if (same == length)
            return true;
    }
    return false;
}

bool ca_is_wrapper_name(const char *name) {
    return contains(name, "alloc") || contains(name, "strdup") || contains(name, "operator new");
}

static const char *what_helps(const struct ca_site_report *report) {
    const struct ca_record *record = report->record;
    if (record->sample_bytes > 0)
        return "the estimate from whole stacks below shows who calls it";
    if (record->stack_depth > 1)
        return "its code has no frame pointers, so '--sample' is what shows who calls it";
    return "'--stacks' shows who calls it where the program has frame pointers, '--sample' "
           "estimates it for any program";
}

/* Phases with less of the total than a twentieth are not worth a note. */
static bool is_large(const struct ca_record *record, const struct ca_record_phase *phase) {
    return phase->counts.allocations > 0 &&
           phase->counts.allocations >= (record->total.allocations + 19) / 20;
}

/* The row with most of the phase, when it has half of it and its caller is not known. */
static const struct ca_site_row *wrapper_of(const struct ca_site_report *report, uint32_t phase) {
    uint64_t whole = report->record->phases[phase].counts.allocations;
    for (size_t i = 0; i < report->sites.row_count; i++) {
        const struct ca_site_row *row = &report->sites.rows[i];
        bool has_half =
            row->phase == phase && row->allocations > 0 && row->allocations >= whole - whole / 2;
        bool is_place = strcmp(row->function, CA_ROW_NO_SITE) != 0;
        if (has_half && is_place && row->caller_count == 0 &&
            (!row->has_symbol || ca_is_wrapper_name(row->function)))
            return row;
    }
    return NULL;
}

static void note_wrappers(struct ca_site_report *report) {
    char share[CA_SITE_NUMBER_SIZE];
    if (report->options.view != CA_SITES_ALL)
        return;
    for (uint32_t i = 0; i < report->record->phase_count; i++) {
        const struct ca_record_phase *phase = &report->record->phases[i];
        const struct ca_site_row *row =
            is_large(report->record, phase) ? wrapper_of(report, i) : NULL;
        if (row == NULL)
            continue;
        ca_site_share(row->allocations, phase->counts.allocations, share);
        if (row->has_symbol)
            note(report,
                 "%s of phase %.100s is allocated in one place, %.200s, which by its name "
                 "allocates for others: %s",
                 share, phase->name, row->function, what_helps(report));
        else
            note(report,
                 "%s of phase %.100s is allocated in one place without a symbol, %.200s; if that "
                 "allocates for others: %s",
                 share, phase->name, row->function, what_helps(report));
    }
}

/* ---- stacks that end early ---- */

/* "WHAT: 12 allocations (3.4%)BECAUSE". */
static void note_share(struct ca_site_report *report, const char *what, uint64_t allocations,
                       const char *because) {
    char number[CA_FLAME_NUMBER_SIZE], share[CA_SITE_NUMBER_SIZE];
    if (allocations > 0)
        note(report, "%s: %s allocation%s (%s)%s", what, ca_flame_number(allocations, number),
             allocations == 1 ? "" : "s",
             ca_site_share(allocations, report->record->total.allocations, share), because);
}

static void note_stacks(struct ca_site_report *report) {
    const struct ca_record *record = report->record;
    uint64_t without_site = 0, with_one_frame = 0, cut = 0;
    char because[CA_SITE_NOTE_SIZE];
    for (uint32_t i = 0; i < record->site_count; i++) {
        const struct ca_record_site *site = &record->sites[i];
        without_site += site->frame_count == 0 ? site->allocations : 0;
        with_one_frame += site->frame_count == 1 && !site->is_cut ? site->allocations : 0;
        cut += site->is_cut ? site->allocations : 0;
    }
    note_share(report, "no site", without_site, ", counted without their place");
    if (record->stack_depth <= 1)
        return;
    snprintf(because, sizeof because, ", where the code has no frame pointers: %s",
             record->sample_bytes > 0 ? "the estimate from samples has whole stacks"
                                      : "'--sample' estimates who calls it");
    note_share(report, "stacks of one frame", with_one_frame, because);
    snprintf(because, sizeof because, ", which go on above the %u frames that were taken%s",
             record->stack_depth,
             record->stack_depth < CA_STACK_DEPTH_MAX ? ": '--stacks=DEPTH' takes more" : "");
    note_share(report, "cut stacks", cut, because);
}

/* A distribution's libstdc++ has no frame pointers: the register still is that of the function
 * which called operator new, and so leads past it. */
static void note_hidden_callers(struct ca_site_report *report) {
    const struct ca_record *record = report->record;
    uint64_t hidden = 0;
    if (record->stack_depth <= 1)
        return;
    for (uint32_t i = 0; i < record->site_count; i++) {
        const struct ca_record_site *site = &record->sites[i];
        if (site->frame_count == 0)
            continue;
        const struct ca_record_frame *frame = &record->frames[site->frames[0]];
        const struct ca_record_function *function =
            frame->function_count > 0 ? &frame->functions[frame->function_count - 1] : NULL;
        if (function != NULL && function->name != NULL &&
            strncmp(function->name, "operator new", strlen("operator new")) == 0)
            hidden += site->allocations;
    }
    note_share(report, "below operator new", hidden,
               record->sample_bytes > 0
                   ? ", whose caller is missing from stacks where libstdc++ has no frame pointers: "
                     "the estimate from samples has it"
                   : ", whose caller is missing from stacks where libstdc++ has no frame pointers: "
                     "'--sample' has it");
}

void ca_site_report_note(struct ca_site_report *report) {
    if (report->has_sites) {
        note_wrappers(report);
        note_stacks(report);
        note_hidden_callers(report);
    }
    for (uint32_t i = 0; i < report->record->note_count; i++)
        note(report, "%s", report->record->notes[i]);
}
