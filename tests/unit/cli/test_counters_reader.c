/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/region_init.h"
#include "reader/record_reader.h"

#define REGION_BYTES (sizeof(struct ca_region) + 256 * sizeof(struct ca_row))

static struct ca_loaded_record loaded;
static struct ca_error err;

/* One thread that made three allocations in main. */
static struct ca_region *small_region(void) {
    struct ca_region *region = aligned_alloc(4096, (REGION_BYTES + 4095) & ~(size_t)4095);
    memset(region, 0, REGION_BYTES);
    ca_region_init(region, REGION_BYTES, 10, 11, &(struct ca_wanted){.is_live = true});
    struct ca_image *image = &region->images[0];
    *image = (struct ca_image){.state = CA_IMAGE_ATTACHED,
                               .flags = CA_IMAGE_LIVE,
                               .pid = 11,
                               .executable = "/bin/prog",
                               .arguments = "prog",
                               .argument_count = 1,
                               .allocator = "/lib/libc.so.6",
                               .libc = "glibc 2.36",
                               .usable = CA_USABLE_CALL,
                               .switch_count = 1,
                               .switch_phase = {CA_PHASE_MAIN}};
    region->header.image_count = 1;
    region->header.slot_count = 2;
    region->header.row_count = 3;
    region->header.thread_count = 1;
    region->slots[1] = (struct ca_slot){
        .thread_key = 4096, .number = 1, .thread_count = 1, .base_row = 2, .current_row = 2};
    region->rows[2].size_limit_bytes = CA_SIZE_LIMIT;
    region->rows[2].slot = 1;
    region->rows[2].bytes_requested = 30;
    region->rows[2].size_class[1] = 3;
    return region;
}

static enum ca_status load(struct ca_region *region, size_t byte_count) {
    ca_loaded_record_release(&loaded);
    loaded = (struct ca_loaded_record){0};
    return ca_record_load_counters(&loaded, (char *)region, byte_count, "c", &err);
}

static void drop(void *target, const char *bytes, size_t byte_count) {
    (void)target, (void)bytes, (void)byte_count;
}

static void write_all(void) {
    static struct ca_out out;
    ca_out_init(&out, drop, NULL);
    ca_record_write_text(&loaded.record, &out);
    ca_record_write_json(&loaded.record, &out);
    ca_out_flush(&out);
}

Test(counters_reader, reads_what_a_thread_did) {
    cr_assert_eq(load(small_region(), REGION_BYTES), CA_OK, "%s", err.message);
    cr_assert_eq(loaded.record.total.allocations, 3);
    cr_assert_eq(loaded.record.total.bytes_requested, 30);
    cr_assert_str_eq(loaded.record.name, "prog");
    cr_assert_eq(loaded.record.level, CA_LEVEL_FULL);
}

Test(counters_reader, without_an_image_nothing_was_measured) {
    struct ca_region *region = small_region();
    region->header.image_count = 0;
    cr_assert_eq(load(region, REGION_BYTES), CA_OK);
    cr_assert_not(loaded.record.is_attached);
    cr_assert_eq(loaded.record.level, CA_LEVEL_NONE);
}

Test(counters_reader, image_that_became_another_makes_it_partial) {
    struct ca_region *region = small_region();
    strcpy(region->images[0].exec_path, "/bin/static");
    cr_assert_eq(load(region, REGION_BYTES), CA_OK);
    cr_assert_eq(loaded.record.level, CA_LEVEL_PARTIAL);
    cr_assert_not_null(strstr(loaded.record.notes[0], "/bin/static"));
}

Test(counters_reader, other_versions_and_cut_files_are_refused) {
    struct ca_region *region = small_region();
    cr_assert_eq(load(region, REGION_BYTES - 1), CA_ERROR_INPUT);
    cr_assert_eq(load(region, 8), CA_ERROR_INPUT);
    region->header.version = CA_REGION_VERSION + 1;
    cr_assert_eq(load(region, REGION_BYTES), CA_ERROR_INPUT);
    cr_assert_not_null(strstr(err.message, "version 3"));
    region->header.version = CA_REGION_VERSION;
    region->header.magic = __builtin_bswap64(CA_REGION_MAGIC);
    cr_assert_eq(load(region, REGION_BYTES), CA_ERROR_INPUT);
}

static uint32_t wild(void) {
    static const uint32_t extremes[] = {0,    1,     2,          255,        256,
                                        4096, 16384, 0x7fffffff, 0x80000000, 0xffffffff};
    return rand() % 2 != 0 ? extremes[rand() % 10] : (uint32_t)rand() % 300;
}

static void damage(struct ca_region *region) {
    uint32_t *const fill_levels[] = {&region->header.image_count, &region->header.slot_count,
                                     &region->header.row_count, &region->header.phase_count,
                                     &region->header.row_capacity};
    for (int i = 0; i < 3; i++)
        *fill_levels[rand() % 5] = wild();
    for (int i = 0; i < 20; i++) {
        uint32_t *slot = (uint32_t *)&region->slots[rand() % 4];
        slot[(size_t)rand() % (sizeof region->slots[0] / 4)] = wild();
        uint32_t *row = &region->rows[rand() % 8].phase;
        row[rand() % 4] = wild();
        uint32_t *image = (uint32_t *)&region->images[rand() % 2];
        image[(size_t)rand() % (sizeof region->images[0] / 4)] = wild();
        uint32_t *phase = (uint32_t *)&region->phases[rand() % 8];
        phase[(size_t)rand() % (sizeof region->phases[0] / 4)] = wild();
    }
}

Test(counters_reader, damaged_files_do_no_harm) {
    struct ca_region *region = small_region();
    srand(1);
    for (int round = 0; round < 400; round++) {
        if (round % 4 == 0) {
            free(region);
            region = small_region();
        }
        damage(region);
        if (load(region, REGION_BYTES) == CA_OK)
            write_all();
    }
}

Test(counters_reader, strings_without_an_end_do_no_harm) {
    struct ca_region *region = small_region();
    memset(region->images[0].executable, 'x', sizeof region->images[0].executable);
    memset(region->images[0].exec_path, 'x', sizeof region->images[0].exec_path);
    memset(region->images[0].arguments, 'x', sizeof region->images[0].arguments);
    memset(region->phases[CA_PHASE_MAIN].name, 'x', sizeof region->phases[0].name);
    cr_assert_eq(load(region, REGION_BYTES), CA_OK);
    cr_assert_eq(strlen(loaded.record.executable), sizeof region->images[0].executable - 1);
    write_all();
}
