/* SPDX-License-Identifier: MIT
 *
 * From a region's table of call sites to those of a record. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/region_init.h"
#include "interpose/report/record.h"

static const struct ca_wanted wanted = {.is_live = true, .stack_depth = 8, .sample_bytes = 4096};

static struct ca_region *region;
static size_t region_bytes;
static struct ca_site_table *table;
static struct ca_record record;
static void *memory;

/* One thread: its base row is row 2, its row for the phase "scan" row 3. 10 allocations of 160 bytes
 * in main, 7 of 112 in scan. */
static void make_region(void) {
    region_bytes = CA_REGION_BYTES_MIN + CA_SITES_BYTES;
    region_bytes = (region_bytes + 4095) & ~(size_t)4095;
    region = calloc(1, region_bytes);
    cr_assert_not_null(region);
    ca_region_init(region, region_bytes, 1, 2, &wanted);
    cr_assert_neq(region->header.sites_offset, 0);
    table = (struct ca_site_table *)(void *)((char *)region + region->header.sites_offset);
    struct ca_image *image = &region->images[0];
    image->state = CA_IMAGE_ATTACHED;
    image->switch_count = 1;
    image->switch_phase[0] = CA_PHASE_MAIN;
    region->header.image_count = 1;
    region->header.row_count = 4;
    region->header.slot_count = 2;
    region->header.phase_count = CA_PHASE_FIRST_OWN + 1;
    region->header.thread_count = 1;
    strcpy(region->phases[CA_PHASE_FIRST_OWN].name, "scan");
    region->phases[CA_PHASE_FIRST_OWN].state = 1;
    struct ca_row *rows = region->rows;
    rows[2] = (struct ca_row){.size_limit_bytes = CA_SIZE_LIMIT, .slot = 1, .bytes_requested = 160};
    rows[2].size_class[1] = 10;
    rows[2].calloc_calls = 4;
    rows[3] = (struct ca_row){.size_limit_bytes = CA_SIZE_LIMIT, .slot = 1, .bytes_requested = 112};
    rows[3].size_class[1] = 7;
    rows[3].phase = CA_PHASE_FIRST_OWN;
    rows[3].opened = 1;
    region->slots[1] = (struct ca_slot){
        .number = 1, .thread_count = 1, .base_row = 2, .phase_rows = 3, .current_row = 2};
    table->modules[1] = (struct ca_module){
        .state = 1, .build_id_bytes = 2, .build_id = {0xab, 0xcd}, .path = "/bin/program"};
    table->modules[2] = (struct ca_module){.state = 1,
                                           .is_gone = 1,
                                           .build_id_bytes = 2,
                                           .build_id = {0xab, 0xcd},
                                           .path = "/bin/program"};
    table->module_count = 3;
}

static void add_site(uint64_t tag, uint32_t module, uint64_t offset, uint64_t allocations) {
    table->sites[table->site_count++] = (struct ca_site){.key = 1,
                                                         .tag = tag,
                                                         .caller = {offset, module, 0},
                                                         .frame_count = 1,
                                                         .allocations = allocations,
                                                         .bytes_requested = allocations * 16};
}

static uint64_t tag_of(uint32_t row, uint32_t phase, uint64_t kind) {
    return ca_site_tag(row) | phase | kind << CA_TAG_KIND_SHIFT;
}

static void build(void) {
    size_t memory_bytes = ca_record_build_bytes(region, region_bytes);
    free(memory);
    memory = calloc(1, memory_bytes);
    cr_assert_not_null(memory);
    cr_assert(ca_record_build(&record, region, region_bytes, memory, memory_bytes));
}

static void release(void) {
    free(memory);
    free(region);
}

TestSuite(record_sites, .init = make_region, .fini = release);

static uint64_t sum_of(uint32_t phase) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < record.site_count; i++)
        sum += record.sites[i].phase == phase ? record.sites[i].allocations : 0;
    return sum;
}

Test(record_sites, one_place_is_one_site_whatever_the_kind_and_the_life_of_its_module) {
    add_site(tag_of(2, CA_PHASE_MAIN, 0), 1, 0x100, 3);
    add_site(tag_of(2, CA_PHASE_MAIN, 1), 2, 0x100, 4);
    add_site(tag_of(2, CA_PHASE_MAIN, 0), 1, 0x200, 3);
    add_site(tag_of(3, 0, 0), 1, 0x100, 7);
    build();
    cr_assert_eq(record.phase_count, 2);
    cr_assert_eq(record.module_count, 1);
    cr_assert_eq(record.frames_count, 2);
    cr_assert_eq(record.site_count, 3);
    cr_assert_eq(record.sites[0].phase, 0);
    cr_assert_eq(record.sites[0].allocations, 7);
    cr_assert_eq(record.sites[0].malloc_calls, 3);
    cr_assert_eq(record.sites[0].calloc_calls, 4);
    cr_assert_eq(record.sites[0].bytes_requested, 112);
    cr_assert_eq(record.sites[1].allocations, 3);
    cr_assert_eq(record.sites[2].phase, 1);
    cr_assert_eq(record.frames[record.sites[2].frames[0]].offset, 0x100);
    cr_assert_eq(record.stack_depth, 8);
}

