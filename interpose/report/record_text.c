/* SPDX-License-Identifier: MIT
 *
 * The report a person reads: heading and verdict here, its other parts in files of their own
 * (record_text_parts.h). Every piece of a line is first put together in a cell. */
#include "interpose/plain.h"
#include "record_text_parts.h"
#include "record_text_sites.h"
#include "text_items.h"

#define HEADING_COLUMNS 90u

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
    ca_line_cell(out, &cell);
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
    ca_line_cell(out, &cell);
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
    ca_line_cell(out, &cell);
    if (!total->has_live && !total->has_peak)
        ca_out_text(out, "; live and peak bytes not measured");
    else if (!total->has_live)
        ca_out_text(out, "; live bytes not measured");
    else if (!total->has_peak)
        ca_out_text(out, "; peak not measured");
    ca_out_text(out, "\n");
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
        ca_record_write_text_exit(record, out, false);
}

static void put_measured(const struct ca_record *record, struct ca_out *out) {
    put_counted(record, out);
    put_live(record, out);
    ca_out_text(out, "\n");
    ca_record_write_text_phases(record, out);
    ca_out_text(out, "\n");
    ca_record_write_text_sites(record, out);
    ca_record_write_text_calls(record, out);
    ca_record_write_text_sizes(record, out);
    ca_record_write_text_units(record, out);
    ca_record_write_text_allocator(record, out);
    ca_record_write_text_threads(record, out);
    ca_record_write_text_processes(record, out);
    ca_record_write_text_exit(record, out, record->has_resources);
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
