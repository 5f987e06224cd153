/* SPDX-License-Identifier: MIT
 *
 * Each place that allocates is a site, with the kinds of its calls; what libc makes of others
 * (reallocarray) is the caller's.
 *
 * run: --sites
 * modes: run
 * expect: site.ten.malloc=10 site.ten.bytes_requested=80 site.three.calloc=3 site.three.malloc=0
 * expect: site.grow.realloc=4 site.grow.bytes_requested=1000 site.grow_array.realloc=2
 * expect: site.grow_array.bytes_requested=192 site.line_up.aligned=3 site.large.malloc=1
 * expect: site.large.bytes_requested=100000 site.twice.malloc=14 site_count=11
 * expect: rest.allocations=0 in.site_callers.allocations=37 allocations=37
 */
#include <malloc.h>

#include "victim.h"

static void ten(void) {
    for (int i = 0; i < 10; i++)
        free(malloc(8));
}

static void three(void) {
    for (int i = 0; i < 3; i++)
        free(calloc(2, 8));
}

static void grow(void) {
    void *block = NULL;
    for (size_t size = 100; size <= 400; size += 100)
        CHECK((block = realloc(block, size)) != NULL);
    free(block);
}

static void grow_array(void) {
    void *block = reallocarray(NULL, 8, 8);
    free(reallocarray(block, 8, 16));
}

static void line_up(void) {
    void *block;
    CHECK(posix_memalign(&block, 64, 128) == 0);
    free(block);
    free(aligned_alloc(64, 128));
    free(memalign(64, 128));
}

static void large(void) {
    free(malloc(100000));
}

/* Two places in one function. */
static void twice(void) {
    for (int i = 0; i < 7; i++) {
        void *first = malloc(1);
        void *second = malloc(2);
        free(first);
        free(second);
    }
}

int main(void) {
    ten();
    three();
    grow();
    grow_array();
    line_up();
    large();
    twice();
    volatile size_t most = SIZE_MAX;
    CHECK(malloc(most) == NULL);
    return 0;
}
