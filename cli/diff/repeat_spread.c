/* SPDX-License-Identifier: MIT */
#include "diff/repeat_spread.h"

#include <stdlib.h>
#include <string.h>

#define SIGNAL_STATUS 128 /* as `run` exits */

static const struct ca_counts nothing = {.has_live = true, .has_peak = true};

/* ---- figures ---- */

static void widen(struct ca_spread *figure, int64_t number, bool is_first) {
    if (is_first || number < figure->lowest)
        figure->lowest = number;
    if (is_first || number > figure->highest)
        figure->highest = number;
}

static void add_counts(struct ca_spread_row *row, const struct ca_counts *counts, bool is_first) {
    for (int column = 0; column < CA_COLUMN_COUNT; column++) {
        struct ca_spread *figure = &row->columns[column];
        int64_t number;
        if (!ca_column_get(counts, (enum ca_column)column, &number))
            figure->is_unknown = true;
        widen(figure, number, is_first);
        /* Two peaks may be wrong by one error each. */
        uint64_t error = 2 * ca_column_error(counts, (enum ca_column)column);
        figure->error = error > figure->error ? error : figure->error;
    }
}

bool ca_spread_is_different(const struct ca_spread *figure) {
    return !figure->is_unknown &&
           (uint64_t)figure->highest - (uint64_t)figure->lowest > figure->error;
}

/* ---- rows ---- */

static bool is_row(const struct ca_spread_row *row, const char *phase, bool has_thread,
                   uint32_t thread, bool is_adopted) {
    bool is_same_phase =
        phase == NULL || row->phase == NULL ? phase == row->phase : strcmp(row->phase, phase) == 0;
    return is_same_phase && row->has_thread == has_thread && row->thread == thread &&
           row->is_adopted == is_adopted;
}

/* NULL: no memory. */
static struct ca_spread_row *find_row(struct ca_repeat_spread *spread, const char *phase,
                                      const struct ca_share *share) {
    uint32_t thread = share != NULL ? share->thread : 0;
    bool is_adopted = share != NULL && share->is_adopted;
    for (size_t i = 0; i < spread->row_count; i++)
        if (is_row(&spread->rows[i], phase, share != NULL, thread, is_adopted))
            return &spread->rows[i];
    if (spread->row_count == spread->capacity) {
        size_t capacity = spread->capacity == 0 ? 32 : spread->capacity * 2;
        void *grown = realloc(spread->rows, capacity * sizeof *spread->rows);
        if (grown == NULL)
            return NULL;
        spread->rows = grown;
        spread->capacity = capacity;
    }
    struct ca_spread_row *row = &spread->rows[spread->row_count];
    *row = (struct ca_spread_row){.phase = phase != NULL ? strdup(phase) : NULL,
                                  .thread = thread,
                                  .has_thread = share != NULL,
                                  .is_adopted = is_adopted};
    if (phase != NULL && row->phase == NULL)
        return NULL;
    spread->row_count++;
    return row;
}

static bool add_row(struct ca_repeat_spread *spread, const char *phase,
                    const struct ca_share *share, uint64_t opened, const struct ca_counts *counts,
                    uint32_t share_count) {
    struct ca_spread_row *row = find_row(spread, phase, share);
    if (row == NULL)
        return false;
    /* The runs before this one, in which it was not there. */
    if (row->run_count == 0 && spread->run_count > 0)
        add_counts(row, &nothing, true);
    bool is_first = row->run_count == 0 && spread->run_count == 0;
    add_counts(row, counts, is_first);
    widen(&row->opened, (int64_t)opened, is_first);
    row->run_count++;
    row->last_run = spread->run_count + 1;
    row->share_count = share_count > row->share_count ? share_count : row->share_count;
    return true;
}

static bool add_phase(struct ca_repeat_spread *spread, const struct ca_record_phase *phase) {
    bool is_added =
        add_row(spread, phase->name, NULL, phase->opened, &phase->counts, phase->share_count);
    for (uint32_t i = 0; i < phase->share_count && is_added; i++)
        is_added = add_row(spread, phase->name, &phase->shares[i], phase->shares[i].opened,
                           &phase->shares[i].counts, phase->share_count);
    return is_added;
}

/* Rows that this run did not have. */
static void close_run(struct ca_repeat_spread *spread) {
    for (size_t i = 0; i < spread->row_count; i++) {
        struct ca_spread_row *row = &spread->rows[i];
        if (row->last_run == spread->run_count)
            continue;
        add_counts(row, &nothing, false);
        widen(&row->opened, 0, false);
    }
}

enum ca_status ca_repeat_spread_add(struct ca_repeat_spread *spread, const struct ca_record *record,
                                    struct ca_error *err) {
    bool is_added = add_row(spread, NULL, NULL, 1, &record->total, 0);
    for (uint32_t i = 0; i < record->phase_count && is_added; i++)
        if (record->phases[i].opened > 0)
            is_added = add_phase(spread, &record->phases[i]);
    widen(&spread->exit_status,
          record->signal != 0 ? SIGNAL_STATUS + record->signal : record->exit_status,
          spread->run_count == 0);
    spread->run_count++;
    close_run(spread);
    return is_added ? CA_OK : ca_error_memory(err);
}

/* ---- what to say ---- */

static bool is_only_share(const struct ca_repeat_spread *spread, const struct ca_spread_row *row) {
    for (size_t i = 0; row->has_thread && i < spread->row_count; i++)
        if (is_row(&spread->rows[i], row->phase, false, 0, false))
            return spread->rows[i].share_count <= 1;
    return false;
}

bool ca_spread_row_is_different(const struct ca_repeat_spread *spread,
                                const struct ca_spread_row *row) {
    bool is_different = row->run_count != spread->run_count || ca_spread_is_different(&row->opened);
    for (int column = 0; column < CA_COLUMN_COUNT; column++)
        is_different |= ca_spread_is_different(&row->columns[column]);
    return is_different && !is_only_share(spread, row);
}

bool ca_repeat_spread_is_identical(const struct ca_repeat_spread *spread) {
    for (size_t i = 0; i < spread->row_count; i++)
        if (ca_spread_row_is_different(spread, &spread->rows[i]))
            return false;
    return !ca_spread_is_different(&spread->exit_status);
}

void ca_repeat_spread_release(struct ca_repeat_spread *spread) {
    for (size_t i = 0; i < spread->row_count; i++)
        free(spread->rows[i].phase);
    free(spread->rows);
    *spread = (struct ca_repeat_spread){0};
}
