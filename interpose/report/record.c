/* SPDX-License-Identifier: MIT */
#include "record.h"

#include "interpose/plain.h"
#include "record_sites.h"

/* What the builder knows while it walks the region. */
struct builder {
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

/* ---- memory and tables ---- */

static uint32_t at_most(uint32_t count, uint32_t limit) {
    return count < limit ? count : limit;
}

static uint32_t rows_of(const struct ca_region *region, size_t region_bytes) {
    uint32_t fitting = 0;
    if (region_bytes > sizeof *region)
        fitting = (uint32_t)((region_bytes - sizeof *region) / sizeof(struct ca_row));
    return at_most(__atomic_load_n(&region->header.row_count, __ATOMIC_ACQUIRE), fitting);
}

static uint32_t phases_of(const struct ca_region *region) {
    return at_most(__atomic_load_n(&region->header.phase_count, __ATOMIC_ACQUIRE),
                   CA_PHASE_CAPACITY);
}

static void *take(struct builder *builder, size_t bytes) {
    void *taken = builder->memory;
    builder->memory += (bytes + 15) & ~(size_t)15;
    return taken;
}

/* A base row gives a share to each process phase that moved it, any other row one. */
static size_t most_shares(const struct ca_region *region, size_t region_bytes) {
    return rows_of(region, region_bytes) +
           (size_t)at_most(region->header.slot_count, CA_SLOT_CAPACITY) * 2;
}

/* Room for what a running program may add between the measuring and the building. */
#define SPARE_PHASES 64u
#define SPARE_SLOTS  256u

size_t ca_record_build_bytes(const struct ca_region *region, size_t region_bytes) {
    if (region_bytes < sizeof *region)
        return 16;
    size_t phase_count = phases_of(region) + SPARE_PHASES;
    size_t slot_count = at_most(region->header.slot_count, CA_SLOT_CAPACITY) + SPARE_SLOTS;
    size_t share_count = most_shares(region, region_bytes) + 4 * SPARE_SLOTS;
    return phase_count * (sizeof(struct ca_record_phase) + 2 * sizeof(uint32_t)) +
           share_count * sizeof(struct ca_share) + slot_count * sizeof(struct ca_record_thread) +
           CA_IMAGE_CAPACITY * sizeof(struct ca_record_process) + 256 +
           ca_record_sites_bytes(region, region_bytes);
}

void ca_record_note(struct ca_record *record, const char *text) {
    if (record->note_count < CA_RECORD_NOTES)
        ca_plain_copy(record->notes[record->note_count++], text, CA_RECORD_NOTE_SIZE);
}

static void note_number(struct ca_record *record, const char *before, uint64_t number,
                        const char *after) {
    char line[CA_RECORD_NOTE_SIZE];
    struct ca_text text = ca_text_in(line, sizeof line);
    ca_text_add(&text, before);
    ca_text_add_number(&text, number);
    ca_text_add(&text, after);
    ca_record_note(record, line);
}

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

static void enter_phase(struct builder *builder, uint32_t phase) {
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

static struct ca_record_phase *phase_for(struct builder *builder, uint32_t phase) {
    if (phase == CA_PHASE_PROCESS || phase >= builder->phase_count || builder->place[phase] == 0) {
        builder->is_damaged = true;
        phase = CA_PHASE_OVERFLOW;
        enter_phase(builder, phase);
    }
    return &builder->record->phases[builder->place[phase] - 1];
}

/* Process phases that were begun, own phases that were opened, in the order of the report. */
static void list_phases(struct builder *builder) {
    const struct ca_region *region = builder->region;
    bool is_begun[CA_PHASE_CAPACITY] = {false};
    for (uint32_t i = 0; i < builder->image_count; i++) {
        const struct ca_image *image = &region->images[i];
        uint32_t switch_count = at_most(image->switch_count, CA_SWITCH_CAPACITY);
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
        for (uint32_t k = 0; k < at_most(region->images[i].switch_count, CA_SWITCH_CAPACITY); k++) {
            struct ca_record_phase *phase = phase_for(builder, region->images[i].switch_phase[k]);
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
typedef void visit_share(struct builder *builder, uint32_t slot, uint32_t phase,
                         const struct ca_row *part);

static const struct ca_row *row_or_null(struct builder *builder, uint32_t index) {
    if (index < builder->row_count)
        return &builder->region->rows[index];
    builder->is_damaged = true;
    return NULL;
}

/* The snapshot of `slot` as of switch `number`, or NULL when it had counted nothing by then. The
 * list is newest first. */
static const struct ca_row *snapshot_as_of(struct builder *builder, const struct ca_slot *slot,
                                           uint32_t number) {
    uint32_t index = slot->snapshot_rows;
    for (uint32_t steps = 0; index != 0 && steps <= builder->row_count; steps++) {
        const struct ca_row *snapshot = row_or_null(builder, index);
        if (snapshot == NULL || snapshot->phase <= number)
            return snapshot;
        index = snapshot->next_row;
    }
    return NULL;
}

static void visit_base_row(struct builder *builder, uint32_t index, visit_share *visit) {
    const struct ca_region *region = builder->region;
    const struct ca_slot *slot = &region->slots[index];
    const struct ca_row *base = row_or_null(builder, slot->base_row);
    if (base == NULL || slot->image >= CA_IMAGE_CAPACITY)
        return;
    const struct ca_image *image = &region->images[slot->image];
    uint32_t switch_count =
        at_most(__atomic_load_n(&image->switch_count, __ATOMIC_ACQUIRE), CA_SWITCH_CAPACITY);
    struct ca_row before = read_row(NULL);
    for (uint32_t k = 0; k < switch_count; k++) {
        bool is_last = k + 1 == switch_count;
        struct ca_row after = read_row(is_last ? base : snapshot_as_of(builder, slot, k + 1));
        struct ca_row part = after;
        subtract_row(&part, &before);
        before = after;
        part.is_adopted = 0;
        if (!is_empty_row(&part))
            visit(builder, index, image->switch_phase[k], &part);
    }
}

static void visit_slots(struct builder *builder, visit_share *visit) {
    const struct ca_region *region = builder->region;
    for (uint32_t i = 0; i < builder->slot_count; i++) {
        const struct ca_slot *slot = &region->slots[i];
        if (i != 0 && __atomic_load_n(&slot->base_row, __ATOMIC_ACQUIRE) == 0)
            continue;
        visit_base_row(builder, i, visit);
        uint32_t index = __atomic_load_n(&slot->phase_rows, __ATOMIC_ACQUIRE);
        for (uint32_t steps = 0; index != 0 && steps <= builder->row_count; steps++) {
            const struct ca_row *row = row_or_null(builder, index);
            if (row == NULL)
                break;
            struct ca_row part = read_row(row);
            visit(builder, i, row->phase, &part);
            index = row->next_row;
        }
    }
}

static void count_share(struct builder *builder, uint32_t slot, uint32_t phase,
                        const struct ca_row *part) {
    (void)slot;
    (void)part;
    if (builder->share_capacity == 0) {
        builder->is_damaged = true; /* lists that run into each other */
        return;
    }
    builder->share_capacity--;
    phase_for(builder, phase)->share_count++;
}

static struct ca_record_thread *thread_of(struct builder *builder, uint32_t slot) {
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

static void add_share(struct builder *builder, uint32_t slot, uint32_t phase,
                      const struct ca_row *part) {
    struct ca_record *record = builder->record;
    struct ca_record_phase *to = phase_for(builder, phase);
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

/* ---- live bytes ---- */

/* Whether a slot has counted anything in its base row since the present process phase began. */
static bool has_moved_lately(struct builder *builder, const struct ca_slot *slot,
                             uint32_t switch_count) {
    const struct ca_row *base = row_or_null(builder, slot->base_row);
    const struct ca_row *then =
        switch_count > 1 ? snapshot_as_of(builder, slot, switch_count - 1) : NULL;
    return base != NULL &&
           (then == NULL || base->bytes_requested != then->bytes_requested ||
            base->free_calls != then->free_calls || base->bytes_live != then->bytes_live);
}

/* What threads have not published yet belongs to the figures, too. */
static void settle_peaks(struct builder *builder, uint32_t image_index) {
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
        int64_t highest = published + (row->live_max - row->live_published);
        if (highest > peak)
            peak = highest;
        uint32_t phase = row->phase == CA_PHASE_PROCESS ? present : row->phase;
        if (row->phase == CA_PHASE_PROCESS && !has_moved_lately(builder, slot, image->switch_count))
            continue;
        struct ca_counts *of_phase = &phase_for(builder, phase)->counts;
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

static void settle_live(struct builder *builder) {
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

/* ---- facts ---- */

static const char arch[] =
#if defined(__x86_64__)
    "x86_64";
#elif defined(__aarch64__)
    "aarch64";
#else
    "unknown";
#endif

#if defined(__APPLE__)
static const char os[] = "darwin";
#else
static const char os[] = "linux";
#endif

static bool begins_with(const char *text, const char *beginning) {
    while (*beginning != '\0' && *text == *beginning)
        text++, beginning++;
    return *beginning == '\0';
}

/* "glibc" when libc serves malloc itself, else the file name of whoever does, up to its first dot:
 * "libjemalloc". */
static void name_allocator(struct ca_text *text, const struct ca_image *image) {
    const char *name = ca_plain_basename(image->allocator);
    if (begins_with(name, "libc.") || begins_with(name, "ld-musl"))
        name = image->libc[0] != '\0' ? "glibc" : "musl";
    for (; *name != '\0' && *name != '.'; name++) {
        char letter[2] = {*name, '\0'};
        ca_text_add(text, letter);
    }
}

static void describe_platform(struct ca_record *record, const struct ca_image *image) {
    const char *libc = image->libc[0] != '\0' ? image->libc : "musl";
    struct ca_text allocator = ca_text_in(record->allocator_text, sizeof record->allocator_text);
    name_allocator(&allocator, image);
    struct ca_text key = ca_text_in(record->platform_key_text, sizeof record->platform_key_text);
    ca_text_add(&key, os);
    ca_text_add(&key, "-");
    ca_text_add(&key, arch);
    ca_text_add(&key, "-");
    for (const char *c = libc; *c != '\0'; c++) {
        char letter[2] = {*c, '\0'};
        if (*c != ' ')
            ca_text_add(&key, letter);
    }
    ca_text_add(&key, "-");
    ca_text_add(&key, record->allocator_text);
    record->platform_key = record->platform_key_text;
    record->libc = libc;
    record->allocator = record->allocator_text;
}

static void describe_processes(struct builder *builder) {
    struct ca_record *record = builder->record;
    for (uint32_t i = 0; i < builder->image_count; i++) {
        const struct ca_image *image = &builder->region->images[i];
        record->processes[record->process_count++] = (struct ca_record_process){
            .pid = image->pid,
            .parent_pid = image->parent_pid,
            .executable = image->executable,
            .arguments = image->arguments,
            .argument_bytes = sizeof image->arguments,
            .argument_count = image->argument_count,
            .is_complete = (image->flags & CA_IMAGE_FINISHED) != 0,
        };
    }
}

static void note_losses(struct ca_record *record, const struct ca_header *header) {
    if (header->threads_overflowed != 0)
        note_number(record, "", header->threads_overflowed,
                    " threads found no place of their own and count together as thread 0, more "
                    "slowly; all of their "
                    "calls are in the total, their phases are not told apart");
    if (header->phases_overflowed != 0)
        note_number(record, "phases were opened ", header->phases_overflowed,
                    " times under names beyond the first 4,091: counted together as \"(other)\"; "
                    "all of them are in "
                    "the total");
    if (header->rows_overflowed != 0)
        note_number(record, "no room was left for ", header->rows_overflowed,
                    " openings of a phase by a thread: counted in \"(other)\", or in the phase "
                    "around; all of them are in "
                    "the total");
    if (header->units_dropped != 0)
        note_number(record, "units were given ", header->units_dropped,
                    " times beyond the four that a phase can have: not included");
    if (header->switches_dropped != 0)
        note_number(record, "the process phase could not be changed ", header->switches_dropped,
                    " times: calls after that are in the phase before");
    if (header->images_dropped != 0)
        note_number(record, "the process became another program more than 32 times; the last ",
                    header->images_dropped, " were not counted");
}

static void note_images(struct builder *builder) {
    struct ca_record *record = builder->record;
    for (uint32_t i = 0; i < builder->image_count; i++) {
        const struct ca_image *image = &builder->region->images[i];
        if (image->unbalanced_ends != 0)
            note_number(record, "countalloc_phase_end was called ", image->unbalanced_ends,
                        " times without a phase to end");
        if (image->too_deep != 0)
            note_number(record, "phases were opened ", image->too_deep,
                        " times inside 64 others: counted in the 64th");
        if ((image->flags & CA_IMAGE_NESTED_INEXACT) != 0)
            ca_record_note(record, "an entry of the allocator below is made of calls to other "
                                   "entries: it is counted as "
                                   "these, with their sizes");
        if ((image->flags & CA_IMAGE_NAMESPACE) != 0) {
            ca_record_note(record, "the program loaded a library into a namespace of its own "
                                   "(dlmopen), with a libc of its own: what it allocates there is "
                                   "not counted");
            record->level = CA_LEVEL_PARTIAL;
        }
        if (image->bypass[0] != '\0') {
            char line[CA_RECORD_NOTE_SIZE];
            struct ca_text text = ca_text_in(line, sizeof line);
            ca_text_add(&text, image->bypass);
            ca_text_add(
                &text,
                " calls the allocator past countalloc, as a library does that is loaded with "
                "RTLD_DEEPBIND: what it allocates is not counted");
            ca_record_note(record, line);
            record->level = CA_LEVEL_PARTIAL;
        }
        if (image->state == CA_IMAGE_ATTACHED && image->usable == CA_USABLE_NONE)
            ca_record_note(
                record,
                "live and peak bytes are not measured: the object that serves malloc has no "
                "malloc_usable_size");
    }
}

static void judge_coverage(struct builder *builder) {
    struct ca_record *record = builder->record;
    uint32_t attached_count = 0;
    for (uint32_t i = 0; i < builder->image_count; i++)
        attached_count += builder->region->images[i].state == CA_IMAGE_ATTACHED;
    record->is_attached = attached_count > 0;
    record->level = attached_count == 0                                    ? CA_LEVEL_NONE
                    : attached_count < builder->region->header.image_count ? CA_LEVEL_PARTIAL
                                                                           : CA_LEVEL_FULL;
}

/* The total takes the unit of the only phase that has it. */
static void choose_total_units(struct ca_record *record) {
    for (uint32_t i = 0; i < record->phase_count; i++)
        for (uint32_t k = 0; k < record->phases[i].units_count; k++) {
            struct ca_units units = record->phases[i].units[k];
            uint32_t having_count = 0;
            for (uint32_t m = 0; m < record->phase_count; m++)
                for (uint32_t n = 0; n < record->phases[m].units_count; n++)
                    having_count += ca_plain_is_equal(record->phases[m].units[n].name, units.name);
            if (having_count == 1 && record->total_units_count < CA_UNIT_CAPACITY)
                record->total_units[record->total_units_count++] = units;
        }
}

bool ca_record_build(struct ca_record *record, const struct ca_region *region, size_t region_bytes,
                     void *memory, size_t memory_bytes) {
    *record = (struct ca_record){.version = COUNTALLOC_VERSION, .os = os, .arch = arch};
    record->name = record->executable = record->arguments = record->libc = record->allocator =
        record->platform_key = "";
    if (region_bytes < CA_REGION_BYTES_MIN || region->header.magic != CA_REGION_MAGIC ||
        region->header.byte_order != CA_REGION_BYTE_ORDER ||
        region->header.version != CA_REGION_VERSION) {
        ca_record_note(record, "no counter region of a version that this program reads");
        return false;
    }
    const struct ca_header *header = &region->header;
    struct builder builder = {.record = record, .region = region, .memory = memory};
    builder.row_count = rows_of(region, region_bytes);
    builder.slot_count =
        at_most(__atomic_load_n(&header->slot_count, __ATOMIC_ACQUIRE), CA_SLOT_CAPACITY);
    builder.image_count =
        at_most(__atomic_load_n(&header->image_count, __ATOMIC_ACQUIRE), CA_IMAGE_CAPACITY);
    builder.phase_count = phases_of(region);
    record->rules = header->rules;
    record->phases = take(&builder, (builder.phase_count + 1) * sizeof *record->phases);
    builder.place = take(&builder, (builder.phase_count + 1) * sizeof *builder.place);
    record->threads = take(&builder, (builder.slot_count + 1) * sizeof *record->threads);
    record->processes = take(&builder, CA_IMAGE_CAPACITY * sizeof *record->processes);
    builder.share_limit = take(&builder, (builder.phase_count + 1) * sizeof *builder.share_limit);
    builder.share_capacity = most_shares(region, region_bytes);
    struct ca_share *shares = take(&builder, builder.share_capacity * sizeof *shares);

    if (builder.image_count > 0) {
        const struct ca_image *first = &region->images[0];
        const struct ca_image *last = &region->images[builder.image_count - 1];
        record->executable = first->executable;
        record->name = ca_plain_basename(first->executable);
        record->arguments = first->arguments;
        record->argument_bytes = sizeof first->arguments;
        record->argument_count = first->argument_count;
        record->pid = first->pid;
        describe_platform(record, last);
        record->has_allocator_bytes = last->allocator_held_bytes != 0;
        record->allocator_used_bytes = last->allocator_used_bytes;
        record->allocator_held_bytes = last->allocator_held_bytes;
        record->allocator_active_bytes = last->allocator_active_bytes;
    }
    list_phases(&builder);
    describe_processes(&builder);
    judge_coverage(&builder);
    visit_slots(&builder, count_share);
    for (uint32_t i = 0; i < record->phase_count; i++) {
        record->phases[i].shares = shares;
        shares += record->phases[i].share_count;
        builder.share_limit[i] = record->phases[i].share_count;
        record->phases[i].share_count = 0;
    }
    visit_slots(&builder, add_share);
    settle_live(&builder);
    choose_total_units(record);
    note_losses(record, header);
    note_images(&builder);
    size_t used_bytes = (size_t)(builder.memory - (char *)memory);
    if (used_bytes < memory_bytes)
        ca_record_build_sites(record, region, region_bytes, builder.place, builder.phase_count,
                              builder.memory, memory_bytes - used_bytes);
    if (builder.is_damaged)
        ca_record_note(record, "the counter region is damaged: some of its links lead nowhere");
    return true;
}
