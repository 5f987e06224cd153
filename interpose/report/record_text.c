/* SPDX-License-Identifier: MIT
 *
 * The report a person reads. Every piece of a line is first put together in a cell; the table fills
 * its cells twice, once to learn the widths.
 */
#include "record.h"

#include "interpose/plain.h"
#include "record_text_sites.h"
#include "text_cell.h"
#include <signal.h>

#define LINE_COLUMNS    100u
#define HEADING_COLUMNS 90u
#define NAME_COLUMNS    32u
#define UNIT_COLUMNS    16u
#define LABEL_COLUMNS   10u
#define SHOWN_PHASES    40u
#define SHOWN_ITEMS     5u
#define SHOWN_UNITS     2u

/* ---- lines ---- */

static void put_cell(struct ca_out *out, const struct ca_cell *cell) {
    ca_out_bytes(out, cell->bytes, cell->byte_count);
}

static void put_spaces(struct ca_out *out, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        ca_out_text(out, " ");
}

/* A labelled line of items; breaks between two of them when it gets too long, and is none without
 * an item. */
struct ca_items {
    struct ca_out *out;
    const char *label;
    unsigned columns;
};

static struct ca_items items_begin(struct ca_out *out, const char *label) {
    return (struct ca_items){out, label, 0};
}

static void put_label(struct ca_items *items) {
    struct ca_cell cell;
    ca_cell_init(&cell, LABEL_COLUMNS);
    ca_cell_text(&cell, items->label);
    put_cell(items->out, &cell);
    put_spaces(items->out, LABEL_COLUMNS - cell.columns);
    items->columns = LABEL_COLUMNS;
}

static void items_add(struct ca_items *items, const struct ca_cell *cell) {
    if (items->columns == 0) {
        put_label(items);
    } else if (items->columns + 2 + cell->columns > LINE_COLUMNS) {
        ca_out_text(items->out, "\n");
        put_spaces(items->out, LABEL_COLUMNS);
        items->columns = LABEL_COLUMNS;
    } else {
        put_spaces(items->out, 2);
        items->columns += 2;
    }
    put_cell(items->out, cell);
    items->columns += cell->columns;
}

static void items_end(struct ca_items *items) {
    if (items->columns > 0)
        ca_out_text(items->out, "\n");
}

/* ---- the busiest of many ---- */

typedef uint64_t (*ca_allocations_of)(const struct ca_record *record, uint32_t index);

static uint64_t phase_allocations(const struct ca_record *record, uint32_t index) {
    return record->phases[index].counts.allocations;
}

static uint64_t thread_allocations(const struct ca_record *record, uint32_t index) {
    return record->threads[index].counts.allocations;
}

static uint64_t process_allocations(const struct ca_record *record, uint32_t index) {
    return record->processes[index].counts.allocations;
}

/* Fills `chosen` with the indices below `count` that have the most allocations, in ascending order.
 * Returns how many. */
static uint32_t choose_busiest(const struct ca_record *record, ca_allocations_of allocations,
                               uint32_t count, uint32_t *chosen, uint32_t chosen_limit) {
    uint32_t chosen_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (chosen_count == chosen_limit) {
            uint32_t least = 0;
            for (uint32_t k = 1; k < chosen_limit; k++)
                if (allocations(record, chosen[k]) <= allocations(record, chosen[least]))
                    least = k;
            if (allocations(record, i) <= allocations(record, chosen[least]))
                continue;
            for (chosen_count--; least < chosen_count; least++)
                chosen[least] = chosen[least + 1];
        }
        chosen[chosen_count++] = i;
    }
    return chosen_count;
}

static bool is_chosen(const uint32_t *chosen, uint32_t chosen_count, uint32_t index) {
    for (uint32_t i = 0; i < chosen_count; i++)
        if (chosen[i] == index)
            return true;
    return false;
}

/* ---- the table of phases ---- */

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

static uint64_t count_at(const struct ca_counts *counts, size_t offset) {
    return *(const uint64_t *)((const char *)counts + offset);
}

static void fill_name(struct ca_cell *cell, const struct ca_table_row *row,
                      const struct ca_table_column *column) {
    (void)column;
    ca_cell_name(cell, row->name, NAME_COLUMNS);
}

