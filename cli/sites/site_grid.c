/* SPDX-License-Identifier: MIT */
#include "sites/site_grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "flame/flame_number.h"
#include "flame/xml_text.h"
#include "interpose/plain.h"

#define NAME_COLUMNS   72u /* of a function; the rest of a long C++ name is its parameters */
#define CALLER_COLUMNS 40u
#define ELLIPSIS       "\xe2\x80\xa6"

/* What a line is about. Figures are 0 and texts empty where the line has none. */
struct line {
    uint32_t phase; /* UINT32_MAX: of all */
    const char *first;
    const struct ca_site_row *row; /* NULL: of several */
    uint64_t samples;
    uint64_t allocations;
    uint64_t bytes_requested;
    bool is_negative; /* both of them */
    bool has_rate;
};

static void add(struct ca_site_cell *cell, const char *text) {
    size_t length = strlen(cell->text);
    snprintf(cell->text + length, sizeof cell->text - length, "%s", text);
}

static void add_cut(struct ca_site_cell *cell, const char *name, size_t columns) {
    size_t length = strlen(name), at = strlen(cell->text);
    size_t fitting = ca_xml_fitting(name, length, columns);
    if (fitting == length) {
        add(cell, name);
        return;
    }
    fitting = ca_xml_fitting(name, length, columns - 1);
    snprintf(cell->text + at, sizeof cell->text - at, "%.*s" ELLIPSIS, (int)fitting, name);
}

static void add_number(struct ca_site_cell *cell, uint64_t number) {
    char text[CA_FLAME_NUMBER_SIZE];
    add(cell, ca_flame_number(number, text));
}

static void fill_site(struct ca_site_cell *cell, const struct line *line) {
    char number[24];
    if (line->row == NULL) {
        add(cell, line->first);
        return;
    }
    add_cut(cell, line->row->function, NAME_COLUMNS);
    if (line->row->file == NULL)
        return;
    add(cell, " ");
    add_cut(cell, ca_plain_basename(line->row->file), NAME_COLUMNS);
    snprintf(number, sizeof number, ":%" PRIu32, line->row->line);
    if (line->row->line != 0)
        add(cell, number);
}

/* The file of a caller seldom tells more than its name. */
static void fill_callers(struct ca_site_cell *cell, const struct line *line) {
    char number[24];
    for (uint32_t i = 0; line->row != NULL && i < line->row->caller_count; i++) {
        const struct ca_site_caller *caller = &line->row->callers[i];
        add(cell, i > 0 ? " < " : "");
        add_cut(cell, caller->function, CALLER_COLUMNS);
        snprintf(number, sizeof number, ":%" PRIu32, caller->line);
        if (caller->line != 0)
            add(cell, number);
    }
}

/* ---- columns, in their order; each says whether it is there ---- */

enum column {
    COLUMN_PHASE,
    COLUMN_ALLOCATIONS,
    COLUMN_ERROR,
    COLUMN_RATE,
    COLUMN_SHARE,
    COLUMN_BYTES,
    COLUMN_SITE,
    COLUMN_CALLERS,
    COLUMN_COUNT
};

static bool is_there(const struct ca_site_grid *table, enum column column) {
    switch (column) {
    case COLUMN_PHASE:
        return table->rows->has_phases;
    case COLUMN_ERROR:
        return table->rows == &table->report->samples;
    case COLUMN_RATE:
        return table->report->unit != NULL;
    case COLUMN_CALLERS:
        return table->rows->has_callers;
    default:
        return true;
    }
}

static void fill_title(const struct ca_site_grid *table, struct ca_site_cell *cell,
                       enum column column) {
    static const char *const titles[COLUMN_COUNT] = {
        [COLUMN_PHASE] = "phase", [COLUMN_ALLOCATIONS] = "allocations",
        [COLUMN_ERROR] = "error", [COLUMN_RATE] = "per ",
        [COLUMN_SHARE] = "share", [COLUMN_BYTES] = "bytes requested",
        [COLUMN_SITE] = "site",   [COLUMN_CALLERS] = "called by",
    };
    if (column == COLUMN_SITE && table->report->options.view == CA_SITES_ABOVE)
        add(cell, "caller");
    else
        add(cell, titles[column]);
    if (column == COLUMN_RATE)
        add_cut(cell, table->report->unit, CALLER_COLUMNS);
}

