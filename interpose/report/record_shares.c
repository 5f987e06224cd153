/* SPDX-License-Identifier: MIT */
#include "interpose/plain.h"
#include "record_builder.h"

/* ---- counts ---- */

/* The counters of a row, read once each; zero for NULL. */
static struct ca_row read_row(const struct ca_row *row) {
    struct ca_row copy;
    uint64_t *to = (uint64_t *)&copy;
    const uint64_t *from = (const uint64_t *)row;
    for (size_t i = 0; i < sizeof copy / sizeof *to; i++)
        to[i] = row != NULL ? __atomic_load_n(&from[i], __ATOMIC_RELAXED) : 0;
    return copy;
}

/* `later` less `earlier`, counter by counter. */
static void subtract_row(struct ca_row *later, const struct ca_row *earlier) {
    uint64_t *a = &later->bytes_requested;
    const uint64_t *b = &earlier->bytes_requested;
    for (size_t i = 0; i < CA_ROW_COUNTERS; i++)
        a[i] -= b[i];
}

static bool is_empty_row(const struct ca_row *row) {
    uint64_t any = row->bytes_requested | row->free_calls | row->calloc_calls | row->realloc_calls |
                   row->aligned_calls | row->free_null | row->failed_calls | row->realloc_released |
                   row->opened;
    for (size_t i = 0; i < CA_CLASSES; i++)
        any |= row->size_class[i];
    for (size_t i = 0; i < CA_UNIT_CAPACITY; i++)
        any |= row->unit_count[i];
    return any == 0;
}

static void add_row(struct ca_counts *counts, const struct ca_row *row) {
    uint64_t allocations = 0;
    for (size_t i = 0; i < CA_CLASSES; i++) {
        allocations += row->size_class[i];
        counts->size_class[i] += row->size_class[i];
    }
    uint64_t frees =
        row->free_calls + row->realloc_in_place + row->realloc_moved + row->realloc_released;
    counts->allocations += allocations;
    counts->frees += frees;
    counts->live_blocks += (int64_t)(allocations - frees);
    counts->malloc_calls +=
        allocations - row->calloc_calls - row->realloc_calls - row->aligned_calls;
    counts->calloc_calls += row->calloc_calls;
    counts->realloc_calls += row->realloc_calls;
    counts->aligned_calls += row->aligned_calls;
    counts->free_calls += row->free_calls;
    counts->free_null += row->free_null;
    counts->failed_calls += row->failed_calls;
    counts->realloc_in_place += row->realloc_in_place;
    counts->realloc_moved += row->realloc_moved;
    counts->realloc_grown += row->realloc_grown;
    counts->realloc_shrunk += row->realloc_shrunk;
    counts->bytes_requested += row->bytes_requested;
    counts->bytes_live += row->bytes_live;
}

/* ---- phases ---- */

static void enter_phase(struct ca_builder *builder, uint32_t phase) {
    if (builder->place[phase] != 0)
        return;
    struct ca_record *record = builder->record;
    const struct ca_phase *entry = &builder->region->phases[phase];
    struct ca_record_phase *to = &record->phases[record->phase_count++];
    to->name = entry->name;
    to->is_process_phase = phase < CA_PHASE_FIRST_OWN && phase != CA_PHASE_OVERFLOW;
    to->counts.bytes_peak = (int64_t)__atomic_load_n(&entry->bytes_peak, __ATOMIC_RELAXED);
    builder->place[phase] = record->phase_count;
}

struct ca_record_phase *ca_builder_phase(struct ca_builder *builder, uint32_t phase) {
    if (phase == CA_PHASE_PROCESS || phase >= builder->phase_count || builder->place[phase] == 0) {
        builder->is_damaged = true;
        phase = CA_PHASE_OVERFLOW;
        enter_phase(builder, phase);
    }
    return &builder->record->phases[builder->place[phase] - 1];
}

