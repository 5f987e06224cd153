/* SPDX-License-Identifier: MIT */
#include "thread.h"

#include "count.h"
#include "lifecycle.h"
#include "live.h"
#include "plain.h"
#include "process_phase.h"

static uint64_t own_key(void) {
    return (uint64_t)(uintptr_t)&ca_row_here;
}

uint32_t ca_row_take(void) {
    struct ca_header *header = &ca_shim.region->header;
    uint32_t index = __atomic_load_n(&header->row_count, __ATOMIC_RELAXED);
    do
        if (index >= ca_shim.row_capacity)
            return 0;
    while (!__atomic_compare_exchange_n(&header->row_count, &index, index + 1, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return index;
}

static uint32_t slot_take(void) {
    struct ca_header *header = &ca_shim.region->header;
    uint32_t index = __atomic_load_n(&header->slot_count, __ATOMIC_RELAXED);
    do
        if (index >= CA_SLOT_CAPACITY)
            return 0;
    while (!__atomic_compare_exchange_n(&header->slot_count, &index, index + 1, true,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    return index;
}

/* The hash cell of `thread_key`: the one that holds its latest slot, else the empty one where that
 * belongs. NULL when the table is full, which it cannot be: it has more cells than there are slots.
 */
static uint16_t *find_cell(uint64_t thread_key) {
    struct ca_region *region = ca_shim.region;
    for (uint32_t i = 0; i < CA_SLOT_HASH_SIZE; i++) {
        uint16_t *cell = &region->slot_hash[(ca_key_hash(thread_key) + i) % CA_SLOT_HASH_SIZE];
        uint16_t index = __atomic_load_n(cell, __ATOMIC_ACQUIRE);
        if (index == 0 || (region->slots[index].thread_key == thread_key &&
                           region->slots[index].image == ca_shim.image_index))
            return cell;
    }
    return NULL;
}

/* Enters `slot` for its key, in place of the slot of an earlier thread that had the same one. */
static void publish_slot(uint32_t slot, uint64_t thread_key) {
    for (;;) {
        uint16_t *cell = find_cell(thread_key);
        if (cell == NULL)
            return;
        uint16_t seen = __atomic_load_n(cell, __ATOMIC_ACQUIRE);
        if (seen != 0 && ca_shim.region->slots[seen].thread_key != thread_key)
            continue;
        if (__atomic_compare_exchange_n(cell, &seen, (uint16_t)slot, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return;
    }
}

/* Claims a slot and its base row. 0 when either is used up. */
static uint32_t claim(uint64_t thread_key) {
    struct ca_region *region = ca_shim.region;
    if (region->header.row_count >= ca_shim.row_capacity)
        return 0;
    uint32_t index = slot_take();
    if (index == 0)
        return 0;
    struct ca_slot *slot = &region->slots[index];
    uint32_t base = ca_row_take();
    slot->image = ca_shim.image_index;
    slot->thread_key = thread_key;
    if (base == 0)
        return 0; /* the slot stays empty: no base row */
    struct ca_row *row = ca_row_at(base);
    row->slot = index;
    row->size_limit_bytes = CA_SIZE_LIMIT;
    ca_live_begin(row);
    __atomic_store_n(&slot->current_row, base, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->base_row, base, __ATOMIC_RELEASE);
    ca_process_phase_tag(row);
    publish_slot(index, thread_key);
    return index;
}

/* The slot that a thread with this key has used or was given. 0 when there is none. The thread that
 * used it is gone: no two living threads have the same key. */
static uint32_t find_slot(uint64_t thread_key) {
    uint16_t *cell = find_cell(thread_key);
    return cell != NULL ? *cell : 0;
}

static __attribute__((noinline, cold)) struct ca_row *attach(void) {
    struct ca_region *region = ca_shim.region;
    uint32_t index = find_slot(own_key());
    bool is_given = index != 0 && region->slots[index].thread_count == 0;
    bool is_scarce = region->header.slot_count > CA_DISTINCT_THREADS;
    if (index == 0 || (!is_given && !is_scarce)) {
        uint32_t fresh = claim(own_key());
        index = fresh != 0 ? fresh : index;
    }
    if (index == 0) {
        __atomic_fetch_add(&region->header.threads_overflowed, 1, __ATOMIC_RELAXED);
        ca_row_here = &ca_row_overflowed;
        return ca_row_at(0);
    }
    struct ca_slot *slot = &region->slots[index];
    struct ca_row *base = ca_row_at(slot->base_row);
    struct ca_row *left = ca_row_at(slot->current_row);
    if (left != base) /* the thread before left a phase open */
        ca_live_carry(left, base);
    slot->depth = 0;
    __atomic_store_n(&slot->current_row, slot->base_row, __ATOMIC_RELEASE);
    /* A signal handler that allocates may have attached the thread meanwhile: then that holds. */
    struct ca_row *none = &ca_row_unattached;
    if (!__atomic_compare_exchange_n(&ca_row_here, &none, base, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        return ca_thread_row();
    if (slot->thread_count++ == 0)
        slot->number = __atomic_add_fetch(&region->header.thread_count, 1, __ATOMIC_RELAXED);
    return base;
}

struct ca_row *ca_thread_row(void) {
    struct ca_row *row = ca_row_here;
    if (row == &ca_row_overflowed)
        return ca_shim.region != NULL ? ca_row_at(0) : &ca_shim.boot_row;
    if (row != &ca_row_unattached)
        return row;
    if (ca_shim.stage != CA_STAGE_COUNTING && !ca_lifecycle_attach())
        return &ca_shim.boot_row;
    return ca_row_here != &ca_row_unattached ? ca_thread_row() : attach();
}

struct ca_slot *ca_thread_slot(void) {
    if (ca_shim.stage != CA_STAGE_COUNTING)
        return NULL;
    struct ca_row *row = ca_thread_row();
    return row->slot != 0 ? &ca_shim.region->slots[row->slot] : NULL;
}

/* Where a slot's row for a phase was found last: a hint that is checked, so that threads may
 * overwrite each other's. */
#define ROW_HINTS 4096u
static uint32_t row_hint[ROW_HINTS];

struct ca_row *ca_thread_phase_row(struct ca_slot *slot, uint32_t phase, bool is_adopted) {
    uint32_t slot_index = (uint32_t)(slot - ca_shim.region->slots);
    uint32_t *hint = &row_hint[(slot_index * 61 + phase * 2 + is_adopted) % ROW_HINTS];
    uint32_t index = __atomic_load_n(hint, __ATOMIC_RELAXED);
    if (index == 0 || ca_row_at(index)->slot != slot_index || ca_row_at(index)->phase != phase ||
        ca_row_at(index)->is_adopted != is_adopted)
        for (index = slot->phase_rows; index != 0; index = ca_row_at(index)->next_row)
            if (ca_row_at(index)->phase == phase && ca_row_at(index)->is_adopted == is_adopted)
                break;
    if (index == 0) {
        index = ca_row_take();
        if (index == 0)
            return NULL;
        struct ca_row *row = ca_row_at(index);
        row->phase = phase;
        row->is_adopted = is_adopted;
        row->slot = slot_index;
        row->next_row = slot->phase_rows;
        row->size_limit_bytes = CA_SIZE_LIMIT;
        row->site_tag = ca_site_tag(index);
        ca_live_begin(row);
        __atomic_store_n(&slot->phase_rows, index, __ATOMIC_RELEASE);
    }
    __atomic_store_n(hint, index, __ATOMIC_RELAXED);
    return ca_row_at(index);
}

/* The slot of a living thread, which the thread-local word behind its key names; an older slot
 * under the same key is of a thread that is gone. A thread that has none yet is given one. */
static uint32_t slot_to_name(uint64_t thread_key) {
    struct ca_row *const *word = (struct ca_row *const *)(uintptr_t)thread_key;
    const struct ca_row *row = __atomic_load_n(word, __ATOMIC_RELAXED);
    if (row == &ca_row_overflowed)
        return 0;
    if (row != &ca_row_unattached)
        return row->slot;
    uint32_t index = find_slot(thread_key);
    bool is_given = index != 0 && ca_shim.region->slots[index].thread_count == 0;
    return is_given ? index : claim(thread_key);
}

void ca_thread_set_name(uint64_t thread_key, const char *name) {
    if (ca_shim.stage != CA_STAGE_COUNTING)
        return;
    if (thread_key == own_key())
        ca_thread_row();
    uint32_t index = slot_to_name(thread_key);
    if (index == 0)
        return;
    struct ca_slot *slot = &ca_shim.region->slots[index];
    ca_plain_copy(slot->name, name, sizeof slot->name);
    slot->is_named = 1;
}
