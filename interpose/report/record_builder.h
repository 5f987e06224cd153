/* SPDX-License-Identifier: MIT
 *
 * How a record is built: ca_record_build (record.c) takes the parts below one after the other.
 * Inside the report only. Indices in a region may hold anything: one that leads nowhere marks the
 * builder as damaged, and is passed over. */
#ifndef CA_RECORD_BUILDER_H
#define CA_RECORD_BUILDER_H

#include "record.h"

/* What is known while the region is walked. */
struct ca_builder {
    struct ca_record *record;
    const struct ca_region *region;
    uint32_t row_count; /* rows that may be looked at */
    uint32_t slot_count;
    uint32_t image_count;
    uint32_t phase_count;
    char *memory;          /* what is left of it */
    uint32_t *place;       /* by phase id: 1 + index into record->phases, 0: not in the record */
    uint32_t *share_limit; /* by index into record->phases: shares that there is room for */
    size_t share_capacity; /* of all phases together */
    bool is_damaged;
};

static inline uint32_t ca_at_most(uint32_t count, uint32_t limit) {
    return count < limit ? count : limit;
}

/* ---- phases, threads and their counts (record_shares.c) ---- */

/* Process phases that were begun, own phases that were opened, in the order of the report. */
void ca_builder_list_phases(struct ca_builder *builder);

/* Counts what every slot did, by phase, thread and process, and in all. `shares`: share_capacity
 * elements, zeroed; the record keeps them. */
void ca_builder_add_shares(struct ca_builder *builder, struct ca_share *shares);

/* The record's phase for the phase id `phase`; the overflow phase for one that is not listed. */
struct ca_record_phase *ca_builder_phase(struct ca_builder *builder, uint32_t phase);

/* Row `index`; NULL: there is none. */
const struct ca_row *ca_builder_row(struct ca_builder *builder, uint32_t index);

/* The snapshot of `slot` as of switch `number`, or NULL when it had counted nothing by then. The
 * list is newest first. */
const struct ca_row *ca_builder_snapshot(struct ca_builder *builder, const struct ca_slot *slot,
                                         uint32_t number);

/* ---- live and peak bytes (record_live.c) ---- */

/* Marks what was measured, and raises peaks by what threads have not published. Counts are there.
 */
void ca_builder_settle_live(struct ca_builder *builder);

/* ---- notes (record_notes.c) ---- */

/* What found no room in the region's tables. */
void ca_builder_note_losses(struct ca_builder *builder);

/* What happened in each image; some of it makes the record's level partial. */
void ca_builder_note_images(struct ca_builder *builder);

#endif