void ca_builder_list_phases(struct ca_builder *builder) {
    const struct ca_region *region = builder->region;
    bool is_begun[CA_PHASE_CAPACITY] = {false};
    for (uint32_t i = 0; i < builder->image_count; i++) {
        const struct ca_image *image = &region->images[i];
        uint32_t switch_count = ca_at_most(image->switch_count, CA_SWITCH_CAPACITY);
        for (uint32_t k = 0; k < switch_count; k++)
            if (image->switch_phase[k] < builder->phase_count)
                is_begun[image->switch_phase[k]] = true;
    }
    for (uint32_t i = 2; i < builder->row_count; i++) {
        const struct ca_row *row = &region->rows[i];
        if (row->size_limit_bytes != 0 && row->phase != CA_PHASE_PROCESS &&
            row->phase < builder->phase_count)
            is_begun[row->phase] = true;
    }
    static const uint32_t first[] = {CA_PHASE_STARTUP, CA_PHASE_MAIN};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        if (is_begun[first[i]])
            enter_phase(builder, first[i]);
    for (uint32_t phase = CA_PHASE_FIRST_OWN; phase < builder->phase_count; phase++)
        if (is_begun[phase])
            enter_phase(builder, phase);
    if (is_begun[CA_PHASE_OVERFLOW])
        enter_phase(builder, CA_PHASE_OVERFLOW);
    if (is_begun[CA_PHASE_EXIT])
        enter_phase(builder, CA_PHASE_EXIT);
    for (uint32_t i = 0; i < builder->image_count; i++)
        for (uint32_t k = 0; k < ca_at_most(region->images[i].switch_count, CA_SWITCH_CAPACITY);
             k++) {
            struct ca_record_phase *phase =
                ca_builder_phase(builder, region->images[i].switch_phase[k]);
            phase->opened++;
            phase->is_process_phase = true;
        }
}

static void add_units(struct ca_record_phase *to, const struct ca_phase *names,
                      const struct ca_row *row) {
    for (uint32_t i = 0; i < CA_UNIT_CAPACITY; i++) {
        if (row->unit_count[i] == 0 || names->unit_state[i] != 2)
            continue;
        uint32_t at = 0;
        while (at < to->units_count && !ca_plain_is_equal(to->units[at].name, names->unit_name[i]))
            at++;
        if (at == to->units_count) {
            if (at == CA_UNIT_CAPACITY)
                continue;
            to->units[to->units_count++].name = names->unit_name[i];
        }
        to->units[at].unit_count += row->unit_count[i];
    }
}

/* ---- slots ---- */

/* Rows become shares, which are counted first, so that a phase's lie together. `visit` is called
 * for each part of each slot: a base row cut by process phase, and every other row. */
typedef void visit_share(struct ca_builder *builder, uint32_t slot, uint32_t phase,
                         const struct ca_row *part);

const struct ca_row *ca_builder_row(struct ca_builder *builder, uint32_t index) {
    if (index < builder->row_count)
        return &builder->region->rows[index];
    builder->is_damaged = true;
    return NULL;
}

const struct ca_row *ca_builder_snapshot(struct ca_builder *builder, const struct ca_slot *slot,
                                         uint32_t number) {
    uint32_t index = slot->snapshot_rows;
    for (uint32_t steps = 0; index != 0 && steps <= builder->row_count; steps++) {
        const struct ca_row *snapshot = ca_builder_row(builder, index);
        if (snapshot == NULL || snapshot->phase <= number)
            return snapshot;
        index = snapshot->next_row;
    }
    return NULL;
}

static void visit_base_row(struct ca_builder *builder, uint32_t index, visit_share *visit) {
    const struct ca_region *region = builder->region;
    const struct ca_slot *slot = &region->slots[index];
    const struct ca_row *base = ca_builder_row(builder, slot->base_row);
    if (base == NULL || slot->image >= CA_IMAGE_CAPACITY)
        return;
    const struct ca_image *image = &region->images[slot->image];
    uint32_t switch_count =
        ca_at_most(__atomic_load_n(&image->switch_count, __ATOMIC_ACQUIRE), CA_SWITCH_CAPACITY);
    struct ca_row before = read_row(NULL);
    for (uint32_t k = 0; k < switch_count; k++) {
        bool is_last = k + 1 == switch_count;
        struct ca_row after = read_row(is_last ? base : ca_builder_snapshot(builder, slot, k + 1));
        struct ca_row part = after;
        subtract_row(&part, &before);
        before = after;
        part.is_adopted = 0;
        if (!is_empty_row(&part))
            visit(builder, index, image->switch_phase[k], &part);
    }
}

