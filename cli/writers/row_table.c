/* SPDX-License-Identifier: MIT */
#include "writers/row_table.h"

#include <stdio.h>
#include <string.h>

#include "interpose/plain.h"

#define NAME_SIZE    48
#define NUMBER_WIDTH 16

static void put(struct ca_out *out, const char *text) {
    for (; *text != '\0'; text++)
        if ((unsigned char)*text >= 0x20 && *text != 0x7f)
            ca_out_bytes(out, text, 1);
        else
            ca_out_text(out, "?");
}

/* Right-aligned, thousands separated; "not measured" where a number was not taken. */
static void put_number(struct ca_out *out, bool is_known, int64_t number) {
    char digits[24], grouped[40];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%lld", (long long)number);
    size_t filled = 0;
    for (size_t i = 0; i < length; i++) {
        grouped[filled++] = digits[i];
        size_t left = length - i - 1;
        if (left > 0 && left % 3 == 0 && digits[i] != '-')
            grouped[filled++] = ',';
    }
    grouped[filled] = '\0';
    char cell[64];
    snprintf(cell, sizeof cell, "  %*s", NUMBER_WIDTH, is_known ? grouped : "not measured");
    ca_out_text(out, cell);
}

static void put_row(struct ca_out *out, const char *name, const struct ca_counts *counts) {
    char cell[NAME_SIZE + 1];
    snprintf(cell, sizeof cell, "%-32.47s", name);
    put(out, cell);
    put_number(out, true, (int64_t)counts->allocations);
    put_number(out, true, (int64_t)counts->frees);
    put_number(out, true, (int64_t)counts->bytes_requested);
    put_number(out, true, counts->live_blocks);
    put_number(out, counts->has_live, counts->bytes_live);
    ca_out_text(out, "\n");
}

static void put_head(struct ca_out *out, const char *first) {
    static const char *const names[] = {"allocations", "frees", "bytes requested", "live blocks",
                                        "live bytes"};
    char cell[64];
    snprintf(cell, sizeof cell, "%-32s", first);
    ca_out_text(out, cell);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(cell, sizeof cell, "  %*s", NUMBER_WIDTH, names[i]);
        ca_out_text(out, cell);
    }
    ca_out_text(out, "\n");
}

void ca_row_table_write(const struct ca_record *record, enum ca_row_kind kind, struct ca_out *out) {
    char name[CA_PHASE_NAME_SIZE];
    bool is_threads = kind == CA_ROWS_THREADS;
    if (record->level == CA_LEVEL_NONE) {
        ca_out_text(out, "not measured");
        for (uint32_t i = 0; i < record->note_count; i++) {
            ca_out_text(out, i == 0 ? ": " : "\nnote: ");
            put(out, record->notes[i]);
        }
        ca_out_text(out, "\n");
        return;
    }
    put_head(out, is_threads ? "thread" : "process");
    for (uint32_t i = 0; is_threads && i < record->thread_count; i++) {
        const struct ca_record_thread *thread = &record->threads[i];
        snprintf(name, sizeof name, "%u%s%.32s", thread->number, thread->name != NULL ? " " : "",
                 thread->name != NULL ? thread->name : "");
        put_row(out, name, &thread->counts);
    }
    for (uint32_t i = 0; !is_threads && i < record->process_count; i++) {
        const struct ca_record_process *process = &record->processes[i];
        snprintf(name, sizeof name, "%u %.64s", process->pid,
                 ca_plain_basename(process->executable));
        put_row(out, name, &process->counts);
    }
    put_row(out, "total", &record->total);
}
