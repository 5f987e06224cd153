/* SPDX-License-Identifier: MIT */
#include "permitting_library.h"

static int is_failed;
#define COUNTALLOC_ASSERT_FAIL(file, line, message) (is_failed = 1)
#include <countalloc/assert.h>

static void *volatile kept;

void log_with_permission(void) {
    countalloc_permit_alloc {
        kept = malloc(10);
        free(kept);
    }
}

int library_block_sees(int malloc_calls) {
    is_failed = 0;
    countalloc_assert_allocs(==, malloc_calls) {
        for (int i = 0; i < malloc_calls; i++) {
            kept = malloc(10);
            free(kept);
        }
    }
    return !is_failed;
}
