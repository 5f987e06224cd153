/* SPDX-License-Identifier: MIT */
#include "live.h"

#include "process_phase.h"
#include "thread.h"

/* ---- the size of a block ---- */

/* Blocks on which header and malloc_usable_size must agree before the header alone is believed. */
#define PROOF_BLOCKS 16u

static bool is_proving;
static uint32_t agreed_blocks;

void ca_live_resolve(void) {
    ca_shim.usable = ca_next.usable_size != NULL ? CA_USABLE_CALL : CA_USABLE_NONE;
    is_proving = ca_shim.usable == CA_USABLE_CALL && ca_shim.found.is_allocator_libc &&
                 ca_next.libc_version != NULL;
    /* tcmalloc makes an object with new when it is first asked (gperftools, malloc_extension.cc),
     * and a program's own new would come back here for it. Asked now, the arena serves it. */
    if (ca_shim.usable == CA_USABLE_CALL && !ca_shim.found.is_allocator_libc &&
        !ca_shim.found.is_allocator_inside)
        (void)ca_next.usable_size(NULL);
}

/* Two threads that settle this at once settle it alike. */
static CA_COLD void prove(const void *block, size_t usable_bytes) {
    uint64_t header = ca_chunk_header(block);
    if ((header & CHUNK_IS_MMAPPED) != 0)
        return;
    if (ca_chunk_usable_bytes(header) != usable_bytes) {
        is_proving = false;
    } else if (++agreed_blocks >= PROOF_BLOCKS) {
        is_proving = false;
        ca_shim.usable = CA_USABLE_HEADER;
        if (ca_shim.image != NULL)
            ca_shim.image->usable = CA_USABLE_HEADER;
        ca_engine_choose(ca_shim.stage);
    }
}

size_t ca_usable_bytes(void *block) {
    if (block == NULL || ca_shim.usable == CA_USABLE_NONE)
        return 0;
    if (ca_shim.usable == CA_USABLE_HEADER && (ca_chunk_header(block) & CHUNK_IS_MMAPPED) == 0)
        return ca_chunk_usable_bytes(ca_chunk_header(block));
    size_t usable_bytes = ca_next.usable_size(block);
    if (CA_UNLIKELY(is_proving))
        prove(block, usable_bytes);
    return usable_bytes;
}

/* ---- the figure ---- */

void ca_raise(int64_t *peak, int64_t figure) {
    int64_t seen = __atomic_load_n(peak, __ATOMIC_RELAXED);
    while (figure > seen && !__atomic_compare_exchange_n(peak, &seen, figure, true,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static int64_t *phase_peak(uint32_t phase) {
    if (phase == CA_PHASE_PROCESS)
        phase = ca_process_phase();
    return (int64_t *)&ca_shim.region->phases[phase].bytes_peak;
}

/* Every phase that is innermost somewhere has seen the figure. A thread that claims a slot or
 * changes its phase meanwhile raises its own when it publishes next. */
static void raise_open_phases(int64_t figure) {
    struct ca_region *region = ca_shim.region;
    uint32_t slot_count = __atomic_load_n(&region->header.slot_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 1; i < slot_count && i < CA_SLOT_CAPACITY; i++) {
        const struct ca_slot *slot = &region->slots[i];
        uint32_t current = __atomic_load_n(&slot->current_row, __ATOMIC_RELAXED);
        if (slot->image == ca_shim.image_index && current != 0)
            ca_raise(phase_peak(ca_row_at(current)->phase), figure);
    }
}

static void raise_peaks(const struct ca_row *row, int64_t figure) {
    ca_raise(&ca_shim.image->live_peak, figure);
    if (ca_shim.region->header.slot_count > 2)
        raise_open_phases(figure);
    else
        ca_raise(phase_peak(row->phase), figure);
}

void ca_live_begin(struct ca_row *row) {
    row->live_published = row->live_max = row->bytes_live;
    row->live_above = row->bytes_live + CA_LIVE_STEP_BYTES;
    row->live_below = row->bytes_live - CA_LIVE_STEP_BYTES;
}

CA_COLD void ca_live_publish(struct ca_row *row) {
    struct ca_image *image = ca_shim.image;
    if (image == NULL || row == &ca_shim.boot_row)
        return;
    int64_t moved = row->bytes_live - row->live_published;
    int64_t before = __atomic_fetch_add(&image->live_published, moved, __ATOMIC_RELAXED);
    int64_t highest = before + (ca_live_highest(row) - row->live_published);
    ca_live_begin(row);
    raise_peaks(row, highest);
}

void ca_live_carry(struct ca_row *from, struct ca_row *to) {
    if (!ca_shim.is_live)
        return;
    int64_t published = __atomic_load_n(&ca_shim.image->live_published, __ATOMIC_RELAXED);
    int64_t carried = from->bytes_live - from->live_published;
    int64_t highest = published + (ca_live_highest(from) - from->live_published);
    ca_raise(&ca_shim.image->live_peak, highest);
    ca_raise(phase_peak(from->phase), highest);
    ca_live_begin(from);
    ca_live_begin(to);
    to->live_published -= carried;
    to->live_above -= carried;
    to->live_below -= carried;
}

CA_COLD void ca_live_move(struct ca_row *row, int64_t moved) {
    if (ca_is_shared(row)) {
        __atomic_fetch_add(&row->bytes_live, moved, __ATOMIC_RELAXED);
        __atomic_fetch_add(&row->live_published, moved, __ATOMIC_RELAXED);
        int64_t figure =
            __atomic_add_fetch(&ca_shim.image->live_published, moved, __ATOMIC_RELAXED);
        if (moved > 0)
            raise_peaks(row, figure);
        return;
    }
    row->live_max = ca_live_highest(row);
    ca_add_signed(&row->bytes_live, moved);
    if (row->bytes_live > row->live_above || row->bytes_live < row->live_below)
        ca_live_publish(row);
}

CA_COLD void *ca_live_add_mapped(struct ca_row *row, void *block) {
    ca_live_move(row, (int64_t)ca_next.usable_size(block));
    return block;
}

CA_COLD void *ca_live_publish_block(struct ca_row *row, void *block) {
    ca_live_publish(row);
    return block;
}

CA_COLD void ca_live_free_mapped(void *block, struct ca_row *row) {
    ca_live_move(row, -(int64_t)ca_next.usable_size(block));
    CA_NEXT(free)(block);
}

CA_COLD void ca_live_publish_free(void *block, struct ca_row *row) {
    ca_live_publish(row);
    CA_NEXT(free)(block);
}
