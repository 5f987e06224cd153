/* SPDX-License-Identifier: MIT */
#include "record_sites.h"

#include "interpose/plain.h"

struct builder {
    struct ca_record *record;
    const struct ca_region *region;
    const struct ca_site_table *table;
    const uint32_t *place;
    uint32_t phase_count;
    uint32_t row_count;
    uint32_t module_count;
    uint32_t *module_place;    /* by module of the table: index into record->modules */
    uint32_t *frame_slots;     /* 1 + index into record->frames, by frame_hash() */
    uint32_t *place_slots;     /* 1 + index into record->sites, by place_hash() */
    uint32_t *sample_slots;    /* likewise into record->samples */
    uint32_t frame_slot_count; /* a power of two */
    uint32_t place_slot_count; /* likewise, of both tables */
    uint32_t *indices;         /* what the sites' `frames` point to; filled from the front */
    const uint32_t *indices_end;
};

/* ---- memory ---- */

static const struct ca_site_table *table_of(const struct ca_region *region, size_t region_bytes) {
    if (region_bytes < sizeof *region)
        return NULL;
    uint64_t offset = region->header.sites_offset;
    if (offset == 0 || offset % 64 != 0 || region_bytes < sizeof(struct ca_site_table) ||
        offset > region_bytes - sizeof(struct ca_site_table))
        return NULL;
    return (const void *)((const char *)region + offset);
}

static uint32_t at_most(const uint32_t *count, uint32_t limit) {
    uint32_t now = __atomic_load_n(count, __ATOMIC_ACQUIRE);
    return now < limit ? now : limit;
}

static uint32_t power_of_two(uint32_t at_least) {
    uint32_t power = 64;
    while (power < at_least)
        power *= 2;
    return power;
}

static size_t rounded(size_t bytes) {
    return (bytes + 15) & ~(size_t)15;
}

/* Of a table with so many sites and frames above their callers. */
static size_t bytes_for(uint32_t site_count, uint32_t frame_count, uint32_t phase_count) {
    size_t all_frames = (size_t)site_count + frame_count;
    return rounded(CA_MODULE_CAPACITY * sizeof(struct ca_record_module)) +
           rounded(CA_MODULE_CAPACITY * sizeof(uint32_t)) +
           rounded(all_frames * sizeof(struct ca_record_frame)) +
           rounded(all_frames * sizeof(uint32_t)) +
           rounded(power_of_two((uint32_t)all_frames * 2) * sizeof(uint32_t)) +
           rounded((site_count + phase_count) * sizeof(struct ca_record_site)) +
           rounded(site_count * sizeof(struct ca_record_sample)) +
           2 * rounded(power_of_two(site_count * 2) * sizeof(uint32_t));
}

size_t ca_record_sites_bytes(const struct ca_region *region, size_t region_bytes) {
    const struct ca_site_table *table = table_of(region, region_bytes);
    if (table == NULL)
        return 0;
    return bytes_for(at_most(&table->site_count, CA_SITE_CAPACITY),
                     at_most(&table->frame_count, CA_FRAME_CAPACITY),
                     at_most(&region->header.phase_count, CA_PHASE_CAPACITY));
}

static void *take(char **memory, size_t bytes) {
    void *taken = *memory;
    *memory += rounded(bytes);
    return taken;
}

/* ---- modules and frames ---- */

static bool is_same_module(const struct ca_module *a, const struct ca_record_module *b) {
    if (a->build_id_bytes != b->build_id_bytes || !ca_plain_is_equal(a->path, b->path))
        return false;
    for (uint32_t i = 0; i < a->build_id_bytes && i < CA_BUILD_ID_SIZE; i++)
        if (a->build_id[i] != b->build_id[i])
            return false;
    return true;
}

