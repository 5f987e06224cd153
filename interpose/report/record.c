/* SPDX-License-Identifier: MIT */
#include "record.h"

#include "interpose/plain.h"
#include "record_builder.h"
#include "record_sites.h"

/* ---- memory ---- */

static uint32_t rows_of(const struct ca_region *region, size_t region_bytes) {
    uint32_t fitting = 0;
    if (region_bytes > sizeof *region)
        fitting = (uint32_t)((region_bytes - sizeof *region) / sizeof(struct ca_row));
    return ca_at_most(__atomic_load_n(&region->header.row_count, __ATOMIC_ACQUIRE), fitting);
}

static uint32_t phases_of(const struct ca_region *region) {
    return ca_at_most(__atomic_load_n(&region->header.phase_count, __ATOMIC_ACQUIRE),
                      CA_PHASE_CAPACITY);
}

static void *take(struct ca_builder *builder, size_t bytes) {
    void *taken = builder->memory;
    builder->memory += (bytes + 15) & ~(size_t)15;
    return taken;
}

/* A base row gives a share to each process phase that moved it, any other row one. */
static size_t most_shares(const struct ca_region *region, size_t region_bytes) {
    return rows_of(region, region_bytes) +
           (size_t)ca_at_most(region->header.slot_count, CA_SLOT_CAPACITY) * 2;
}

/* Room for what a running program may add between the measuring and the building. */
#define SPARE_PHASES 64u
#define SPARE_SLOTS  256u

size_t ca_record_build_bytes(const struct ca_region *region, size_t region_bytes) {
    if (region_bytes < sizeof *region)
        return 16;
    size_t phase_count = phases_of(region) + SPARE_PHASES;
    size_t slot_count = ca_at_most(region->header.slot_count, CA_SLOT_CAPACITY) + SPARE_SLOTS;
    size_t share_count = most_shares(region, region_bytes) + 4 * SPARE_SLOTS;
    return phase_count * (sizeof(struct ca_record_phase) + 2 * sizeof(uint32_t)) +
           share_count * sizeof(struct ca_share) + slot_count * sizeof(struct ca_record_thread) +
           CA_IMAGE_CAPACITY * sizeof(struct ca_record_process) + 256 +
           ca_record_sites_bytes(region, region_bytes);
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

/* "glibc" when libc serves malloc itself, else the file name of whoever does, up to its first dot:
 * "libjemalloc". */
static void name_allocator(struct ca_text *text, const struct ca_image *image) {
    const char *name = ca_plain_basename(image->allocator);
    if (ca_plain_begins_with(name, "libc.") || ca_plain_begins_with(name, "ld-musl"))
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

static void describe_processes(struct ca_builder *builder) {
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

static void judge_coverage(struct ca_builder *builder) {
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
    struct ca_builder builder = {.record = record, .region = region, .memory = memory};
    builder.row_count = rows_of(region, region_bytes);
    builder.slot_count =
        ca_at_most(__atomic_load_n(&header->slot_count, __ATOMIC_ACQUIRE), CA_SLOT_CAPACITY);
    builder.image_count =
        ca_at_most(__atomic_load_n(&header->image_count, __ATOMIC_ACQUIRE), CA_IMAGE_CAPACITY);
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
        record->has_allocator_bytes = (last->flags & CA_IMAGE_STATISTICS) != 0;
        record->allocator_used_bytes = last->allocator_used_bytes;
        record->allocator_held_bytes = last->allocator_held_bytes;
        record->allocator_active_bytes = last->allocator_active_bytes;
    }
    ca_builder_list_phases(&builder);
    describe_processes(&builder);
    judge_coverage(&builder);
    ca_builder_add_shares(&builder, shares);
    ca_builder_settle_live(&builder);
    choose_total_units(record);
    ca_builder_note_losses(&builder);
    ca_builder_note_images(&builder);
    size_t used_bytes = (size_t)(builder.memory - (char *)memory);
    if (used_bytes < memory_bytes)
        ca_record_build_sites(record, region, region_bytes, builder.place, builder.phase_count,
                              builder.memory, memory_bytes - used_bytes);
    if (builder.is_damaged)
        ca_record_note(record, "the counter region is damaged: some of its links lead nowhere");
    return true;
}