Test(record_sites, what_no_site_has_is_shown_as_that) {
    add_site(tag_of(2, CA_PHASE_MAIN, 1), 1, 0x100, 4);
    build();
    cr_assert_eq(record.site_count, 3);
    cr_assert_eq(sum_of(0), 10);
    cr_assert_eq(record.sites[1].frame_count, 0);
    cr_assert_eq(record.sites[1].allocations, 6);
    cr_assert_eq(record.sites[1].malloc_calls, 6);
    cr_assert_eq(record.sites[1].bytes_requested, 96);
    cr_assert_eq(record.sites[2].frame_count, 0);
    cr_assert_eq(record.sites[2].allocations, 7);
}

Test(record_sites, more_than_the_phase_has_is_noted) {
    add_site(tag_of(3, 0, 0), 1, 0x100, 9);
    build();
    cr_assert_eq(sum_of(1), 9);
    bool is_noted = false;
    for (uint32_t i = 0; i < record.note_count; i++)
        is_noted |= strstr(record.notes[i], "phase scan have 2 allocations more than") != NULL;
    cr_assert(is_noted);
}

Test(record_sites, stacks_differ_by_frames_and_by_their_end) {
    table->frames[1] = (struct ca_frame){0x300, 1, 0};
    table->frames[2] = (struct ca_frame){0x400, 0, 0};
    table->frame_count = 3;
    for (int i = 0; i < 4; i++)
        add_site(tag_of(2, CA_PHASE_MAIN, 0), 1, 0x100, 1);
    table->sites[1].frames = table->sites[2].frames = 1;
    table->sites[1].frame_count = 2;
    table->sites[2].frame_count = 3;
    table->sites[3].flags = CA_SITE_CUT;
    build();
    cr_assert_eq(record.site_count, 6); /* and two rests */
    cr_assert_eq(record.frames_count, 3);
    for (uint32_t i = 0; i < record.frames_count; i++)
        cr_assert_eq(record.frames[i].module, record.frames[i].offset == 0x400 ? CA_NO_MODULE : 0);
}

Test(record_sites, samples_stand_beside) {
    add_site(tag_of(3, 0, 0) | CA_TAG_SAMPLED, 1, 0x100, 256 * 5 + 128);
    table->sites[1].samples = 3;
    add_site(tag_of(2, CA_PHASE_MAIN, 0), 1, 0x100, 10);
    build();
    cr_assert_eq(record.sample_count, 1);
    cr_assert_eq(record.samples[0].phase, 1);
    cr_assert_eq(record.samples[0].allocations, 6); /* 5.5, rounded */
    cr_assert_eq(record.samples[0].samples, 3);
    cr_assert_eq(sum_of(0), 10);
    cr_assert_eq(sum_of(1), 7);
}

Test(record_sites, links_that_lead_nowhere_are_left_out) {
    add_site(tag_of(900, 0, 0), 1, 0x100, 1);                   /* no such row */
    add_site(tag_of(2, CA_PHASE_CAPACITY - 1, 0), 1, 0x100, 1); /* no such phase */
    add_site(tag_of(2, CA_PHASE_MAIN, 0), 1, 0x100, 1);
    table->sites[3].frame_count = 5; /* no such frames */
    table->sites[3].frames = 900000;
    add_site(tag_of(2, CA_PHASE_MAIN, 0), 77777, 0x100, 2); /* no such module */
    build();
    cr_assert_eq(record.site_count, 3);
    cr_assert_eq(record.sites[0].allocations, 2);
    cr_assert_eq(record.frames[record.sites[0].frames[0]].module, CA_NO_MODULE);
    cr_assert_eq(sum_of(0), 10);
}

/* Whatever a damaged region says, its reader stays inside of it. */
Test(record_sites, any_bytes_make_a_record) {
    uint64_t state = 88172645463325252u;
    for (int round = 0; round < 20; round++) {
        table->site_count = 300;
        table->frame_count = (uint32_t)(state % 5000);
        table->module_count = (uint32_t)(state >> 50);
        uint64_t *words = (uint64_t *)(void *)&table->sites[1];
        for (size_t i = 0; i < 299 * sizeof(struct ca_site) / sizeof *words; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            words[i] = state >> (state % 64);
        }
        for (size_t i = 1; i < 300; i += 2) { /* half of them nearly right: they share frames */
            table->sites[i].tag = tag_of(2, CA_PHASE_MAIN, i % 4);
            table->sites[i].frames = (uint32_t)i;
            table->sites[i].frame_count = (uint16_t)(table->frame_count % 3000);
        }
        build();
        for (uint32_t i = 0; i < record.site_count; i++)
            for (uint32_t k = 0; k < record.sites[i].frame_count; k++)
                cr_assert_lt(record.sites[i].frames[k], record.frames_count);
    }
}