/* A module that was loaded twice, by one image or by several, is one. */
static void list_modules(struct builder *builder) {
    struct ca_record *record = builder->record;
    builder->module_place[0] = CA_NO_MODULE;
    for (uint32_t i = 1; i < builder->module_count; i++) {
        const struct ca_module *module = &builder->table->modules[i];
        builder->module_place[i] = CA_NO_MODULE;
        if (__atomic_load_n(&module->state, __ATOMIC_ACQUIRE) != 1)
            continue;
        uint32_t at = 0;
        while (at < record->module_count && !is_same_module(module, &record->modules[at]))
            at++;
        if (at == record->module_count)
            record->modules[record->module_count++] = (struct ca_record_module){
                .path = module->path,
                .build_id = module->build_id,
                .build_id_bytes = module->build_id_bytes < CA_BUILD_ID_SIZE ? module->build_id_bytes
                                                                            : CA_BUILD_ID_SIZE,
            };
        builder->module_place[i] = at;
    }
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint32_t intern_frame(struct builder *builder, const struct ca_frame *frame) {
    struct ca_record *record = builder->record;
    uint32_t module =
        frame->module < builder->module_count ? builder->module_place[frame->module] : CA_NO_MODULE;
    for (uint64_t at = mix(mix(0, module), frame->offset);; at++) {
        uint32_t *slot = &builder->frame_slots[at & (builder->frame_slot_count - 1)];
        if (*slot == 0) {
            record->frames[record->frames_count] =
                (struct ca_record_frame){.module = module, .offset = frame->offset};
            *slot = ++record->frames_count;
        }
        const struct ca_record_frame *known = &record->frames[*slot - 1];
        if (known->module == module && known->offset == frame->offset)
            return *slot - 1;
    }
}

/* ---- sites ---- */

/* Where and when: what sites of several rows have in common. */
struct place {
    uint32_t phase;
    const uint32_t *frames;
    uint32_t frame_count;
    bool is_cut;
};

static uint64_t place_hash(const struct place *place) {
    uint64_t hash = mix(place->phase, place->is_cut);
    for (uint32_t i = 0; i < place->frame_count; i++)
        hash = mix(hash, place->frames[i]);
    return hash;
}

static bool is_same_place(const struct place *a, uint32_t phase, const uint32_t *frames,
                          uint32_t frame_count, bool is_cut) {
    if (a->phase != phase || a->frame_count != frame_count || a->is_cut != is_cut)
        return false;
    for (uint32_t i = 0; i < frame_count; i++)
        if (a->frames[i] != frames[i])
            return false;
    return true;
}

static struct ca_record_site *site_at(struct builder *builder, const struct place *place) {
    struct ca_record *record = builder->record;
    for (uint64_t at = place_hash(place);; at++) {
        uint32_t *slot = &builder->place_slots[at & (builder->place_slot_count - 1)];
        if (*slot == 0) {
            record->sites[record->site_count] =
                (struct ca_record_site){.phase = place->phase,
                                        .frames = place->frames,
                                        .frame_count = place->frame_count,
                                        .is_cut = place->is_cut};
            *slot = ++record->site_count;
        }
        struct ca_record_site *site = &record->sites[*slot - 1];
        if (is_same_place(place, site->phase, site->frames, site->frame_count, site->is_cut))
            return site;
    }
}

static struct ca_record_sample *sample_at(struct builder *builder, const struct place *place) {
    struct ca_record *record = builder->record;
    for (uint64_t at = place_hash(place);; at++) {
        uint32_t *slot = &builder->sample_slots[at & (builder->place_slot_count - 1)];
        if (*slot == 0) {
            record->samples[record->sample_count] =
                (struct ca_record_sample){.phase = place->phase,
                                          .frames = place->frames,
                                          .frame_count = place->frame_count,
                                          .is_cut = place->is_cut};
            *slot = ++record->sample_count;
        }
        struct ca_record_sample *sample = &record->samples[*slot - 1];
        if (is_same_place(place, sample->phase, sample->frames, sample->frame_count,
                          sample->is_cut))
            return sample;
    }
}

/* The site's phase as an index into record->phases, or UINT32_MAX when the region is damaged. */
static uint32_t phase_of(const struct builder *builder, uint64_t tag) {
    uint64_t row = (tag & ~CA_TAG_SHARED) >> CA_TAG_ROW_SHIFT;
    if (row >= builder->row_count)
        return UINT32_MAX;
    uint32_t phase = builder->region->rows[row].phase;
    if (phase == CA_PHASE_PROCESS)
        phase = (uint32_t)(tag & CA_TAG_PHASE_MASK);
    return phase < builder->phase_count && builder->place[phase] != 0 ? builder->place[phase] - 1
                                                                      : UINT32_MAX;
}

static void add_kind(struct ca_record_site *to, uint64_t tag, uint64_t allocations) {
    uint64_t *const kinds[] = {&to->malloc_calls, &to->calloc_calls, &to->realloc_calls,
                               &to->aligned_calls};
    *kinds[tag >> CA_TAG_KIND_SHIFT & 3] += allocations;
}

static void add_site(struct builder *builder, const struct ca_site *site, uint32_t frame_limit) {
    uint64_t tag = __atomic_load_n(&site->tag, __ATOMIC_ACQUIRE);
    uint32_t above = site->frame_count > 0 ? site->frame_count - 1u : 0;
    struct place place = {.phase = tag != 0 ? phase_of(builder, tag) : UINT32_MAX,
                          .frames = builder->indices,
                          .frame_count = above + 1,
                          .is_cut = (site->flags & CA_SITE_CUT) != 0};
    if (place.phase == UINT32_MAX || site->frames > frame_limit ||
        above > frame_limit - site->frames ||
        above + 1 > (size_t)(builder->indices_end - builder->indices))
        return;
    uint64_t allocations = __atomic_load_n(&site->allocations, __ATOMIC_RELAXED);
    uint64_t bytes = __atomic_load_n(&site->bytes_requested, __ATOMIC_RELAXED);
    bool is_sample = (tag & CA_TAG_SAMPLED) != 0;
    if (allocations == 0 && bytes == 0)
        return;
    builder->indices[0] = intern_frame(builder, &site->caller);
    for (uint32_t i = 0; i < above; i++)
        builder->indices[1 + i] = intern_frame(builder, &builder->table->frames[site->frames + i]);
    const uint32_t *kept_frames;
    if (is_sample) {
        struct ca_record_sample *to = sample_at(builder, &place);
        to->samples += __atomic_load_n(&site->samples, __ATOMIC_RELAXED);
        to->allocations += allocations;
        to->bytes_requested += bytes;
        kept_frames = to->frames;
    } else {
        struct ca_record_site *to = site_at(builder, &place);
        to->allocations += allocations;
        to->bytes_requested += bytes;
        add_kind(to, tag, allocations);
        kept_frames = to->frames;
    }
    if (kept_frames == builder->indices)
        builder->indices += place.frame_count;
}

/* ---- what no site has ---- */

static void subtract_site(struct ca_record_site *from, const struct ca_record_site *site) {
    from->allocations -= site->allocations;
    from->malloc_calls -= site->malloc_calls;
    from->calloc_calls -= site->calloc_calls;
    from->realloc_calls -= site->realloc_calls;
    from->aligned_calls -= site->aligned_calls;
    from->bytes_requested -= site->bytes_requested;
}

static void note_excess(struct ca_record *record, const char *phase, uint64_t excess) {
    char line[CA_RECORD_NOTE_SIZE];
    struct ca_text text = ca_text_in(line, sizeof line);
    ca_text_add(&text, "the call sites of phase ");
    ca_text_add(&text, phase);
    ca_text_add(&text, " have ");
    ca_text_add_number(&text, excess);
    ca_text_add(&text, " allocations more than the phase: other threads were in the middle of them "
                       "when the process phase changed");
    ca_record_note(record, line);
}

/* The phases' counts less their sites', behind these. */
static void add_rests(struct ca_record *record) {
    struct ca_record_site *rests = &record->sites[record->site_count];
    for (uint32_t phase = 0; phase < record->phase_count; phase++) {
        const struct ca_counts *counts = &record->phases[phase].counts;
        rests[phase] = (struct ca_record_site){.phase = phase,
                                               .allocations = counts->allocations,
                                               .malloc_calls = counts->malloc_calls,
                                               .calloc_calls = counts->calloc_calls,
                                               .realloc_calls = counts->realloc_calls,
                                               .aligned_calls = counts->aligned_calls,
                                               .bytes_requested = counts->bytes_requested};
    }
    for (uint32_t i = 0; i < record->site_count; i++)
        subtract_site(&rests[record->sites[i].phase], &record->sites[i]);
    for (uint32_t phase = 0; phase < record->phase_count; phase++) {
        if ((int64_t)rests[phase].allocations < 0)
            note_excess(record, record->phases[phase].name, -rests[phase].allocations);
        else if (rests[phase].allocations != 0)
            record->sites[record->site_count++] = rests[phase];
    }
}

/* ---- order ---- */

/* Negative when `a` comes first: by phase, most allocations, most bytes. What no site has is last
 * in its phase. */
static int order(const struct ca_record_site *a, const struct ca_record_site *b) {
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    if ((a->frame_count == 0) != (b->frame_count == 0))
        return a->frame_count == 0 ? 1 : -1;
    if (a->allocations != b->allocations)
        return a->allocations > b->allocations ? -1 : 1;
    if (a->bytes_requested != b->bytes_requested)
        return a->bytes_requested > b->bytes_requested ? -1 : 1;
    for (uint32_t i = 0; i < a->frame_count && i < b->frame_count; i++)
        if (a->frames[i] != b->frames[i])
            return a->frames[i] < b->frames[i] ? -1 : 1;
    return 0;
}

static struct ca_record_site as_site(const struct ca_record_sample *sample) {
    return (struct ca_record_site){.phase = sample->phase,
                                   .frames = sample->frames,
                                   .frame_count = sample->frame_count,
                                   .allocations = sample->allocations,
                                   .bytes_requested = sample->bytes_requested};
}

static int order_samples(const struct ca_record_sample *a, const struct ca_record_sample *b) {
    struct ca_record_site first = as_site(a);
    struct ca_record_site second = as_site(b);
    return order(&first, &second);
}

/* Heapsort: in place and without recursion, because it runs in the counted process, too. */
#define SORT(name, type, compare)                                                                  \
    static void name##_sift(type *items, size_t root, size_t count) {                              \
        for (size_t child; (child = root * 2 + 1) < count; root = child) {                         \
            if (child + 1 < count && compare(&items[child], &items[child + 1]) < 0)                \
                child++;                                                                           \
            if (compare(&items[root], &items[child]) >= 0)                                         \
                return;                                                                            \
            type swapped = items[root];                                                            \
            items[root] = items[child];                                                            \
            items[child] = swapped;                                                                \
        }                                                                                          \
    }                                                                                              \
    static void name(type *items, size_t count) {                                                  \
        for (size_t root = count / 2; root-- > 0;)                                                 \
            name##_sift(items, root, count);                                                       \
        for (size_t end = count; end-- > 1;) {                                                     \
            type largest = items[0];                                                               \
            items[0] = items[end];                                                                 \
            items[end] = largest;                                                                  \
            name##_sift(items, 0, end);                                                            \
        }                                                                                          \
    }

