/* SPDX-License-Identifier: MIT
 *
 * A source whose malloc is an arena of its own: the shim is loaded and counts, but not these calls.
 */
#include <stdlib.h>

static char arena[1024];
static size_t used_bytes;

static void *arena_malloc(size_t size_bytes) {
    if (size_bytes > sizeof arena - used_bytes)
        return NULL;
    used_bytes += size_bytes;
    return arena + used_bytes - size_bytes;
}

static void arena_free(void *block) {
    (void)block;
}

#define malloc arena_malloc
#define free   arena_free
#include <countalloc/assert.h>

int main(void) {
    countalloc_assert_no_alloc {
        free(malloc(10));
    }
    return countalloc_skip_status();
}
