/* SPDX-License-Identifier: MIT */
#include "commands/coverage.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ca_record record;
static struct ca_region *region;
static struct ca_target target = {.path = "./prog"};
static struct ca_outcome outcome;
static struct ca_error err;

static void init(void) {
    region = calloc(1, sizeof *region);
    record =
        (struct ca_record){.is_attached = true, .level = CA_LEVEL_FULL, .total.allocations = 1};
    region->header.image_count = 1;
    region->images[0].state = CA_IMAGE_ATTACHED;
}

static void fini(void) {
    free(region);
}

TestSuite(coverage, .init = init, .fini = fini);

static enum ca_status judge(void) {
    return ca_coverage_judge(&record, region, &target, &outcome, NULL, &err);
}

Test(coverage, attached_is_full) {
    record.total.allocations = 0;
    cr_assert_eq(judge(), CA_OK);
    cr_assert_eq(record.level, CA_LEVEL_FULL);
    cr_assert_eq(record.note_count, 0);
}

Test(coverage, no_handshake_is_not_measured) {
    record.is_attached = false;
    region->header.image_count = 0;
    outcome.exit_status = 3;
    ca_record_note(&record, "an older note");
    cr_assert_eq(judge(), CA_ERROR_UNCOUNTABLE);
    cr_assert_eq(record.level, CA_LEVEL_NONE);
    cr_assert_not_null(strstr(err.message, "never loaded"));
    cr_assert_not_null(strstr(err.message, "exited with status 3"));
    cr_assert_eq(record.note_count, 2);
    cr_assert_not_null(strstr(record.notes[0], "never loaded"));
    cr_assert_str_eq(record.notes[1], "an older note");
}

Test(coverage, malloc_of_somebody_else_is_named) {
    record.is_attached = false;
    region->images[0].state = CA_IMAGE_LOADED;
    strcpy(region->images[0].malloc_owner, "/lib/libother.so");
    cr_assert_eq(judge(), CA_ERROR_UNCOUNTABLE);
    char wanted[512];
    snprintf(wanted, sizeof wanted, "'./prog': its malloc calls go to /lib/libother.so%s",
             ca_target_disowned);
    cr_assert_str_eq(err.message, wanted);
}

Test(coverage, refusal_of_before_is_the_cause) {
    record.is_attached = false;
    struct ca_error refusal = {"it is static"};
    cr_assert_eq(ca_coverage_judge(&record, region, &target, &outcome, &refusal, &err),
                 CA_ERROR_UNCOUNTABLE);
    cr_assert_str_eq(err.message, "it is static");
}

Test(coverage, image_that_never_attached_makes_it_partial) {
    strcpy(region->images[0].exec_path, "/bin/static");
    cr_assert_eq(judge(), CA_OK);
    cr_assert_eq(record.level, CA_LEVEL_PARTIAL);
    cr_assert_not_null(strstr(record.notes[0], "/bin/static"));
}

Test(coverage, exec_into_an_attached_image_is_full) {
    strcpy(region->images[0].exec_path, "/bin/other");
    region->header.image_count = 2;
    region->images[1].state = CA_IMAGE_ATTACHED;
    cr_assert_eq(judge(), CA_OK);
    cr_assert_eq(record.level, CA_LEVEL_FULL);
}

Test(coverage, own_allocator_makes_it_partial_and_zero_unmeasured) {
    strcpy(target.image.allocator, "je_malloc");
    strcpy(target.warning, "it has its own");
    cr_assert_eq(judge(), CA_OK);
    cr_assert_eq(record.level, CA_LEVEL_PARTIAL);
    cr_assert_str_eq(record.notes[0], "it has its own");
    record.total.allocations = 0;
    cr_assert_eq(judge(), CA_ERROR_UNCOUNTABLE);
    cr_assert_eq(record.level, CA_LEVEL_NONE);
}

Test(coverage, operators_past_the_shim_make_a_total_of_0_unmeasured) {
    region->images[0].flags = CA_IMAGE_NEW_HIDDEN;
    cr_assert_eq(judge(), CA_OK);
    record.total.allocations = 0;
    cr_assert_eq(judge(), CA_ERROR_UNCOUNTABLE);
    cr_assert_eq(record.level, CA_LEVEL_NONE);
    cr_assert_str_eq(err.message,
                     "'./prog': no allocation was seen, but C++'s new and delete are those of an "
                     "allocator, which need no malloc; 'countalloc run --allocator' with its "
                     "library counts them");
    cr_assert_str_eq(record.notes[0], err.message);
}

Test(coverage, image_count_beyond_the_table_does_no_harm) {
    region->header.image_count = 0xffffffff;
    cr_assert_eq(judge(), CA_OK);
}
