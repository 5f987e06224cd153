/* SPDX-License-Identifier: MIT
 *
 * The table fills its cells twice, once to learn the widths. */
#include "busiest.h"
#include "interpose/plain.h"
#include "record_text_parts.h"
#include "text_items.h"

#define UNIT_COLUMNS 16u
#define SHOWN_PHASES 40u
#define SHOWN_UNITS  2u

struct ca_table_row {
    const char *name;
    const struct ca_counts *counts;
    const struct ca_units *units;
    uint32_t units_count;
};

struct ca_table_column {
    const char *title;
    void (*fill)(struct ca_cell *cell, const struct ca_table_row *row,
                 const struct ca_table_column *column);
    size_t offset;    /* of the number shown, in struct ca_counts */
    const char *unit; /* what it is divided by; NULL: nothing */
    unsigned width_columns;
};

static void fill_name(struct ca_cell *cell, const struct ca_table_row *row,
                      const struct ca_table_column *column) {
    (void)column;
    ca_cell_name(cell, row->name, NAME_COLUMNS);
}

static void fill_count(struct ca_cell *cell, const struct ca_table_row *row,
                       const struct ca_table_column *column) {
    ca_cell_number(cell, ca_count_at(row->counts, column->offset));
}

static void fill_peak(struct ca_cell *cell, const struct ca_table_row *row,
                      const struct ca_table_column *column) {
    (void)column;
    if (row->counts->has_peak)
        ca_cell_signed(cell, row->counts->bytes_peak);
    else
        ca_cell_text(cell, "-");
}

static uint64_t count_of_unit(const struct ca_units *units, uint32_t units_count,
                              const char *unit) {
    for (uint32_t i = 0; i < units_count; i++)
        if (ca_plain_is_equal(units[i].name, unit))
            return units[i].unit_count;
    return 0;
}

/* Blank where the unit was not counted; what rounds to 0 and is none is not shown as 0. */
static void fill_rate(struct ca_cell *cell, const struct ca_table_row *row,
                      const struct ca_table_column *column) {
    uint64_t number = ca_count_at(row->counts, column->offset);
    uint64_t unit_count = count_of_unit(row->units, row->units_count, column->unit);
    if (unit_count == 0)
        return;
    if (number == 0)
        ca_cell_text(cell, "0");
    else if ((ca_wide)number * 2000 < unit_count)
        ca_cell_text(cell, "<0.001");
    else
        ca_cell_quotient(cell, number, unit_count, 3);
}

static const struct ca_table_column count_columns[] = {
    {.title = "phase", .fill = fill_name},
    {.title = "allocations", .fill = fill_count, .offset = offsetof(struct ca_counts, allocations)},
    {.title = "frees", .fill = fill_count, .offset = offsetof(struct ca_counts, frees)},
    {.title = "bytes requested",
     .fill = fill_count,
     .offset = offsetof(struct ca_counts, bytes_requested)},
    {.title = "peak live", .fill = fill_peak},
};

static const struct ca_table_column rate_columns[] = {
    {.title = "allocations/", .fill = fill_rate, .offset = offsetof(struct ca_counts, allocations)},
    {.title = "bytes/", .fill = fill_rate, .offset = offsetof(struct ca_counts, bytes_requested)},
};

#define COUNT_COLUMNS (sizeof count_columns / sizeof *count_columns)
#define RATE_COLUMNS  (sizeof rate_columns / sizeof *rate_columns)

struct ca_table {
    struct ca_table_column columns[COUNT_COLUMNS + RATE_COLUMNS * SHOWN_UNITS];
    uint32_t column_count;
    uint32_t chosen[SHOWN_PHASES];
    uint32_t chosen_count;
    struct ca_counts rest; /* what the other phases have together, as far as a column shows it */
    char rest_name[NAME_COLUMNS];
};

static void add_columns(struct ca_table *table, const struct ca_table_column *columns, size_t count,
                        const char *unit) {
    for (size_t i = 0; i < count; i++) {
        table->columns[table->column_count] = columns[i];
        table->columns[table->column_count++].unit = unit;
    }
}

static void add_unit_columns(struct ca_table *table, const struct ca_units *units,
                             uint32_t units_count) {
    uint32_t column_limit = sizeof table->columns / sizeof *table->columns;
    for (uint32_t i = 0; i < units_count; i++) {
        bool is_shown = units[i].unit_count == 0;
        for (uint32_t k = COUNT_COLUMNS; k < table->column_count; k++)
            is_shown |= ca_plain_is_equal(table->columns[k].unit, units[i].name);
        if (!is_shown && table->column_count < column_limit)
            add_columns(table, rate_columns, RATE_COLUMNS, units[i].name);
    }
}

