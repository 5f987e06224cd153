/* SPDX-License-Identifier: MIT */
#include "record_text_sites.h"

#include "interpose/plain.h"
#include "text_cell.h"

#define SHOWN_SITES      5u
#define SHOWN_CALLERS    3u
#define LINE_COLUMNS     100u
#define FUNCTION_COLUMNS 48u
#define FILE_COLUMNS     32u
#define CALLER_COLUMNS   24u
#define COUNT_TITLE      "allocations"
#define SHARE_WIDTH      6u

struct choice {
    const struct ca_record *record;
    struct ca_out *out;
    const struct ca_record_site *sites[SHOWN_SITES]; /* site_count, most allocations first */
    uint32_t site_count;
    uint64_t rest_allocations;
    unsigned count_columns;
    bool has_phases; /* the sites are in more than one */
};

static void choose(struct choice *choice) {
    const struct ca_record *record = choice->record;
    for (uint32_t i = 0; i < record->site_count; i++) {
        const struct ca_record_site *site = &record->sites[i];
        uint32_t place = choice->site_count;
        choice->has_phases |= site->phase != record->sites[0].phase;
        while (place > 0 && site->allocations > choice->sites[place - 1]->allocations)
            place--;
        if (place == SHOWN_SITES) {
            choice->rest_allocations += site->allocations;
            continue;
        }
        if (choice->site_count == SHOWN_SITES)
            choice->rest_allocations += choice->sites[SHOWN_SITES - 1]->allocations;
        else
            choice->site_count++;
        for (uint32_t k = choice->site_count - 1; k > place; k--)
            choice->sites[k] = choice->sites[k - 1];
        choice->sites[place] = site;
    }
}

static void add_line(struct ca_cell *cell, const struct ca_record_frame *frame, uint32_t function) {
    char digits[16];
    struct ca_text text = ca_text_in(digits, sizeof digits);
    if (function >= frame->function_count || frame->functions[function].line == 0)
        return;
    ca_text_add(&text, ":");
    ca_text_add_number(&text, frame->functions[function].line);
    ca_cell_text(cell, digits);
}

static void add_place(struct ca_cell *cell, const struct ca_record_frame *frame) {
    if (frame->function_count == 0 || frame->functions[0].file == NULL)
        return;
    ca_cell_text(cell, " ");
    ca_cell_name(cell, ca_plain_basename(frame->functions[0].file), FILE_COLUMNS);
    add_line(cell, frame, 0);
}

/* " < caller:12 < caller:34", a function that calls itself once. */
static void add_callers(struct ca_cell *cell, const struct ca_record *record,
                        const struct ca_record_site *site) {
    char buffers[2][CA_FUNCTION_NAME_SIZE];
    const char *before = NULL;
    uint32_t shown_count = 0, at = 0;
    for (uint32_t i = 0; i < site->frame_count && shown_count < SHOWN_CALLERS; i++) {
        const struct ca_record_frame *frame = &record->frames[site->frames[i]];
        uint32_t function_count = ca_record_function_count(frame);
        for (uint32_t k = 0; k < function_count && shown_count < SHOWN_CALLERS; k++) {
            const char *name = ca_record_function_name(record, frame, k, buffers[at]);
            bool is_caller = i + k > 0 && !ca_plain_is_equal(name, before);
            before = name;
            at ^= 1;
            if (!is_caller)
                continue;
            ca_cell_text(cell, " < ");
            ca_cell_name(cell, name, CALLER_COLUMNS);
            add_line(cell, frame, k);
            shown_count++;
        }
    }
}

static void add_site(struct ca_cell *cell, const struct choice *choice,
                     const struct ca_record_site *site) {
    const struct ca_record *record = choice->record;
    char buffer[CA_FUNCTION_NAME_SIZE];
    if (choice->has_phases) {
        ca_cell_name(cell, record->phases[site->phase].name, CALLER_COLUMNS);
        ca_cell_text(cell, ": ");
    }
    if (site->frame_count == 0) {
        ca_cell_text(cell, "[no site]");
        return;
    }
    const struct ca_record_frame *frame = &record->frames[site->frames[0]];
    ca_cell_name(cell, ca_record_function_name(record, frame, 0, buffer), FUNCTION_COLUMNS);
    add_place(cell, frame);
    add_callers(cell, record, site);
}