static void fill_count(struct ca_cell *cell, const struct ca_table_row *row,
                       const struct ca_table_column *column) {
    ca_cell_number(cell, count_at(row->counts, column->offset));
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
    uint64_t number = count_at(row->counts, column->offset);
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
        if (is_chosen(table->chosen, table->chosen_count, i))
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
            put_spaces(out, owed);
            put_cell(out, &cell);
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

static void put_phases(const struct ca_record *record, struct ca_out *out) {
    struct ca_table table = {.column_count = 0};
    add_columns(&table, count_columns, COUNT_COLUMNS, NULL);
    add_unit_columns(&table, record->total_units, record->total_units_count);
    for (uint32_t i = 0; i < record->phase_count; i++)
        add_unit_columns(&table, record->phases[i].units, record->phases[i].units_count);
    table.chosen_count =
        choose_busiest(record, phase_allocations, record->phase_count, table.chosen, SHOWN_PHASES);
    sum_up_rest(&table, record);
    do_rows(&table, record, NULL);
    do_rows(&table, record, out);
}

/* ---- above the table ---- */

static void add_command_line(struct ca_cell *cell, const struct ca_record *record) {
    uint32_t shown_count = 0;
    size_t start = 0;
    for (size_t at = 0; at < record->argument_bytes && shown_count < record->argument_count; at++) {
        if (record->arguments[at] != '\0')
            continue;
        if (shown_count++ > 0)
            ca_cell_text(cell, " ");
        ca_cell_text(cell, record->arguments + start);
        start = at + 1;
    }
    if (shown_count < record->argument_count)
        ca_cell_text(cell, shown_count > 0 ? " " ELLIPSIS : record->name);
}

static bool is_named(const struct ca_record *record) {
    return !ca_plain_is_equal(record->name, ca_plain_basename(record->executable));
}

static void put_heading(const struct ca_record *record, struct ca_out *out) {
    struct ca_cell cell;
    ca_cell_init(&cell, HEADING_COLUMNS);
    if (is_named(record) || record->argument_count == 0)
        ca_cell_name(&cell, record->name, NAME_COLUMNS);
    if (is_named(record) && record->argument_count > 0)
        ca_cell_text(&cell, ": ");
    add_command_line(&cell, record);
    ca_out_text(out, "countalloc: ");
    put_cell(out, &cell);
    ca_out_text(out, "\n");
}

static void put_counted(const struct ca_record *record, struct ca_out *out) {
    const struct ca_counts *total = &record->total;
    struct ca_cell cell;
    ca_cell_init(&cell, CELL_COLUMNS);
    ca_cell_counted(&cell, total->allocations, "allocation");
    ca_cell_text(&cell, ", ");
    ca_cell_counted(&cell, total->frees, "free");
    ca_cell_text(&cell, ", ");
    ca_cell_counted(&cell, total->bytes_requested, "byte");
    ca_cell_text(&cell, " requested");
    ca_out_text(out, record->level == CA_LEVEL_PARTIAL ? "at least " : "");
    put_cell(out, &cell);
    ca_out_text(out, "\n");
}

static void add_live(struct ca_cell *cell, const struct ca_record *record) {
    const struct ca_counts *total = &record->total;
    ca_cell_counted_signed(cell, total->live_blocks,
                           record->level == CA_LEVEL_PARTIAL ? "counted block" : "block");
    if (total->has_live) {
        ca_cell_text(cell, " (");
        ca_cell_counted_signed(cell, total->bytes_live, "byte");
        ca_cell_text(cell, ")");
    }
    ca_cell_text(cell, " live at the end");
}

static void add_peak(struct ca_cell *cell, const struct ca_record *record) {
    const struct ca_counts *total = &record->total;
    bool is_bound = record->level == CA_LEVEL_PARTIAL || total->bytes_peak_error > 0;
    ca_cell_text(cell, is_bound ? ", peak at least " : ", peak ");
    ca_cell_counted_signed(cell, total->bytes_peak, "byte");
    if (total->bytes_peak_error > 0) {
        ca_cell_text(cell, " (up to ");
        ca_cell_number(cell, total->bytes_peak_error);
        ca_cell_text(cell, " more)");
    }
}

static void put_live(const struct ca_record *record, struct ca_out *out) {
    const struct ca_counts *total = &record->total;
    struct ca_cell cell;
    ca_cell_init(&cell, CELL_COLUMNS);
    add_live(&cell, record);
    if (total->has_peak)
        add_peak(&cell, record);
    put_cell(out, &cell);
    if (!total->has_live && !total->has_peak)
        ca_out_text(out, "; live and peak bytes not measured");
    else if (!total->has_live)
        ca_out_text(out, "; live bytes not measured");
    else if (!total->has_peak)
        ca_out_text(out, "; peak not measured");
    ca_out_text(out, "\n");
}

/* ---- below the table ---- */

struct ca_text_count {
    const char *name;
    size_t offset;
};

static const struct ca_text_count call_counts[] = {
    {"malloc ", offsetof(struct ca_counts, malloc_calls)},
    {"calloc ", offsetof(struct ca_counts, calloc_calls)},
    {"realloc ", offsetof(struct ca_counts, realloc_calls)},
    {"aligned ", offsetof(struct ca_counts, aligned_calls)},
    {"failed ", offsetof(struct ca_counts, failed_calls)},
};

static const struct ca_text_count realloc_counts[] = {
    {"in place ", offsetof(struct ca_counts, realloc_in_place)},
    {"moved ", offsetof(struct ca_counts, realloc_moved)},
    {"grown ", offsetof(struct ca_counts, realloc_grown)},
    {"shrunk ", offsetof(struct ca_counts, realloc_shrunk)},
};

static void add_count_item(struct ca_items *items, const char *name, uint64_t count) {
    struct ca_cell cell;
    ca_cell_init(&cell, CELL_COLUMNS);
    ca_cell_text(&cell, name);
    ca_cell_number(&cell, count);
    items_add(items, &cell);
}

static void put_counts(struct ca_out *out, const char *label, const struct ca_counts *counts,
                       const struct ca_text_count *names, size_t name_count) {
    struct ca_items items = items_begin(out, label);
    for (size_t i = 0; i < name_count; i++)
        add_count_item(&items, names[i].name, count_at(counts, names[i].offset));
    items_end(&items);
}

/* "free" and "by realloc" make up the frees of the table. */
static void put_frees(const struct ca_counts *counts, struct ca_out *out) {
    struct ca_items items = items_begin(out, "frees");
    add_count_item(&items, "free ", counts->free_calls);
    add_count_item(&items, "by realloc ", counts->frees - counts->free_calls);
    add_count_item(&items, "free(NULL) ", counts->free_null);
    items_end(&items);
}

static void put_calls(const struct ca_record *record, struct ca_out *out) {
    put_counts(out, "calls", &record->total, call_counts, sizeof call_counts / sizeof *call_counts);
    put_frees(&record->total, out);
    if (record->total.realloc_calls > 0)
        put_counts(out, "realloc", &record->total, realloc_counts,
                   sizeof realloc_counts / sizeof *realloc_counts);
}

/* "<=64 12.5%": the sizes above the previous bound and up to that of `size_class`. */
static void add_size_bound(struct ca_cell *cell, uint32_t size_class) {
    bool is_last = size_class == CA_CLASSES - 1;
    ca_cell_text(cell, is_last ? ">" : size_class == 0 ? "" : "<=");
    ca_cell_number(cell, ca_class_upper_bytes(is_last ? size_class - 1 : size_class));
}

static bool ends_bucket(uint32_t size_class) {
    uint64_t upper_bytes = ca_class_upper_bytes(size_class);
    return (upper_bytes & (upper_bytes - 1)) == 0 || size_class == CA_CLASSES - 1;
}

static void put_sizes(const struct ca_record *record, struct ca_out *out) {
    struct ca_items items = items_begin(out, "sizes");
    uint64_t bucket = 0;
    for (uint32_t i = 0; i < CA_CLASSES; i++) {
        bucket += record->total.size_class[i];
        if (!ends_bucket(i) || bucket == 0)
            continue;
        struct ca_cell cell;
        ca_cell_init(&cell, CELL_COLUMNS);
        add_size_bound(&cell, i);
        ca_cell_text(&cell, items.columns == 0 ? " bytes " : " ");
        ca_cell_share(&cell, bucket, record->total.allocations);
        items_add(&items, &cell);
        bucket = 0;
    }
    items_end(&items);
}

static void put_units(const struct ca_record *record, struct ca_out *out) {
    struct ca_items items = items_begin(out, "units");
    for (uint32_t i = 0; i < record->total_units_count; i++) {
        struct ca_cell cell;
        ca_cell_init(&cell, CELL_COLUMNS);
        ca_cell_name(&cell, record->total_units[i].name, NAME_COLUMNS);
        ca_cell_text(&cell, " ");
        ca_cell_number(&cell, record->total_units[i].unit_count);
        items_add(&items, &cell);
    }
    items_end(&items);
}

/* What the allocator said of itself at the end. */
static void put_allocator(const struct ca_record *record, struct ca_out *out) {
    if (!record->has_allocator_bytes)
        return;
    struct ca_items items = items_begin(out, "allocator");
    struct ca_cell cell;
    ca_cell_init(&cell, CELL_COLUMNS);
    ca_cell_name(&cell, record->allocator, NAME_COLUMNS);
    ca_cell_text(&cell, " ");
    ca_cell_number(&cell, record->allocator_used_bytes);
    ca_cell_text(&cell, " bytes in use at the end, of ");
    ca_cell_number(&cell, record->allocator_held_bytes);
    ca_cell_text(&cell, " held");
    items_add(&items, &cell);
    items_end(&items);
}

static void add_thread(struct ca_cell *cell, const struct ca_record *record, uint32_t index) {
    const struct ca_record_thread *thread = &record->threads[index];
    if (thread->number != 0) {
        ca_cell_text(cell, "#");
        ca_cell_number(cell, thread->number);
        ca_cell_text(cell, " ");
    }
    if (thread->name != NULL) {
        ca_cell_name(cell, thread->name, NAME_COLUMNS);
        ca_cell_text(cell, " ");
    }
    if (thread->thread_count > 1) {
        ca_cell_text(cell, "(");
        ca_cell_counted(cell, thread->thread_count, "thread");
        ca_cell_text(cell, ") ");
    }
    ca_cell_number(cell, thread->counts.allocations);
}

static void add_process(struct ca_cell *cell, const struct ca_record *record, uint32_t index) {
    const struct ca_record_process *process = &record->processes[index];
    ca_cell_name(cell, ca_plain_basename(process->executable), NAME_COLUMNS);
    ca_cell_text(cell, " ");
    ca_cell_number(cell, process->counts.allocations);
}

/* How many there are, then those with the most allocations. `present_count` is the former, `count`
 * how many of them the record tells apart. */
static void put_busiest(const struct ca_record *record, struct ca_out *out, const char *label,
                        uint64_t present_count, uint32_t count, ca_allocations_of allocations,
                        void (*add_item)(struct ca_cell *, const struct ca_record *, uint32_t)) {
    uint32_t chosen[SHOWN_ITEMS];
    uint32_t chosen_count = choose_busiest(record, allocations, count, chosen, SHOWN_ITEMS);
    struct ca_items items = items_begin(out, label);
    struct ca_cell cell;
    ca_cell_init(&cell, CELL_COLUMNS);
    ca_cell_number(&cell, present_count);
    if (count > 1)
        ca_cell_text(&cell, count > chosen_count ? ", most allocations:" : ", allocations:");
    items_add(&items, &cell);
    for (uint32_t i = 0; i < chosen_count && count > 1; i++) {
        ca_cell_init(&cell, CELL_COLUMNS);
        add_item(&cell, record, chosen[i]);
        items_add(&items, &cell);
    }
    items_end(&items);
}

static void put_threads(const struct ca_record *record, struct ca_out *out) {
    uint64_t present_count = 0;
    for (uint32_t i = 0; i < record->thread_count; i++)
        present_count += record->threads[i].thread_count;
    if (record->thread_count > 0)
        put_busiest(record, out, "threads", present_count, record->thread_count, thread_allocations,
                    add_thread);
}

static void put_processes(const struct ca_record *record, struct ca_out *out) {
    if (record->process_count > 1)
        put_busiest(record, out, "programs", record->process_count, record->process_count,
                    process_allocations, add_process);
}

/* ---- the end of the program ---- */

static const struct {
    int number;
    const char *name;
} signal_names[] = {
    {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
    {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
    {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"},
    {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"},
};

static void add_outcome(struct ca_cell *cell, const struct ca_record *record) {
    if (record->signal == 0) {
        if (record->has_exit_status) {
            ca_cell_text(cell, "status ");
            ca_cell_signed(cell, record->exit_status);
        } else if (!record->is_complete) {
            ca_cell_text(cell, "not seen: the program was killed, or is still running");
        }
        return;
    }
    ca_cell_text(cell, "killed by signal ");
    ca_cell_signed(cell, record->signal);
    for (size_t i = 0; i < sizeof signal_names / sizeof *signal_names; i++) {
        if (signal_names[i].number != record->signal)
            continue;
        ca_cell_text(cell, " (");
        ca_cell_text(cell, signal_names[i].name);
        ca_cell_text(cell, ")");
    }
}

static void add_seconds(struct ca_cell *cell, const char *before, uint64_t elapsed_ns) {
    ca_cell_text(cell, before);
    ca_cell_quotient(cell, elapsed_ns, 1000000000, 3);
    ca_cell_text(cell, " s");
}

static void add_resources(struct ca_cell *cell, const struct ca_record *record) {
    add_seconds(cell, cell->columns > 0 ? ", " : "", record->wall_ns);
    add_seconds(cell, " (user ", record->user_ns);
    add_seconds(cell, ", system ", record->system_ns);
    ca_cell_text(cell, "), ");
    ca_cell_quotient(cell, record->max_rss_bytes, 1 << 20, 1);
    ca_cell_text(cell, " MiB peak memory");
}

static void put_exit(const struct ca_record *record, struct ca_out *out, bool has_resources) {
    struct ca_cell cell;
    ca_cell_init(&cell, CELL_COLUMNS);
    add_outcome(&cell, record);
    if (has_resources)
        add_resources(&cell, record);
    struct ca_items items = items_begin(out, "exit");
    if (cell.columns > 0)
        items_add(&items, &cell);
    items_end(&items);
}

/* ---- the whole ---- */

static void put_note(struct ca_out *out, const char *before, const char *note) {
    const char *shown;
    size_t byte_count;
    ca_out_text(out, before);
    while ((byte_count = ca_cell_next_character(&note, &shown)) > 0)
        ca_out_bytes(out, shown, byte_count);
    ca_out_text(out, "\n");
}

/* No count is shown, not even as 0: none was taken. */
static void put_not_measured(const struct ca_record *record, struct ca_out *out) {
    if (record->note_count == 0)
        ca_out_text(out, "not measured\n");
    for (uint32_t i = 0; i < record->note_count; i++)
        put_note(out, i == 0 ? "not measured: " : "note: ", record->notes[i]);
    if (record->signal != 0 || record->exit_status != 0)
        put_exit(record, out, false);
}

static void put_measured(const struct ca_record *record, struct ca_out *out) {
    put_counted(record, out);
    put_live(record, out);
    ca_out_text(out, "\n");
    put_phases(record, out);
    ca_out_text(out, "\n");
    ca_record_write_text_sites(record, out);
    put_calls(record, out);
    put_sizes(record, out);
    put_units(record, out);
    put_allocator(record, out);
    put_threads(record, out);
    put_processes(record, out);
    put_exit(record, out, record->has_resources);
    for (uint32_t i = 0; i < record->note_count; i++)
        put_note(out, "note: ", record->notes[i]);
}

void ca_record_write_text(const struct ca_record *record, struct ca_out *out) {
    put_heading(record, out);
    if (record->is_attached && record->level != CA_LEVEL_NONE)
        put_measured(record, out);
    else
        put_not_measured(record, out);
}
