/* SPDX-License-Identifier: MIT
 *
 * Calls that fail: each has its errno, counts as failed and as nothing else; a realloc that fails
 * leaves its block, a reallocf frees it.
 *
 * expect: phase.malloc.failed=3 phase.malloc.allocations=0 phase.malloc.frees=0
 * expect: phase.realloc.failed=2 phase.realloc.malloc=1 phase.realloc.realloc=0
 * expect: phase.realloc.free=1 phase.realloc.frees=1 phase.realloc.bytes_live=0
 * expect: phase.reallocf.failed=2 phase.reallocf.malloc=2 phase.reallocf.realloc=0
 * expect: phase.reallocf.free=2 phase.reallocf.frees=2 phase.reallocf.bytes_live=0
 * expect: phase.aligned.failed=6 phase.aligned.allocations=0
 * expect: phase.zone.failed=4 phase.zone.malloc=1 phase.zone.free=1 phase.zone.bytes_live=0
 * expect: phase.to_zero.realloc=3 phase.to_zero.malloc=1 phase.to_zero.frees=4
 * expect: phase.to_zero.bytes_requested=10
 * expect: phase.to_zero.bytes_live=0 failed=17
 */
#include "victim.h"

#define TOO_MUCH ((size_t)1 << 62)

static volatile size_t too_much = TOO_MUCH;

/* The next call sets errno, by itself. */
#define REFUSED(call, number) (errno = 0, (call) == NULL && errno == (number))

int main(void) {
    malloc_zone_t *zone = malloc_default_zone();
    void *block, *aligned = &zone;

    countalloc_phase_begin("malloc");
    CHECK(REFUSED(malloc(too_much), ENOMEM));
    CHECK(REFUSED(calloc(too_much, 8), ENOMEM));
    CHECK(REFUSED(realloc(NULL, too_much), ENOMEM));
    countalloc_phase_end();

    countalloc_phase_begin("realloc");
    block = malloc(100);
    memset(block, 'x', 100);
    CHECK(REFUSED(realloc(block, too_much), ENOMEM));
    CHECK(REFUSED(malloc_zone_realloc(zone, block, too_much), ENOMEM));
    CHECK(((char *)block)[99] == 'x');
    free(block);
    countalloc_phase_end();

    countalloc_phase_begin("reallocf");
    CHECK(REFUSED(reallocf(malloc(100), too_much), ENOMEM));
    CHECK(REFUSED(reallocf(malloc(200), too_much), ENOMEM));
    countalloc_phase_end();

    countalloc_phase_begin("aligned");
    CHECK(posix_memalign(&aligned, 3, 10) == EINVAL && aligned == &zone);
    CHECK(posix_memalign(&aligned, 64, too_much) == ENOMEM && aligned == &zone);
    CHECK(REFUSED(aligned_alloc(64, 10), EINVAL));
    CHECK(REFUSED(aligned_alloc(64, too_much), ENOMEM));
    CHECK(REFUSED(valloc(too_much), ENOMEM));
    CHECK(REFUSED(malloc_zone_memalign(zone, 64, too_much), ENOMEM));
    countalloc_phase_end();

    countalloc_phase_begin("zone");
    CHECK(REFUSED(malloc_zone_malloc(zone, too_much), ENOMEM));
    CHECK(REFUSED(malloc_zone_calloc(zone, too_much, 8), ENOMEM));
    CHECK(REFUSED(malloc_zone_valloc(zone, too_much), ENOMEM));
    CHECK(REFUSED(malloc_zone_realloc(zone, NULL, too_much), ENOMEM));
    malloc_zone_free(zone, malloc_zone_malloc(zone, 10));
    countalloc_phase_end();

    countalloc_phase_begin("to_zero"); /* macOS gives a small block for the old one */
    block = realloc(malloc(10), 0);
    CHECK(block != NULL);
    block = reallocf(block, 0);
    CHECK(block != NULL);
    block = malloc_zone_realloc(zone, block, 0);
    CHECK(block != NULL);
    free(block);
    countalloc_phase_end();
    return 0;
}