static void sum_up_rest(struct ca_table *table, const struct ca_record *record) {
    struct ca_text name = ca_text_in(table->rest_name, sizeof table->rest_name);
    uint32_t rest_count = record->phase_count - table->chosen_count;
    ca_text_add_number(&name, rest_count);
    ca_text_add(&name, rest_count == 1 ? " more phase" : " more phases");
    for (uint32_t i = 0; i < record->phase_count; i++) {
        if (ca_busiest_has(table->chosen, table->chosen_count, i))
            continue;
        const struct ca_counts *counts = &record->phases[i].counts;
        table->rest.allocations += counts->allocations;
        table->rest.frees += counts->frees;
        table->rest.bytes_requested += counts->bytes_requested;
        if (counts->has_peak &&
            (!table->rest.has_peak || counts->bytes_peak > table->rest.bytes_peak))
            table->rest.bytes_peak = counts->bytes_peak;
        table->rest.has_peak |= counts->has_peak;
    }
}

static void fill_cell(struct ca_cell *cell, const struct ca_table_column *column,
                      const struct ca_table_row *row) {
    ca_cell_init(cell, CELL_COLUMNS);
    if (row != NULL) {
        column->fill(cell, row, column);
        return;
    }
    ca_cell_text(cell, column->title);
    if (column->unit != NULL)
        ca_cell_name(cell, column->unit, UNIT_COLUMNS);
}

static void measure_row(struct ca_table *table, const struct ca_table_row *row) {
    for (uint32_t i = 0; i < table->column_count; i++) {
        struct ca_cell cell;
        fill_cell(&cell, &table->columns[i], row);
        if (cell.columns > table->columns[i].width_columns)
            table->columns[i].width_columns = cell.columns;
    }
}

/* Spaces are owed until something follows them, so that no line ends in blanks. */
static void put_row(const struct ca_table *table, struct ca_out *out,
                    const struct ca_table_row *row) {
    unsigned owed = 0;
    for (uint32_t i = 0; i < table->column_count; i++) {
        struct ca_cell cell;
        fill_cell(&cell, &table->columns[i], row);
        unsigned padding = table->columns[i].width_columns - cell.columns;
        owed += i == 0 ? 0 : 2 + padding;
        if (cell.columns > 0) {
            ca_line_spaces(out, owed);
            ca_line_cell(out, &cell);
            owed = 0;
        }
        owed += i == 0 ? padding : 0;
    }
    ca_out_text(out, "\n");
}

static void do_row(struct ca_table *table, struct ca_out *out, const struct ca_table_row *row) {
    if (out == NULL)
        measure_row(table, row);
    else
        put_row(table, out, row);
}

/* Header, phases, the other phases, total. `out`: NULL to measure them. */
static void do_rows(struct ca_table *table, const struct ca_record *record, struct ca_out *out) {
    do_row(table, out, NULL);
    for (uint32_t i = 0; i < table->chosen_count; i++) {
        const struct ca_record_phase *phase = &record->phases[table->chosen[i]];
        do_row(
            table, out,
            &(struct ca_table_row){phase->name, &phase->counts, phase->units, phase->units_count});
    }
    if (table->chosen_count < record->phase_count)
        do_row(table, out, &(struct ca_table_row){table->rest_name, &table->rest, NULL, 0});
    do_row(table, out,
           &(struct ca_table_row){"total", &record->total, record->total_units,
                                  record->total_units_count});
}

static uint64_t phase_allocations(const struct ca_record *record, uint32_t index) {
    return record->phases[index].counts.allocations;
}

void ca_record_write_text_phases(const struct ca_record *record, struct ca_out *out) {
    struct ca_table table = {.column_count = 0};
    add_columns(&table, count_columns, COUNT_COLUMNS, NULL);
    add_unit_columns(&table, record->total_units, record->total_units_count);
    for (uint32_t i = 0; i < record->phase_count; i++)
        add_unit_columns(&table, record->phases[i].units, record->phases[i].units_count);
    table.chosen_count = ca_busiest_choose(record, phase_allocations, record->phase_count,
                                           table.chosen, SHOWN_PHASES);
    sum_up_rest(&table, record);
    do_rows(&table, record, NULL);
    do_rows(&table, record, out);
}
