/* SPDX-License-Identifier: MIT */
#include "count.h"
#include "live.h"
#include "plain.h"
#include "process_phase.h"
#include "thread.h"

#define PUBLIC __attribute__((visibility("default")))

/* ---- names ---- */

/* A name as the table has it: cut, and without the characters that mean something in budgets and
 * folded stacks. */
static void clean_name(char *to, const char *name, size_t size) {
    size_t length = 0;
    for (; name[length] != '\0' && length + 1 < size; length++) {
        char c = name[length];
        bool is_reserved = c == '/' || c == '@' || c == ';' || c == ']' ||
                           (unsigned char)c < 0x20 || (unsigned char)c == 0x7f;
        to[length] = is_reserved ? '_' : c;
    }
    to[length] = '\0';
}

/* The phase called `name`, entered into the table when it is new. */
static uint32_t find_phase(const char *name) {
    struct ca_region *region = ca_shim.region;
    char cleaned[CA_PHASE_NAME_SIZE];
    clean_name(cleaned, name, sizeof cleaned);
    uint64_t hash = ca_name_hash(cleaned);
    uint32_t entered = 0;
    for (uint32_t i = 0; i < CA_PHASE_HASH_SIZE; i++) {
        uint16_t *cell = &region->phase_hash[(hash + i) % CA_PHASE_HASH_SIZE];
        uint16_t phase = __atomic_load_n(cell, __ATOMIC_ACQUIRE);
        if (phase == 0) {
            if (entered == 0) {
                uint32_t taken = __atomic_load_n(&region->header.phase_count, __ATOMIC_RELAXED);
                do
                    if (taken >= CA_PHASE_CAPACITY)
                        goto full;
                while (!__atomic_compare_exchange_n(&region->header.phase_count, &taken, taken + 1,
                                                    true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
                entered = taken;
                ca_plain_copy(region->phases[entered].name, cleaned, CA_PHASE_NAME_SIZE);
            }
            if (__atomic_compare_exchange_n(cell, &phase, (uint16_t)entered, false,
                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
                __atomic_store_n(&region->phases[entered].state, 1, __ATOMIC_RELEASE);
                return entered;
            }
            /* Another thread was faster; if with the same name, our entry stays unused. */
        }
        if (ca_plain_is_equal(region->phases[phase].name, cleaned))
            return phase;
    }
full:
    __atomic_fetch_add(&region->header.phases_overflowed, 1, __ATOMIC_RELAXED);
    return CA_PHASE_OVERFLOW;
}

/* Index of `unit` among the units of `phase`, entered when it is new. CA_UNIT_CAPACITY when there
 * is no room. */
static uint32_t find_unit(struct ca_phase *phase, const char *unit) {
    char cleaned[CA_UNIT_NAME_SIZE];
    clean_name(cleaned, unit, sizeof cleaned);
    for (uint32_t i = 0; i < CA_UNIT_CAPACITY; i++) {
        uint32_t state = __atomic_load_n(&phase->unit_state[i], __ATOMIC_ACQUIRE);
        if (state == 0 && __atomic_compare_exchange_n(&phase->unit_state[i], &state, 1, false,
                                                      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            ca_plain_copy(phase->unit_name[i], cleaned, CA_UNIT_NAME_SIZE);
            __atomic_store_n(&phase->unit_state[i], 2, __ATOMIC_RELEASE);
            return i;
        }
        /* A writer needs a few dozen instructions; bounded, because it may be the thread that a
         * signal handler interrupted. */
        for (uint32_t spins = 0; state == 1 && spins < 100000; spins++)
            state = __atomic_load_n(&phase->unit_state[i], __ATOMIC_ACQUIRE);
        if (state == 2 && ca_plain_is_equal(phase->unit_name[i], cleaned))
            return i;
    }
    return CA_UNIT_CAPACITY;
}

/* ---- injected allocations ---- */

static __attribute__((noinline, cold)) void inject(uint32_t phase) {
    struct ca_header *header = &ca_shim.region->header;
    for (uint32_t i = 0; i < header->injection_count && i < CA_INJECTION_CAPACITY; i++) {
        struct ca_injection *injection = &header->injections[i];
        if (!ca_plain_is_equal(injection->phase, ca_shim.region->phases[phase].name))
            continue;
        uint64_t count = __atomic_exchange_n(&injection->allocation_count, 0, __ATOMIC_RELAXED);
        for (; count > 0; count--)
            ca_engine.free(ca_engine.malloc(1));
    }
}

void ca_phase_inject(uint32_t phase) {
    if (CA_UNLIKELY(ca_shim.region->header.injection_count != 0))
        inject(phase);
}

/* ---- a thread's own phases ---- */

static void enter(struct ca_slot *slot, struct ca_row *row) {
    struct ca_row *left = ca_row_at(slot->current_row);
    if (row == left)
        return;
    ca_live_carry(left, row);
    __atomic_store_n(&slot->current_row, (uint32_t)(row - ca_shim.region->rows), __ATOMIC_RELEASE);
    ca_row_here = row;
}

/* Opens a level; `row` NULL or too many levels: nothing changes but the balance. */
static void push(struct ca_slot *slot, struct ca_row *row) {
    if (slot->depth < CA_PHASE_DEPTH) {
        slot->open_rows[slot->depth] = slot->current_row;
        if (row != NULL)
            enter(slot, row);
    } else {
        __atomic_fetch_add(&ca_shim.image->too_deep, 1, __ATOMIC_RELAXED);
    }
    slot->depth++;
}

static struct ca_row *row_for(struct ca_slot *slot, uint32_t phase, bool is_adopted) {
    struct ca_row *row = ca_thread_phase_row(slot, phase, is_adopted);
    if (row == NULL) {
        __atomic_fetch_add(&ca_shim.region->header.rows_overflowed, 1, __ATOMIC_RELAXED);
        row = ca_thread_phase_row(slot, CA_PHASE_OVERFLOW, is_adopted);
    }
    return row;
}

static void begin(const char *name) {
    struct ca_slot *slot = ca_thread_slot();
    if (slot == NULL || name == NULL)
        return;
    struct ca_row *row = row_for(slot, find_phase(name), false);
    if (row != NULL)
        ca_add(&row->opened, 1);
    push(slot, row);
    if (row != NULL)
        ca_phase_inject(row->phase);
}

static void adopt(uint64_t token) {
    struct ca_slot *slot = ca_thread_slot();
    if (slot == NULL)
        return;
    bool is_valid = token != 0 && token < ca_shim.region->header.phase_count;
    push(slot, is_valid ? row_for(slot, (uint32_t)token, true) : NULL);
}

static void end(void) {
    struct ca_slot *slot = ca_thread_slot();
    if (slot == NULL)
        return;
    if (slot->depth == 0) {
        __atomic_fetch_add(&ca_shim.image->unbalanced_ends, 1, __ATOMIC_RELAXED);
        return;
    }
    if (--slot->depth < CA_PHASE_DEPTH)
        enter(slot, ca_row_at(slot->open_rows[slot->depth]));
}

static void units(const char *unit, uint64_t unit_count) {
    struct ca_slot *slot = ca_thread_slot();
    if (slot == NULL || unit == NULL)
        return;
    struct ca_row *row = ca_row_at(slot->current_row);
    uint32_t index = find_unit(&ca_shim.region->phases[row->phase], unit);
    if (index == CA_UNIT_CAPACITY)
        __atomic_fetch_add(&ca_shim.region->header.units_dropped, 1, __ATOMIC_RELAXED);
    else
        ca_add(&row->unit_count[index], unit_count);
}

static uint64_t token(void) {
    struct ca_slot *slot = ca_thread_slot();
    return slot != NULL ? ca_row_at(slot->current_row)->phase : 0;
}

static void add_row(struct countalloc_counts *counts, const struct ca_row *row) {
    uint64_t allocations = 0;
    for (uint32_t i = 0; i < CA_CLASSES; i++)
        allocations += row->size_class[i];
    counts->allocations += allocations;
    counts->frees +=
        row->free_calls + row->realloc_in_place + row->realloc_moved + row->realloc_released;
    counts->malloc_calls +=
        allocations - row->calloc_calls - row->realloc_calls - row->aligned_calls;
    counts->calloc_calls += row->calloc_calls;
    counts->realloc_calls += row->realloc_calls;
    counts->aligned_calls += row->aligned_calls;
    counts->failed_calls += row->failed_calls;
    counts->bytes_requested += row->bytes_requested;
}

static struct countalloc_counts thread_counts(void) {
    struct countalloc_counts counts = {0};
    struct ca_slot *slot = ca_thread_slot();
    if (slot == NULL)
        return counts;
    add_row(&counts, ca_row_at(slot->base_row));
    for (uint32_t index = slot->phase_rows; index != 0; index = ca_row_at(index)->next_row)
        add_row(&counts, ca_row_at(index));
    return counts;
}

static int is_active(void) {
    return ca_thread_slot() != NULL;
}

PUBLIC const struct countalloc_phase_api countalloc_phase_api = {
    .version = COUNTALLOC_PHASE_API_VERSION,
    .size_bytes = sizeof(struct countalloc_phase_api),
    .begin = begin,
    .end = end,
    .units = units,
    .thread_counts = thread_counts,
    .token = token,
    .adopt = adopt,
    .is_active = is_active,
};

/* ---- the process phase ---- */

uint32_t ca_process_phase(void) {
    uint32_t count = __atomic_load_n(&ca_shim.image->switch_count, __ATOMIC_ACQUIRE);
    return count != 0 ? ca_shim.image->switch_phase[count - 1] : (uint32_t)CA_PHASE_STARTUP;
}

static bool has_moved(const struct ca_row *row, const struct ca_row *snapshot) {
    if (snapshot == NULL)
        return true;
    const uint64_t *a = &row->bytes_requested;
    const uint64_t *b = &snapshot->bytes_requested;
    for (size_t i = 0; i < CA_ROW_COUNTERS; i++)
        if (a[i] != b[i])
            return true;
    return false;
}

/* Copies a base row as of switch number `number`. False when no row is left. */
static bool take_snapshot(struct ca_slot *slot, uint32_t number) {
    const struct ca_row *base = ca_row_at(slot->base_row);
    if (!has_moved(base, slot->snapshot_rows != 0 ? ca_row_at(slot->snapshot_rows) : NULL))
        return true;
    uint32_t index = ca_row_take();
    if (index == 0)
        return false;
    struct ca_row *snapshot = ca_row_at(index);
    const uint64_t *from = &base->bytes_requested;
    uint64_t *to = &snapshot->bytes_requested;
    for (size_t i = 0; i < CA_ROW_COUNTERS; i++)
        to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
    snapshot->phase = number;
    snapshot->slot = base->slot;
    snapshot->next_row = slot->snapshot_rows;
    __atomic_store_n(&slot->snapshot_rows, index, __ATOMIC_RELEASE);
    return true;
}

static bool take_snapshots(uint32_t number) {
    struct ca_region *region = ca_shim.region;
    uint32_t slot_count = __atomic_load_n(&region->header.slot_count, __ATOMIC_ACQUIRE);
    if (slot_count > CA_SLOT_CAPACITY)
        slot_count = CA_SLOT_CAPACITY;
    bool is_complete =
        region->header.threads_overflowed == 0 || take_snapshot(&region->slots[0], number);
    for (uint32_t i = 1; i < slot_count && is_complete; i++) {
        struct ca_slot *slot = &region->slots[i];
        if (__atomic_load_n(&slot->base_row, __ATOMIC_ACQUIRE) != 0 &&
            slot->image == ca_shim.image_index)
            is_complete = take_snapshot(slot, number);
    }
    return is_complete;
}

static bool lock_switches(struct ca_image *image) {
    /* Bounded: the holder may be a signal's victim, or another process that died. */
    for (uint32_t spins = 0; spins < 10000000; spins++) {
        uint32_t nobody = 0;
        if (__atomic_compare_exchange_n(&image->switch_lock, &nobody, ca_shim.pid, true,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

/* Either the thread that enters its slot sees the phase, or whoever begins the phase sees the slot:
 * each publishes its own before it looks for the other's. */
void ca_process_phase_tag(struct ca_row *base) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    uint32_t phase = __atomic_load_n(&ca_shim.image->process_phase, __ATOMIC_RELAXED);
    uint32_t index = (uint32_t)(base - ca_shim.region->rows);
    __atomic_store_n(&base->site_tag, ca_site_tag(index) | phase, __ATOMIC_RELAXED);
}

static void tag_base_rows(void) {
    struct ca_region *region = ca_shim.region;
    if (ca_shim.sites == NULL)
        return;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    uint32_t slot_count = __atomic_load_n(&region->header.slot_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 1; i < slot_count && i < CA_SLOT_CAPACITY; i++) {
        uint32_t base = __atomic_load_n(&region->slots[i].base_row, __ATOMIC_ACQUIRE);
        if (base != 0 && region->slots[i].image == ca_shim.image_index)
            ca_process_phase_tag(ca_row_at(base));
    }
}

void ca_process_phase_begin(uint32_t phase) {
    if (ca_shim.stage != CA_STAGE_COUNTING || ca_process_phase() == phase)
        return;
    struct ca_image *image = ca_shim.image;
    struct ca_row *here = ca_thread_row();
    if (ca_shim.is_live && here->slot != 0)
        ca_live_publish(here);
    bool is_locked = lock_switches(image);
    uint32_t number = image->switch_count;
    if (is_locked && number < CA_SWITCH_CAPACITY && take_snapshots(number)) {
        image->switch_phase[number] = (uint16_t)phase;
        ca_raise((int64_t *)&ca_shim.region->phases[phase].bytes_peak,
                 __atomic_load_n(&image->live_published, __ATOMIC_RELAXED));
        __atomic_store_n(&image->switch_count, number + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&image->process_phase, phase, __ATOMIC_RELAXED);
        tag_base_rows();
    } else {
        __atomic_fetch_add(&ca_shim.region->header.switches_dropped, 1, __ATOMIC_RELAXED);
    }
    if (is_locked)
        __atomic_store_n(&image->switch_lock, 0, __ATOMIC_RELEASE);
    ca_phase_inject(phase);
}
