/* SPDX-License-Identifier: MIT
 *
 * Nesting calls, on one row and an allocator that is played. */
#include <criterion/criterion.h>

#include <string.h>

#include "interpose/live.h"
#include "interpose/outermost_free.h"
#include "interpose/process_phase.h"
#include "interpose/start_test.h"
#include "interpose/thread.h"

#define ENTRY CA_ENTRY_FIRST_OF_SYSTEM

struct ca_shim_state ca_shim;
static struct ca_row row = {.slot = 1};
static char block[64];
static int64_t live_moved;
static uint32_t sites_counted;

struct ca_row *ca_thread_row(void) {
    return &row;
}
size_t ca_usable_bytes(void *of) {
    return of != NULL ? 48 : 0;
}
void ca_live_move(struct ca_row *in, int64_t moved) {
    cr_expect_eq(in, &row);
    live_moved += moved;
}
void ca_count_kind(struct ca_row *in, enum ca_kind kind) {
    in->realloc_calls += kind == CA_KIND_REALLOC;
}
void ca_count_block(struct ca_row *in, void *given, size_t size_bytes, enum ca_kind kind) {
    cr_expect_not_null(given);
    in->size_class[0]++;
    in->bytes_requested += size_bytes;
    ca_count_kind(in, kind);
}
void ca_site_count(struct ca_here here, size_t size_bytes, enum ca_kind kind) {
    (void)here, (void)size_bytes, (void)kind;
    sites_counted++;
}
void ca_site_move(struct ca_here here, size_t size_bytes, enum ca_kind kind) {
    (void)here, (void)size_bytes, (void)kind;
}
void ca_engine_choose(enum ca_stage stage) {
    ca_shim.stage = stage;
}

static void set_up(void) {
    ca_shim.stage = CA_STAGE_COUNTING;
    ca_shim.is_live = true;
    ca_shim.found.is_allocator_libc = true;
}

TestSuite(outermost_free, .init = set_up);

static const struct ca_here here = {0};

static void inner_free(void) {
    row.free_calls++;
    live_moved -= 48;
}

Test(outermost_free, a_free_that_calls_no_other_counts_once_and_settles) {
    struct ca_free_call call = ca_free_begin(ENTRY, block);
    cr_expect_eq(row.free_calls, 0, "counted before it is known whether it nests");
    ca_free_end(&call);
    cr_expect_eq(row.free_calls, 1);
    cr_expect_eq(live_moved, -48);
    call = ca_free_begin(ENTRY, block);
    cr_expect_eq(row.free_calls, 2, "a settled entry counts before the block is gone");
    ca_free_end(&call);
    cr_expect_eq(row.free_calls, 2);
    cr_expect_eq(live_moved, -96);
}

Test(outermost_free, a_free_that_calls_a_counted_one_counts_once_each_time) {
    for (int i = 0; i < 3; i++) {
        struct ca_free_call call = ca_free_begin(ENTRY, block);
        inner_free();
        ca_free_end(&call);
    }
    cr_expect_eq(row.free_calls, 3);
    cr_expect_eq(live_moved, -3 * 48);
    cr_expect_not(ca_shim.is_settled[ENTRY]);
}

Test(outermost_free, null_is_free_null_and_settles_nothing) {
    struct ca_free_call call = ca_free_begin(ENTRY, NULL);
    ca_free_end(&call);
    cr_expect_eq(row.free_null, 1);
    cr_expect_eq(row.free_calls, 0);
    cr_expect_eq(live_moved, 0);
    cr_expect_not(ca_shim.is_settled[ENTRY]);
}

Test(outermost_free, nothing_is_counted_while_the_shim_does_not_count) {
    void *blocks[] = {block};
    ca_shim.stage = CA_STAGE_INERT;
    struct ca_free_call call = ca_free_begin(ENTRY, block);
    ca_free_end(&call);
    ca_count_batch(blocks, 1, 8, here);
    ca_count_batch_free(blocks, 1);
    cr_expect_eq(row.free_calls, 0);
    cr_expect_eq(row.size_class[0], 0);
}