static void fill_cell(const struct ca_site_grid *table, struct ca_site_cell *cell,
                      enum column column, const struct line *line) {
    const struct ca_site_report *report = table->report;
    char text[CA_SITE_NUMBER_SIZE];
    switch (column) {
    case COLUMN_PHASE:
        add(cell, line->phase < report->record->phase_count
                      ? report->record->phases[line->phase].name
                      : "");
        break;
    case COLUMN_ALLOCATIONS:
        add(cell, line->is_negative ? "-" : "");
        add_number(cell, line->allocations);
        break;
    case COLUMN_ERROR:
        add(cell, line->samples > 0 ? "\xc2\xb1" : "");
        add(cell, line->samples > 0 ? ca_site_error(line->samples, text) : "");
        break;
    case COLUMN_RATE:
        if (line->has_rate)
            add(cell,
                ca_flame_rate(line->allocations, ca_site_report_units(report, line->phase), text));
        break;
    case COLUMN_SHARE:
        if (!line->is_negative)
            add(cell,
                ca_site_share(line->allocations, ca_site_report_whole(report, table->rows), text));
        break;
    case COLUMN_BYTES:
        add(cell, line->is_negative ? "-" : "");
        add_number(cell, line->bytes_requested);
        break;
    case COLUMN_SITE:
        fill_site(cell, line);
        break;
    case COLUMN_CALLERS:
        fill_callers(cell, line);
        break;
    case COLUMN_COUNT:
        break;
    }
}

/* ---- lines ---- */

static bool has_rest(const struct ca_site_grid *table) {
    return ca_site_report_shown(table->report, table->rows) < table->rows->row_count;
}

static struct line line_of_rest(const struct ca_site_grid *table, char *name, size_t name_size) {
    size_t shown_count = ca_site_report_shown(table->report, table->rows);
    struct line line = {.phase = UINT32_MAX, .first = name, .has_rate = true};
    char number[CA_FLAME_NUMBER_SIZE];
    snprintf(name, name_size, "%s more",
             ca_flame_number(table->rows->row_count - shown_count, number));
    for (size_t i = shown_count; i < table->rows->row_count; i++) {
        line.samples += table->rows->rows[i].samples;
        line.allocations += table->rows->rows[i].allocations;
        line.bytes_requested += table->rows->rows[i].bytes_requested;
    }
    return line;
}

/* What the sites have too many: then the lines above add up to the total with it. */
static struct line line_of_difference(const struct ca_site_grid *table) {
    int64_t difference = ca_site_report_difference(table->report, table->rows);
    int64_t bytes =
        (int64_t)(table->rows->bytes_requested - table->report->record->total.bytes_requested);
    return (struct line){.phase = UINT32_MAX,
                         .first = "[counted in two phases]",
                         .is_negative = true,
                         .allocations = (uint64_t)difference,
                         .bytes_requested = bytes > 0 ? (uint64_t)bytes : 0};
}

static struct line line_of_total(const struct ca_site_grid *table) {
    const struct ca_site_rows *rows = table->rows;
    bool is_record = ca_site_report_difference(table->report, rows) != 0;
    return (struct line){.phase = UINT32_MAX,
                         .first = "total",
                         .has_rate = true,
                         .samples = rows->samples,
                         .allocations = is_record ? table->report->record->total.allocations
                                                  : rows->allocations,
                         .bytes_requested = is_record ? table->report->record->total.bytes_requested
                                                      : rows->bytes_requested};
}

static struct line line_of_row(const struct ca_site_row *row) {
    return (struct line){.phase = row->phase,
                         .first = "",
                         .row = row,
                         .has_rate = true,
                         .samples = row->samples,
                         .allocations = row->allocations,
                         .bytes_requested = row->bytes_requested};
}

void ca_site_grid_init(struct ca_site_grid *table, const struct ca_site_report *report,
                       const struct ca_site_rows *rows) {
    *table = (struct ca_site_grid){.report = report, .rows = rows};
    for (int column = 0; column < COLUMN_COUNT; column++)
        if (is_there(table, (enum column)column))
            table->is_name[table->column_count++] =
                column == COLUMN_PHASE || column == COLUMN_SITE || column == COLUMN_CALLERS;
    table->line_count = 2 + ca_site_report_shown(report, rows) + has_rest(table) +
                        (ca_site_report_difference(report, rows) > 0);
}

void ca_site_grid_line(const struct ca_site_grid *table, size_t line_number,
                       struct ca_site_cell *ret_cells) {
    size_t shown_count = ca_site_report_shown(table->report, table->rows);
    char name[CA_FLAME_NUMBER_SIZE + 16];
    struct line line = {0};
    if (line_number > 0 && line_number <= shown_count)
        line = line_of_row(&table->rows->rows[line_number - 1]);
    else if (line_number == table->line_count - 1)
        line = line_of_total(table);
    else if (line_number == shown_count + 1 && has_rest(table))
        line = line_of_rest(table, name, sizeof name);
    else if (line_number > 0)
        line = line_of_difference(table);
    for (int column = 0; column < COLUMN_COUNT; column++) {
        if (!is_there(table, (enum column)column))
            continue;
        ret_cells->text[0] = '\0';
        if (line_number == 0)
            fill_title(table, ret_cells, (enum column)column);
        else
            fill_cell(table, ret_cells, (enum column)column, &line);
        ret_cells++;
    }
}
