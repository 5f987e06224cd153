/* SPDX-License-Identifier: MIT
 *
 * The entries that only macOS has, those of macOS 11: each in a phase of its own, and all of it
 * twice, so that each comes after each.
 *
 * expect: phase.reallocf.realloc=6 phase.reallocf.free=2 phase.reallocf.frees=6
 * expect: phase.reallocf.failed=0 phase.reallocf.bytes_requested=2820 phase.reallocf.bytes_live=0
 * expect: phase.vfree.aligned=4 phase.vfree.free=4 phase.vfree.free_null=2
 * expect: phase.zone.malloc=8 phase.zone.calloc=4 phase.zone.realloc=6 phase.zone.aligned=8
 * expect: phase.zone.free=20 phase.zone.frees=26 phase.zone.free_null=4 phase.zone.live_blocks=0
 * expect: phase.zone.bytes_requested=16988 phase.zone.bytes_live=0
 * expect: phase.batch.malloc=14 phase.batch.free=14 phase.batch.bytes_requested=672
 * expect: phase.batch.bytes_live=0
 * expect: phase.mixed.malloc=2 phase.mixed.realloc=2 phase.mixed.frees=4 phase.mixed.bytes_live=0
 * expect: phase.main.allocations=0 phase.main.frees=0
 */
#include "victim.h"

extern void vfree(void *block);

static void from_zone(malloc_zone_t *zone) {
    void *blocks[10];
    for (int i = 0; i < 4; i++)
        blocks[i] = malloc_zone_malloc(zone, 10);
    blocks[4] = malloc_zone_calloc(zone, 3, 7);
    blocks[5] = malloc_zone_calloc(zone, 1, 33);
    for (int i = 0; i < 33; i++)
        CHECK(((char *)blocks[5])[i] == 0);
    blocks[6] = malloc_zone_valloc(zone, 100);
    CHECK(is_aligned(blocks[6], 4096));
    blocks[7] = malloc_zone_valloc(zone, 200);
    blocks[8] = malloc_zone_memalign(zone, 64, 1000);
    CHECK(is_aligned(blocks[8], 64));
    blocks[9] = malloc_zone_memalign(zone, 256, 2000);
    CHECK(is_aligned(blocks[9], 256));
    blocks[0] = malloc_zone_realloc(zone, blocks[0], 1000);
    blocks[0] = malloc_zone_realloc(zone, blocks[0], 2000);
    blocks[1] = malloc_zone_realloc(zone, blocks[1], 2100);
    for (int i = 0; i < 10; i++)
        malloc_zone_free(zone, blocks[i]);
    malloc_zone_free(zone, NULL);
    malloc_zone_free(zone, NULL);
}

static void round_of_all(void) {
    countalloc_phase_begin("reallocf");
    void *block = reallocf(NULL, 10);
    block = reallocf(block, 400);
    block = reallocf(block, 1000);
    CHECK(block != NULL);
    free(block);
    countalloc_phase_end();

    countalloc_phase_begin("vfree");
    vfree(valloc(10));
    vfree(valloc(20));
    vfree(NULL);
    countalloc_phase_end();

    malloc_zone_t *zone = malloc_default_zone();
    countalloc_phase_begin("zone");
    from_zone(zone);
    countalloc_phase_end();

    void *blocks[7];
    countalloc_phase_begin("batch");
    CHECK(malloc_zone_batch_malloc(zone, 48, blocks, 7) == 7);
    malloc_zone_batch_free(zone, blocks, 7);
    countalloc_phase_end();

    countalloc_phase_begin("mixed");
    block = malloc(10);
    block = malloc_zone_realloc(zone, block, 20);
    free(block);
    countalloc_phase_end();
}

int main(void) {
    round_of_all();
    round_of_all();
    return 0;
}