SORT(sort_sites, struct ca_record_site, order)
SORT(sort_samples, struct ca_record_sample, order_samples)

/* ---- the whole ---- */

static void note_losses(struct ca_record *record, const struct ca_site_table *table) {
    const struct {
        uint64_t count;
        const char *after;
    } losses[] = {
        {__atomic_load_n(&table->sites[0].allocations, __ATOMIC_RELAXED),
         " allocations came from call sites beyond the 262,143 that there is room for: they are in "
         "the total, without a site"},
        {table->frames_dropped, " stacks found no room for their frames: only their callers are "
                                "known"},
        {table->modules_dropped, " times the module of an address found no room: such addresses "
                                 "look like code made at run time"},
    };
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
        char line[CA_RECORD_NOTE_SIZE];
        struct ca_text text = ca_text_in(line, sizeof line);
        ca_text_add_number(&text, losses[i].count);
        ca_text_add(&text, losses[i].after);
        if (losses[i].count != 0)
            ca_record_note(record, line);
    }
}

void ca_record_build_sites(struct ca_record *record, const struct ca_region *region,
                           size_t region_bytes, const uint32_t *place, uint32_t phase_count,
                           void *memory, size_t memory_bytes) {
    const struct ca_header *header = &region->header;
    const struct ca_site_table *table = table_of(region, region_bytes);
    if (table == NULL) {
        if (header->stack_depth != 0 || header->sample_bytes != 0)
            ca_record_note(record, "call sites were not measured: there was no room for them; "
                                   "allow 128 MiB more address space (ulimit -v) and file size "
                                   "(ulimit -f)");
        return;
    }
    uint32_t site_count = at_most(&table->site_count, CA_SITE_CAPACITY);
    uint32_t frame_count = at_most(&table->frame_count, CA_FRAME_CAPACITY);
    while (bytes_for(site_count, frame_count, phase_count) > memory_bytes && site_count > 1) {
        site_count--;
        frame_count -= frame_count > CA_STACK_DEPTH_MAX ? CA_STACK_DEPTH_MAX : 0;
    }
    if (bytes_for(site_count, frame_count, phase_count) > memory_bytes)
        return;
    struct builder builder = {
        .record = record,
        .region = region,
        .table = table,
        .place = place,
        .phase_count = phase_count,
        .row_count = at_most(&header->row_count, header->row_capacity),
        .module_count = at_most(&table->module_count, CA_MODULE_CAPACITY),
        .frame_slot_count = power_of_two((site_count + frame_count) * 2),
        .place_slot_count = power_of_two(site_count * 2),
    };
    char *at = memory;
    record->stack_depth = header->stack_depth;
    record->sample_bytes = header->sample_bytes;
    record->modules = take(&at, CA_MODULE_CAPACITY * sizeof *record->modules);
    builder.module_place = take(&at, CA_MODULE_CAPACITY * sizeof *builder.module_place);
    record->frames = take(&at, ((size_t)site_count + frame_count) * sizeof *record->frames);
    builder.indices = take(&at, ((size_t)site_count + frame_count) * sizeof *builder.indices);
    builder.indices_end = builder.indices + site_count + frame_count;
    builder.frame_slots = take(&at, builder.frame_slot_count * sizeof *builder.frame_slots);
    record->sites = take(&at, (site_count + phase_count) * sizeof *record->sites);
    record->samples = take(&at, site_count * sizeof *record->samples);
    builder.place_slots = take(&at, builder.place_slot_count * sizeof *builder.place_slots);
    builder.sample_slots = take(&at, builder.place_slot_count * sizeof *builder.sample_slots);

    list_modules(&builder);
    for (uint32_t i = 1; i < site_count; i++)
        add_site(&builder, &table->sites[i], frame_count);
    if (record->stack_depth != 0)
        add_rests(record);
    for (uint32_t i = 0; i < record->sample_count; i++)
        record->samples[i].allocations = (record->samples[i].allocations + 128) / 256;
    sort_sites(record->sites, record->site_count);
    sort_samples(record->samples, record->sample_count);
    note_losses(record, table);
}
