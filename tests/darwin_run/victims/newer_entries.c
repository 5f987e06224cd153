/* SPDX-License-Identifier: MIT
 *
 * The entries that are newer than macOS 11: malloc_type_* (14), *_with_options (26), reallocarray
 * and reallocarrayf; all of it twice, so that each comes after each. On a system without them
 * nothing is called.
 *
 * expect: phase.type.malloc=10 phase.type.calloc=4 phase.type.realloc=6 phase.type.aligned=10
 * expect: phase.type.free=26 phase.type.frees=30 phase.type.free_null=2 phase.type.failed=0
 * expect: phase.type.bytes_requested=23062 phase.type.bytes_live=0
 * expect: phase.type_zone.malloc=6 phase.type_zone.calloc=4 phase.type_zone.realloc=4
 * expect: phase.type_zone.aligned=6 phase.type_zone.free=18 phase.type_zone.frees=20
 * expect: phase.type_zone.free_null=2 phase.type_zone.bytes_requested=6548
 * expect: phase.type_zone.bytes_live=0
 * expect: phase.options.malloc=4 phase.options.calloc=2 phase.options.aligned=2
 * expect: phase.options.free=8 phase.options.bytes_requested=640 phase.options.bytes_live=0
 * expect: phase.array.realloc=8 phase.array.failed=4 phase.array.free=4 phase.array.frees=8
 * expect: phase.array.bytes_requested=2200 phase.array.bytes_live=0
 */
#include "victim.h"

#define NEWER extern __attribute__((weak_import))

typedef unsigned long long type_id;

NEWER void *reallocarray(void *old, size_t count, size_t each);
NEWER void *reallocarrayf(void *old, size_t count, size_t each);
NEWER void *malloc_type_malloc(size_t size, type_id type);
NEWER void *malloc_type_calloc(size_t count, size_t each, type_id type);
NEWER void malloc_type_free(void *block, type_id type);
NEWER void *malloc_type_realloc(void *old, size_t size, type_id type);
NEWER void *malloc_type_valloc(size_t size, type_id type);
NEWER void *malloc_type_aligned_alloc(size_t alignment, size_t size, type_id type);
NEWER int malloc_type_posix_memalign(void **ret, size_t alignment, size_t size, type_id type);
NEWER void *malloc_type_zone_malloc(malloc_zone_t *zone, size_t size, type_id type);
NEWER void *malloc_type_zone_calloc(malloc_zone_t *zone, size_t count, size_t each, type_id type);
NEWER void malloc_type_zone_free(malloc_zone_t *zone, void *block, type_id type);
NEWER void *malloc_type_zone_realloc(malloc_zone_t *zone, void *old, size_t size, type_id type);
NEWER void *malloc_type_zone_valloc(malloc_zone_t *zone, size_t size, type_id type);
NEWER void *malloc_type_zone_memalign(malloc_zone_t *zone, size_t alignment, size_t size,
                                      type_id type);
NEWER void *malloc_zone_malloc_with_options(malloc_zone_t *zone, size_t alignment, size_t size,
                                            uint64_t options);
NEWER void *malloc_type_zone_malloc_with_options(malloc_zone_t *zone, size_t alignment, size_t size,
                                                 type_id type, uint64_t options);

static void of_type(void) {
    const type_id type = 0x1234;
    void *blocks[13];
    for (int i = 0; i < 5; i++)
        blocks[i] = malloc_type_malloc(20, type);
    blocks[5] = malloc_type_calloc(3, 7, type);
    blocks[6] = malloc_type_calloc(5, 2, type);
    blocks[7] = malloc_type_valloc(100, type);
    blocks[8] = malloc_type_valloc(200, type);
    blocks[9] = malloc_type_aligned_alloc(64, 128, type);
    blocks[10] = malloc_type_aligned_alloc(128, 256, type);
    CHECK(malloc_type_posix_memalign(&blocks[11], 512, 516, type) == 0);
    CHECK(is_aligned(blocks[11], 512));
    blocks[0] = malloc_type_realloc(blocks[0], 200, type);
    blocks[0] = malloc_type_realloc(blocks[0], 5000, type);
    blocks[12] = malloc_type_realloc(NULL, 5000, type);
    for (int i = 0; i < 13; i++)
        malloc_type_free(blocks[i], type);
    malloc_type_free(NULL, type);
}

static void of_type_and_zone(malloc_zone_t *zone) {
    const type_id type = 0x4321;
    void *blocks[9];
    for (int i = 0; i < 3; i++)
        blocks[i] = malloc_type_zone_malloc(zone, 30, type);
    blocks[3] = malloc_type_zone_calloc(zone, 4, 6, type);
    blocks[4] = malloc_type_zone_calloc(zone, 1, 60, type);
    blocks[5] = malloc_type_zone_valloc(zone, 300, type);
    blocks[6] = malloc_type_zone_memalign(zone, 64, 500, type);
    blocks[7] = malloc_type_zone_memalign(zone, 64, 600, type);
    blocks[0] = malloc_type_zone_realloc(zone, blocks[0], 800, type);
    blocks[8] = malloc_type_zone_realloc(zone, NULL, 900, type);
    for (int i = 0; i < 9; i++)
        malloc_type_zone_free(zone, blocks[i], type);
    malloc_type_zone_free(zone, NULL, type);
}

static void with_options(malloc_zone_t *zone) {
    void *blocks[4];
    blocks[0] = malloc_zone_malloc_with_options(zone, 0, 50, 0);
    blocks[1] = malloc_zone_malloc_with_options(zone, 0, 70, 1);
    for (int i = 0; i < 70; i++)
        CHECK(((char *)blocks[1])[i] == 0);
    blocks[2] = malloc_type_zone_malloc_with_options(zone, 64, 90, 7, 0);
    CHECK(is_aligned(blocks[2], 64));
    blocks[3] = malloc_type_zone_malloc_with_options(zone, 0, 110, 7, 0);
    for (int i = 0; i < 4; i++)
        free(blocks[i]);
}

/* Products that overflow are refused and leave the block. */
static void arrays(void) {
    void *block = reallocarray(NULL, 10, 10);
    block = reallocarray(block, 20, 10);
    CHECK(reallocarray(block, SIZE_MAX / 2, 3) == NULL && errno == ENOMEM);
    free(block);
    block = reallocarrayf(NULL, 30, 10);
    CHECK(reallocarrayf(block, SIZE_MAX / 2, 3) == NULL && errno == ENOMEM);
    block = reallocarrayf(block, 50, 10);
    free(block);
}

static void round_of_all(void) {
    malloc_zone_t *zone = malloc_default_zone();
    countalloc_phase_begin("type");
    of_type();
    countalloc_phase_end();
    countalloc_phase_begin("type_zone");
    of_type_and_zone(zone);
    countalloc_phase_end();
    countalloc_phase_begin("options");
    with_options(zone);
    countalloc_phase_end();
    countalloc_phase_begin("array");
    arrays();
    countalloc_phase_end();
}

int main(void) {
    for (int i = 0; i < 2 && &malloc_type_malloc != NULL; i++)
        round_of_all();
    return 0;
}