static void visit_slots(struct ca_builder *builder, visit_share *visit) {
    const struct ca_region *region = builder->region;
    for (uint32_t i = 0; i < builder->slot_count; i++) {
        const struct ca_slot *slot = &region->slots[i];
        if (i != 0 && __atomic_load_n(&slot->base_row, __ATOMIC_ACQUIRE) == 0)
            continue;
        visit_base_row(builder, i, visit);
        uint32_t index = __atomic_load_n(&slot->phase_rows, __ATOMIC_ACQUIRE);
        for (uint32_t steps = 0; index != 0 && steps <= builder->row_count; steps++) {
            const struct ca_row *row = ca_builder_row(builder, index);
            if (row == NULL)
                break;
            struct ca_row part = read_row(row);
            visit(builder, i, row->phase, &part);
            index = row->next_row;
        }
    }
}

static void count_share(struct ca_builder *builder, uint32_t slot, uint32_t phase,
                        const struct ca_row *part) {
    (void)slot;
    (void)part;
    if (builder->share_capacity == 0) {
        builder->is_damaged = true; /* lists that run into each other */
        return;
    }
    builder->share_capacity--;
    ca_builder_phase(builder, phase)->share_count++;
}

static struct ca_record_thread *thread_of(struct ca_builder *builder, uint32_t slot) {
    for (uint32_t i = builder->record->thread_count; i-- > 0;)
        if (builder->record->threads[i].number == builder->region->slots[slot].number)
            return &builder->record->threads[i];
    struct ca_record_thread *thread = &builder->record->threads[builder->record->thread_count++];
    const struct ca_slot *from = &builder->region->slots[slot];
    thread->number = from->number;
    thread->name = slot == 0 ? "(all further threads)" : from->is_named ? from->name : NULL;
    thread->thread_count =
        slot == 0 ? builder->region->header.threads_overflowed : from->thread_count;
    thread->process = from->image;
    return thread;
}

static void add_share(struct ca_builder *builder, uint32_t slot, uint32_t phase,
                      const struct ca_row *part) {
    struct ca_record *record = builder->record;
    struct ca_record_phase *to = ca_builder_phase(builder, phase);
    uint32_t number = builder->region->slots[slot].number;
    struct ca_share *share = NULL; /* a process phase may have been begun more than once */
    if (to->share_count > 0 && to->shares[to->share_count - 1].thread == number &&
        to->shares[to->share_count - 1].is_adopted == (part->is_adopted != 0))
        share = &to->shares[to->share_count - 1];
    if (share == NULL) {
        if (to->share_count >= builder->share_limit[to - record->phases])
            return;
        share = &to->shares[to->share_count++];
    }
    share->thread = number;
    share->is_adopted = part->is_adopted != 0;
    share->opened += part->opened;
    add_row(&share->counts, part);
    if (!to->is_process_phase)
        to->opened += part->opened;
    add_row(&to->counts, part);
    const struct ca_phase *phases = builder->region->phases;
    add_units(to, &phases[part->phase == CA_PHASE_PROCESS ? (uint32_t)CA_PHASE_PROCESS : phase],
              part);
    add_row(&thread_of(builder, slot)->counts, part);
    uint32_t image = builder->region->slots[slot].image;
    if (image < record->process_count)
        add_row(&record->processes[image].counts, part);
    add_row(&record->total, part);
}

void ca_builder_add_shares(struct ca_builder *builder, struct ca_share *shares) {
    struct ca_record *record = builder->record;
    visit_slots(builder, count_share);
    for (uint32_t i = 0; i < record->phase_count; i++) {
        record->phases[i].shares = shares;
        shares += record->phases[i].share_count;
        builder->share_limit[i] = record->phases[i].share_count;
        record->phases[i].share_count = 0;
    }
    visit_slots(builder, add_share);
}