Test(outermost_free, a_reallocf_that_fails_is_a_failed_call_and_a_free) {
    struct ca_call call = ca_call_begin(ENTRY, block, 1000);
    ca_call_end_reallocf(&call, block, NULL, here);
    cr_expect_eq(row.failed_calls, 1);
    cr_expect_eq(row.free_calls, 1);
    cr_expect_eq(live_moved, -48);
}

Test(outermost_free, what_a_failing_reallocf_calls_is_not_counted_again) {
    struct ca_call call = ca_call_begin(ENTRY, block, 1000);
    row.failed_calls++;
    inner_free();
    ca_call_end_reallocf(&call, block, NULL, here);
    cr_expect_eq(row.failed_calls, 1);
    cr_expect_eq(row.free_calls, 1);
    cr_expect_eq(live_moved, -48);
}

Test(outermost_free, a_reallocf_that_succeeds_is_a_realloc) {
    struct ca_call call = ca_call_begin(ENTRY, block, 1000);
    ca_call_end_reallocf(&call, block, block, here);
    cr_expect_eq(row.realloc_calls, 1);
    cr_expect_eq(row.realloc_in_place, 1);
    cr_expect_eq(row.bytes_requested, 1000);
    cr_expect_eq(row.free_calls, 0);
    cr_expect_eq(row.failed_calls, 0);
}

Test(outermost_free, a_batch_counts_each_block) {
    void *blocks[] = {block, NULL, block + 1};
    ca_count_batch_free(blocks, 3);
    cr_expect_eq(row.free_calls, 2);
    cr_expect_eq(row.free_null, 1);
    blocks[1] = block + 2;
    ca_count_batch(blocks, 3, 24, here);
    cr_expect_eq(row.size_class[0], 3);
    cr_expect_eq(row.bytes_requested, 72);
    cr_expect_eq(sites_counted, 3);
}

Test(outermost_free, a_product_that_overflows_is_1) {
    cr_expect_eq(ca_product_or_one(3, 7), 21);
    cr_expect_eq(ca_product_or_one(0, 7), 0);
    cr_expect_not(ca_is_overflow(SIZE_MAX, 1));
    cr_expect(ca_is_overflow(SIZE_MAX / 2 + 1, 2));
    cr_expect_eq(ca_product_or_one(SIZE_MAX / 2 + 1, 2), 1);
}

Test(outermost_free, options_tell_the_kind) {
    cr_expect_eq(ca_kind_of_options(8, 0), CA_KIND_MALLOC);
    cr_expect_eq(ca_kind_of_options(16, 0), CA_KIND_MALLOC);
    cr_expect_eq(ca_kind_of_options(32, 0), CA_KIND_ALIGNED);
    cr_expect_eq(ca_kind_of_options(32, 1), CA_KIND_CALLOC);
}

/* ---- the start test ---- */

static uint64_t seen_allocations, seen_frees;

static void play(void) {
    cr_expect_eq(ca_shim.stage, CA_STAGE_BOOT);
    cr_expect_eq(ca_shim.where, CA_WHERE_NONE);
    ca_shim.boot_row.size_class[2] += seen_allocations;
    ca_shim.boot_row.free_calls += seen_frees;
}

static const char *test_with(uint64_t allocations, uint64_t frees) {
    seen_allocations = allocations;
    seen_frees = frees;
    return ca_start_test(play);
}

Test(start_test, passes_when_one_malloc_and_one_free_are_seen_and_leaves_nothing) {
    ca_shim.boot_row.size_class[2] = 5;
    ca_shim.boot_row.free_calls = 4;
    ca_shim.where = CA_WHERE_BOOT;
    cr_expect_null(test_with(1, 1));
    cr_expect_eq(ca_shim.boot_row.size_class[2], 5);
    cr_expect_eq(ca_shim.boot_row.free_calls, 4);
    cr_expect_eq(ca_shim.where, CA_WHERE_BOOT);
}

Test(start_test, refuses_when_either_is_missed_or_counted_twice) {
    cr_expect_not_null(strstr(test_with(0, 0), "neither a malloc nor a free"));
    cr_expect_not_null(strstr(test_with(0, 1), "its malloc was not"));
    cr_expect_not_null(strstr(test_with(1, 0), "its free was not"));
    cr_expect_not_null(strstr(test_with(2, 1), "more than once"));
    cr_expect_not_null(strstr(test_with(1, 2), "more than once"));
}
