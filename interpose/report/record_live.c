/* SPDX-License-Identifier: MIT */
#include "record_builder.h"

/* Whether a slot has counted anything in its base row since the present process phase began. */
static bool has_moved_lately(struct ca_builder *builder, const struct ca_slot *slot,
                             uint32_t switch_count) {
    const struct ca_row *base = ca_builder_row(builder, slot->base_row);
    const struct ca_row *then =
        switch_count > 1 ? ca_builder_snapshot(builder, slot, switch_count - 1) : NULL;
    return base != NULL &&
           (then == NULL || base->bytes_requested != then->bytes_requested ||
            base->free_calls != then->free_calls || base->bytes_live != then->bytes_live);
}

/* What threads have not published yet belongs to the figures, too. */
static void settle_peaks(struct ca_builder *builder, uint32_t image_index) {
    struct ca_record *record = builder->record;
    const struct ca_region *region = builder->region;
    const struct ca_image *image = &region->images[image_index];
    int64_t published = __atomic_load_n(&image->live_published, __ATOMIC_RELAXED);
    int64_t peak = __atomic_load_n(&image->live_peak, __ATOMIC_RELAXED);
    uint32_t present = image->switch_count > 0 && image->switch_count <= CA_SWITCH_CAPACITY
                           ? image->switch_phase[image->switch_count - 1]
                           : (uint32_t)CA_PHASE_STARTUP;
    uint64_t thread_count = 0;
    for (uint32_t i = 1; i < builder->slot_count; i++) {
        const struct ca_slot *slot = &region->slots[i];
        if (slot->image != image_index || slot->current_row == 0 ||
            slot->current_row >= builder->row_count)
            continue;
        thread_count += slot->thread_count;
        const struct ca_row *row = &region->rows[slot->current_row];
        int64_t highest = published + (ca_live_highest(row) - row->live_published);
        if (highest > peak)
            peak = highest;
        uint32_t phase = row->phase == CA_PHASE_PROCESS ? present : row->phase;
        if (row->phase == CA_PHASE_PROCESS && !has_moved_lately(builder, slot, image->switch_count))
            continue;
        struct ca_counts *of_phase = &ca_builder_phase(builder, phase)->counts;
        if (highest > of_phase->bytes_peak)
            of_phase->bytes_peak = highest;
    }
    uint64_t error = thread_count > 1 ? (thread_count - 1) * CA_LIVE_STEP_BYTES : 0;
    struct ca_counts *of_process = &record->processes[image_index].counts;
    of_process->bytes_peak = peak;
    of_process->bytes_peak_error = error;
    if (peak > record->total.bytes_peak)
        record->total.bytes_peak = peak;
    if (error > record->total.bytes_peak_error)
        record->total.bytes_peak_error = error;
}

void ca_builder_settle_live(struct ca_builder *builder) {
    struct ca_record *record = builder->record;
    bool has_live = builder->image_count > 0;
    for (uint32_t i = 0; i < builder->image_count; i++) {
        const struct ca_image *image = &builder->region->images[i];
        has_live &= image->state != CA_IMAGE_ATTACHED || (image->flags & CA_IMAGE_LIVE) != 0;
        settle_peaks(builder, i);
    }
    record->total.has_live = record->total.has_peak = has_live;
    for (uint32_t i = 0; i < record->phase_count; i++) {
        struct ca_record_phase *phase = &record->phases[i];
        phase->counts.has_live = phase->counts.has_peak = has_live;
        phase->counts.bytes_peak_error = record->total.bytes_peak_error;
        for (uint32_t k = 0; k < phase->share_count; k++)
            phase->shares[k].counts.has_live = has_live;
    }
    for (uint32_t i = 0; i < record->thread_count; i++)
        record->threads[i].counts.has_live = has_live;
    for (uint32_t i = 0; i < record->process_count; i++)
        record->processes[i].counts.has_live = record->processes[i].counts.has_peak = has_live;
}
