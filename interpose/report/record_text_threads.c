/* SPDX-License-Identifier: MIT */
#include "busiest.h"
#include "interpose/plain.h"
#include "record_text_parts.h"
#include "text_items.h"

#define SHOWN_ITEMS 5u

static uint64_t thread_allocations(const struct ca_record *record, uint32_t index) {
    return record->threads[index].counts.allocations;
}

static uint64_t process_allocations(const struct ca_record *record, uint32_t index) {
    return record->processes[index].counts.allocations;
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
    uint32_t chosen_count = ca_busiest_choose(record, allocations, count, chosen, SHOWN_ITEMS);
    struct ca_items items = ca_items_begin(out, label);
    struct ca_cell cell;
    ca_cell_init(&cell, CELL_COLUMNS);
    ca_cell_number(&cell, present_count);
    if (count > 1)
        ca_cell_text(&cell, count > chosen_count ? ", most allocations:" : ", allocations:");
    ca_items_add(&items, &cell);
    for (uint32_t i = 0; i < chosen_count && count > 1; i++) {
        ca_cell_init(&cell, CELL_COLUMNS);
        add_item(&cell, record, chosen[i]);
        ca_items_add(&items, &cell);
    }
    ca_items_end(&items);
}

void ca_record_write_text_threads(const struct ca_record *record, struct ca_out *out) {
    uint64_t present_count = 0;
    for (uint32_t i = 0; i < record->thread_count; i++)
        present_count += record->threads[i].thread_count;
    if (record->thread_count > 0)
        put_busiest(record, out, "threads", present_count, record->thread_count, thread_allocations,
                    add_thread);
}

void ca_record_write_text_processes(const struct ca_record *record, struct ca_out *out) {
    if (record->process_count > 1)
        put_busiest(record, out, "programs", record->process_count, record->process_count,
                    process_allocations, add_process);
}
