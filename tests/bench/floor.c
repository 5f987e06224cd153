/* SPDX-License-Identifier: MIT
 *
 * The floor under the figures of the bench: two libraries that do less than a counter must, built
 * from this file and preloaded like the shim, as variants of their own.
 *
 *     forward   malloc and free jump to glibc's: what preloading anything costs
 *     tail      counts, bytes and size classes per thread, then the same jump
 *
 * `tail` is the least that counts at all, and too little: its result is never looked at, so a
 * failed call is counted as an allocation; threads cannot be told apart from outside; no phase,
 * nesting or live bytes. What a ratio of `counts` has above it is the price of those; what it has
 * above 1 itself, no counter avoids on the processor at hand. glibc only. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define HOT_LIMIT_BYTES 1025 /* 0 in a thread that is not attached: the first call attaches it */
#define CLASS_COUNT     65

extern void *__libc_malloc(size_t size_bytes);
extern void __libc_free(void *block);

#ifdef CA_FLOOR_COUNTS

struct counters {
    uint64_t bytes_requested;
    uint64_t free_calls;
    uint64_t large_calls;
    uint64_t size_class[CLASS_COUNT];
};

struct here {
    size_t hot_limit_bytes;
    struct counters *counters;
};

static _Thread_local struct counters own_counters;
static _Thread_local __attribute__((tls_model("initial-exec"))) struct here here;

static __attribute__((noinline, cold)) void *count_cold(size_t size_bytes) {
    here.counters = &own_counters;
    here.hot_limit_bytes = HOT_LIMIT_BYTES;
    if (size_bytes < HOT_LIMIT_BYTES)
        own_counters.size_class[(size_bytes + 15) >> 4]++;
    else
        own_counters.large_calls++;
    own_counters.bytes_requested += size_bytes;
    return __libc_malloc(size_bytes);
}

void *malloc(size_t size_bytes) {
    if (__builtin_expect(size_bytes >= here.hot_limit_bytes, 0))
        return count_cold(size_bytes);
    struct counters *counters = here.counters;
    counters->size_class[(size_bytes + 15) >> 4]++;
    counters->bytes_requested += size_bytes;
    return __libc_malloc(size_bytes);
}

void free(void *block) {
    struct counters *counters = here.counters;
    if (__builtin_expect(counters != NULL, 1))
        counters->free_calls += block != NULL;
    __libc_free(block);
}

#else

void *malloc(size_t size_bytes) {
    return __libc_malloc(size_bytes);
}

void free(void *block) {
    __libc_free(block);
}

#endif
