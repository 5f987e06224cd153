/* SPDX-License-Identifier: MIT */
#include "region_init.h"

#include "plain.h"

static void enter_phase(struct ca_region *region, uint16_t phase, const char *name) {
    ca_plain_copy(region->phases[phase].name, name, CA_PHASE_NAME_SIZE);
    region->phases[phase].state = 1;
    uint64_t cell = ca_name_hash(name);
    while (region->phase_hash[cell % CA_PHASE_HASH_SIZE] != 0)
        cell++;
    region->phase_hash[cell % CA_PHASE_HASH_SIZE] = phase;
}

uint32_t ca_region_row_capacity(size_t region_bytes) {
    if (region_bytes < sizeof(struct ca_region))
        return 0;
    size_t row_count = (region_bytes - sizeof(struct ca_region)) / sizeof(struct ca_row);
    return row_count < UINT32_MAX ? (uint32_t)row_count : UINT32_MAX;
}

static bool has_sites(const struct ca_wanted *wanted) {
    return wanted->stack_depth != 0 || wanted->sample_bytes != 0;
}

size_t ca_region_bytes_for(const struct ca_wanted *wanted) {
    return CA_REGION_BYTES + (has_sites(wanted) ? CA_SITES_BYTES : 0);
}

static void place_sites(struct ca_region *region, const struct ca_wanted *wanted) {
    struct ca_header *header = &region->header;
    header->stack_depth = wanted->stack_depth;
    header->sample_bytes = wanted->sample_bytes;
    if (!has_sites(wanted) || header->region_bytes < CA_REGION_BYTES_MIN + CA_SITES_BYTES)
        return;
    header->sites_offset = (header->region_bytes - CA_SITES_BYTES) & ~(uint64_t)4095;
    header->row_capacity = ca_region_row_capacity(header->sites_offset);
    struct ca_site_table *table = (void *)((char *)region + header->sites_offset);
    table->module_count = table->site_count = table->frame_count = 1;
}

void ca_region_init(struct ca_region *region, size_t region_bytes, uint32_t creator_pid,
                    uint32_t target_pid, const struct ca_wanted *wanted) {
    struct ca_header *header = &region->header;
    header->version = CA_REGION_VERSION;
    header->byte_order = CA_REGION_BYTE_ORDER;
    header->region_bytes = region_bytes;
    header->rules = CA_COUNTING_RULES;
    header->row_capacity = ca_region_row_capacity(region_bytes);
    header->creator_pid = creator_pid;
    header->target_pid = target_pid;
    header->is_live_wanted = wanted->is_live;
    header->slot_count = 1;
    header->row_count = 2;
    header->phase_count = CA_PHASE_FIRST_OWN;
    enter_phase(region, CA_PHASE_OVERFLOW, "(other)");
    enter_phase(region, CA_PHASE_STARTUP, "startup");
    enter_phase(region, CA_PHASE_MAIN, "main");
    enter_phase(region, CA_PHASE_EXIT, "exit");
    region->rows[1].phase = CA_PHASE_OVERFLOW;
    place_sites(region, wanted);
    __atomic_store_n(&header->magic, CA_REGION_MAGIC, __ATOMIC_RELEASE);
}