static void put_padded(struct ca_out *out, const struct ca_cell *cell, unsigned columns) {
    for (unsigned i = cell->columns; i < columns; i++)
        ca_out_text(out, " ");
    ca_out_bytes(out, cell->bytes, cell->byte_count);
}

static void put_count(const struct choice *choice, uint64_t allocations) {
    struct ca_cell cell;
    ca_cell_init(&cell, CELL_COLUMNS);
    ca_cell_number(&cell, allocations);
    put_padded(choice->out, &cell, choice->count_columns);
    ca_out_text(choice->out, "  ");
    ca_cell_init(&cell, CELL_COLUMNS);
    if (choice->record->total.allocations > 0)
        ca_cell_share(&cell, allocations, choice->record->total.allocations);
    put_padded(choice->out, &cell, SHARE_WIDTH);
    ca_out_text(choice->out, "  ");
}

static void put_site(const struct choice *choice, const struct ca_record_site *site) {
    struct ca_cell cell;
    put_count(choice, site->allocations);
    ca_cell_init(&cell, LINE_COLUMNS - choice->count_columns - SHARE_WIDTH - 4);
    add_site(&cell, choice, site);
    ca_out_bytes(choice->out, cell.bytes, cell.byte_count);
    ca_out_text(choice->out, "\n");
}

static void put_rest(const struct choice *choice) {
    struct ca_cell cell;
    uint32_t rest_count = choice->record->site_count - choice->site_count;
    if (rest_count == 0)
        return;
    put_count(choice, choice->rest_allocations);
    ca_cell_init(&cell, CELL_COLUMNS);
    ca_cell_number(&cell, rest_count);
    ca_cell_text(&cell, rest_count == 1 ? " more site" : " more sites");
    ca_out_bytes(choice->out, cell.bytes, cell.byte_count);
    ca_out_text(choice->out, "\n");
}

/* Of the largest number that is shown. */
static void measure(struct choice *choice) {
    struct ca_cell cell;
    uint64_t most = choice->rest_allocations;
    if (choice->site_count > 0 && choice->sites[0]->allocations > most)
        most = choice->sites[0]->allocations;
    ca_cell_init(&cell, CELL_COLUMNS);
    ca_cell_number(&cell, most);
    choice->count_columns = cell.columns;
    if (choice->count_columns < sizeof COUNT_TITLE - 1)
        choice->count_columns = sizeof COUNT_TITLE - 1;
}

static void put_title(const struct choice *choice) {
    struct ca_cell cell;
    ca_cell_init(&cell, CELL_COLUMNS);
    ca_cell_text(&cell, COUNT_TITLE);
    put_padded(choice->out, &cell, choice->count_columns);
    ca_out_text(choice->out, choice->record->stack_depth > 1 ? "   share  site < callers\n"
                                                             : "   share  site\n");
}

/* The estimate has a report of its own. */
static void put_samples(const struct ca_record *record, struct ca_out *out) {
    struct ca_cell cell;
    uint64_t sample_count = 0;
    for (uint32_t i = 0; i < record->sample_count; i++)
        sample_count += record->samples[i].samples;
    ca_cell_init(&cell, CELL_COLUMNS);
    ca_cell_counted(&cell, sample_count, "sample");
    ca_cell_text(&cell, " of whole stacks, one in ");
    ca_cell_counted(&cell, record->sample_bytes, "byte");
    ca_cell_text(&cell, ": see 'countalloc report --by site'");
    ca_out_bytes(out, cell.bytes, cell.byte_count);
    ca_out_text(out, "\n");
}

void ca_record_write_text_sites(const struct ca_record *record, struct ca_out *out) {
    struct choice choice = {.record = record, .out = out};
    bool has_sites = record->stack_depth > 0 && record->site_count > 0;
    if (has_sites) {
        choose(&choice);
        measure(&choice);
        put_title(&choice);
        for (uint32_t i = 0; i < choice.site_count; i++)
            put_site(&choice, choice.sites[i]);
        put_rest(&choice);
    }
    if (record->sample_bytes > 0)
        put_samples(record, out);
    if (has_sites || record->sample_bytes > 0)
        ca_out_text(out, "\n");
}
