/* SPDX-License-Identifier: MIT
 *
 * Two hundred thousand calls of all kinds in an order given by a seed, against the victim's own
 * books.
 *
 * expect: allocations=@allocations frees=@frees malloc=@malloc calloc=@calloc realloc=@realloc
 * expect: aligned=@aligned free=@free free_null=@free_null failed=@failed bytes_requested=@bytes
 * expect: realloc_in_place=@in_place realloc_moved=@moved realloc_grown=@grown
 * expect: realloc_shrunk=@shrunk live_blocks=@live_blocks bytes_live=@live bytes_peak=@peak
 * expect: bytes_peak_error=0 size_histogram=@histogram
 */
#include "victim.h"

#define SLOTS 1024
#define CALLS 200000

static struct {
    int64_t malloc, calloc, realloc, aligned, free, free_null, failed, bytes, in_place, moved,
        grown, shrunk, released, live, peak;
} books;

/* By class: the largest size of each, and how many had one. */
static uint64_t upper[128];
static uint64_t counted[128];
static int class_count;

static uint64_t state = 20261103;

static uint64_t below(uint64_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % limit;
}

static int64_t usable(void *block) {
    return (int64_t)malloc_usable_size(block);
}

static void *take(void *block, size_t size, int64_t *kind) {
    CHECK(block != NULL);
    (*kind)++;
    int size_class = 0;
    while (size > upper[size_class])
        size_class++;
    counted[size_class]++;
    books.bytes += (int64_t)size;
    books.live += usable(block);
    if (books.live > books.peak)
        books.peak = books.live;
    return block;
}

static void give(void *block) {
    books.live -= usable(block);
    books.free += block != NULL;
    books.free_null += block == NULL;
    free(block);
}

static void *change(void *old, size_t size) {
    int64_t before = usable(old);
    void *block = realloc(old, size);
    if (old != NULL && block == NULL) {
        CHECK(size == 0);
        books.released++;
        books.live -= before;
        return NULL;
    }
    if (old != NULL) {
        books.in_place += block == old;
        books.moved += block != old;
        books.grown += usable(block) > before;
        books.shrunk += usable(block) < before;
    }
    books.live -= before;
    return take(block, size, &books.realloc);
}

/* One in four is at a border of a class, at most 4 MiB. */
static size_t some_size(void) {
    static const size_t limits[] = {16, 200, 1100, 5000, 200000};
    if (below(4) != 0)
        return below(limits[below(100) == 0 ? 4 : below(4)]);
    int size_class = (int)below(below(8) == 0 ? (uint64_t)class_count : 69);
    return upper[size_class] + below(3) - (upper[size_class] != 0);
}

int main(void) {
    static void *slots[SLOTS];
    for (uint64_t size = 0; size <= 1024; size += 16)
        upper[class_count++] = size;
    for (uint64_t size = 2048; size <= (uint64_t)4 << 20; size *= 2)
        upper[class_count++] = size;
    upper[class_count] = (uint64_t)8 << 20;
    volatile size_t huge = PTRDIFF_MAX - 4096;
    for (int i = 0; i < CALLS; i++) {
        void **slot = &slots[below(SLOTS)];
        size_t size = some_size();
        switch (below(8)) {
        case 0:
        case 1:
            give(*slot);
            *slot = take(malloc(size), size, &books.malloc);
            break;
        case 2:
            give(*slot);
            *slot = take(calloc(size / 4, 4), size / 4 * 4, &books.calloc);
            break;
        case 3:
            *slot = change(*slot, size);
            break;
        case 4:
            give(*slot);
            *slot = take(aligned_alloc((size_t)16 << below(8), size), size, &books.aligned);
            break;
        case 5:
            if (below(50) == 0) {
                CHECK(malloc(huge) == NULL);
                books.failed++;
            }
            break;
        default:
            give(*slot);
            *slot = NULL;
        }
    }
    say("allocations", books.malloc + books.calloc + books.realloc + books.aligned);
    say("frees", books.free + books.in_place + books.moved + books.released);
    say("malloc", books.malloc);
    say("calloc", books.calloc);
    say("realloc", books.realloc);
    say("aligned", books.aligned);
    say("free", books.free);
    say("free_null", books.free_null);
    say("failed", books.failed);
    say("bytes", books.bytes);
    say("in_place", books.in_place);
    say("moved", books.moved);
    say("grown", books.grown);
    say("shrunk", books.shrunk);
    say("live_blocks", books.malloc + books.calloc + books.realloc + books.aligned - books.free -
                           books.in_place - books.moved - books.released);
    say("live", books.live);
    say("peak", books.peak);
    victim_say_histogram(upper, counted, class_count + 1);
    return 0;
}
