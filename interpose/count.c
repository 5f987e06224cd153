/* SPDX-License-Identifier: MIT */
#include "count.h"

#include "lifecycle.h"
#include "process_phase.h"
#include "thread.h"

#define CA_COLD __attribute__((noinline, cold))
#define CA_HOT  static inline __attribute__((always_inline))

struct ca_row ca_row_unattached = {.cold_block = UINT64_MAX};
struct ca_row ca_row_overflowed = {.cold_block = UINT64_MAX};
_Thread_local struct ca_row *ca_row_here = &ca_row_unattached;

/* Serves what is asked for while the allocator below is being looked for, which by itself asks for
 * nothing. Blocks are never given back; 16-byte aligned, zeroed, with their size in front. */
static _Alignas(16) unsigned char arena[16384];
static size_t arena_used;

static bool is_in_arena(const void *block) {
    return (uintptr_t)block - (uintptr_t)arena < sizeof arena;
}

/* ---- adding, wherever the row is ---- */

static bool is_shared(const struct ca_row *row) {
    return row->slot == 0;
}

static void add(struct ca_row *row, uint64_t *counter, uint64_t amount) {
    if (is_shared(row))
        __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
    else
        ca_add(counter, amount);
}

/* ---- live bytes ---- */

/* glibc's chunk header: the size of the chunk in the word before the block, its three lowest bits
 * flags (malloc/malloc.c, "struct malloc_chunk"). A chunk in use lends its last word from the next
 * one, so 8 of its bytes are overhead; one that was mapped by itself cannot, and leaves the fast
 * path. */
#define CHUNK_FLAGS      7u
#define CHUNK_IS_MMAPPED 2u
#define CHUNK_OVERHEAD   8u

CA_HOT uint64_t chunk_header(const void *block) {
    return ((const uint64_t *)block)[-1];
}

CA_HOT uint64_t chunk_usable_bytes(uint64_t header) {
    return (header & ~(uint64_t)CHUNK_FLAGS) - CHUNK_OVERHEAD;
}

size_t ca_usable_bytes(void *block) {
    if (block == NULL || ca_shim.usable == CA_USABLE_NONE)
        return 0;
    if (ca_shim.usable == CA_USABLE_HEADER && (chunk_header(block) & CHUNK_IS_MMAPPED) == 0)
        return chunk_usable_bytes(chunk_header(block));
    return ca_next.usable_size(block);
}

void ca_raise(int64_t *peak, int64_t figure) {
    int64_t seen = __atomic_load_n(peak, __ATOMIC_RELAXED);
    while (figure > seen && !__atomic_compare_exchange_n(peak, &seen, figure, true,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static int64_t *phase_peak(uint32_t phase) {
    if (phase == CA_PHASE_PROCESS)
        phase = ca_process_phase();
    return (int64_t *)&ca_shim.region->phases[phase].bytes_peak;
}

/* Every phase that is innermost somewhere has seen the figure. A thread that claims a slot or
 * changes its phase meanwhile raises its own when it publishes next. */
static void raise_open_phases(int64_t figure) {
    struct ca_region *region = ca_shim.region;
    uint32_t slot_count = __atomic_load_n(&region->header.slot_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 1; i < slot_count && i < CA_SLOT_CAPACITY; i++) {
        const struct ca_slot *slot = &region->slots[i];
        uint32_t current = __atomic_load_n(&slot->current_row, __ATOMIC_RELAXED);
        if (slot->image == ca_shim.image_index && current != 0)
            ca_raise(phase_peak(ca_row_at(current)->phase), figure);
    }
}

static void raise_peaks(const struct ca_row *row, int64_t figure) {
    ca_raise(&ca_shim.image->live_peak, figure);
    if (ca_shim.region->header.slot_count > 2)
        raise_open_phases(figure);
    else
        ca_raise(phase_peak(row->phase), figure);
}

void ca_live_begin(struct ca_row *row) {
    row->live_published = row->live_max = row->bytes_live;
    row->live_above = row->bytes_live + CA_LIVE_STEP_BYTES;
    row->live_below = row->bytes_live - CA_LIVE_STEP_BYTES;
}

CA_COLD void ca_live_publish(struct ca_row *row) {
    struct ca_image *image = ca_shim.image;
    if (image == NULL || row == &ca_shim.boot_row)
        return;
    int64_t moved = row->bytes_live - row->live_published;
    int64_t before = __atomic_fetch_add(&image->live_published, moved, __ATOMIC_RELAXED);
    int64_t highest = before + (row->live_max - row->live_published);
    ca_live_begin(row);
    raise_peaks(row, highest > before + moved ? highest : before + moved);
}

void ca_live_carry(struct ca_row *from, struct ca_row *to) {
    if (!ca_shim.is_live)
        return;
    int64_t published = __atomic_load_n(&ca_shim.image->live_published, __ATOMIC_RELAXED);
    int64_t carried = from->bytes_live - from->live_published;
    int64_t highest = published + (from->live_max - from->live_published);
    ca_raise(&ca_shim.image->live_peak, highest);
    ca_raise(phase_peak(from->phase), highest);
    ca_live_begin(from);
    ca_live_begin(to);
    to->live_published -= carried;
    to->live_above -= carried;
    to->live_below -= carried;
}

static CA_COLD void live_move_cold(struct ca_row *row, int64_t moved) {
    if (is_shared(row) && row != &ca_shim.boot_row) {
        __atomic_fetch_add(&row->bytes_live, moved, __ATOMIC_RELAXED);
        __atomic_fetch_add(&row->live_published, moved, __ATOMIC_RELAXED);
        int64_t figure =
            __atomic_add_fetch(&ca_shim.image->live_published, moved, __ATOMIC_RELAXED);
        if (moved > 0)
            raise_peaks(row, figure);
        return;
    }
    ca_add_signed(&row->bytes_live, moved);
    if (row->bytes_live > row->live_max)
        row->live_max = row->bytes_live;
    if (row->bytes_live > row->live_above || row->bytes_live < row->live_below)
        ca_live_publish(row);
}

/* The cold ends of the fast paths below finish the call themselves, so that the fast path has
 * nothing to keep for afterwards. */
static CA_COLD void *live_add_mapped(struct ca_row *row, void *block) {
    live_move_cold(row, (int64_t)ca_next.usable_size(block));
    return block;
}

static CA_COLD void *live_publish_block(struct ca_row *row, void *block) {
    ca_live_publish(row);
    return block;
}

static CA_COLD void live_free_mapped(struct ca_row *row, void *block) {
    live_move_cold(row, -(int64_t)ca_next.usable_size(block));
    ca_next.free(block);
}

static CA_COLD void live_publish_free(struct ca_row *row, void *block) {
    ca_live_publish(row);
    ca_next.free(block);
}

/* Follows a block that the allocator below handed out, and returns it. */
CA_HOT void *live_add(struct ca_row *row, void *block, enum ca_usable usable) {
    if (usable == CA_USABLE_NONE)
        return block;
    uint64_t bytes;
    if (usable == CA_USABLE_HEADER) {
        uint64_t header = chunk_header(block);
        if (CA_UNLIKELY(header & CHUNK_IS_MMAPPED))
            return live_add_mapped(row, block);
        bytes = chunk_usable_bytes(header);
    } else {
        bytes = ca_next.usable_size(block);
    }
    ca_add((uint64_t *)&row->bytes_live, bytes);
    int64_t now = row->bytes_live;
    if (now > row->live_max) {
        row->live_max = now;
        if (CA_UNLIKELY(now > row->live_above))
            return live_publish_block(row, block);
    }
    return block;
}

/* Forgets a block and gives it back, in this order: afterwards it may be somebody else's. */
CA_HOT void live_remove_and_free(struct ca_row *row, void *block, enum ca_usable usable) {
    if (usable != CA_USABLE_NONE) {
        uint64_t bytes;
        if (usable == CA_USABLE_HEADER) {
            uint64_t header = chunk_header(block);
            if (CA_UNLIKELY(header & CHUNK_IS_MMAPPED)) {
                live_free_mapped(row, block);
                return;
            }
            bytes = chunk_usable_bytes(header);
        } else {
            bytes = ca_next.usable_size(block);
        }
        ca_subtract((uint64_t *)&row->bytes_live, bytes);
        if (CA_UNLIKELY(row->bytes_live < row->live_below)) {
            live_publish_free(row, block);
            return;
        }
    }
    ca_next.free(block);
}

/* ---- the cold side of each call ---- */

static void count_kind(struct ca_row *row, enum ca_kind kind) {
    switch (kind) {
    case CA_KIND_MALLOC:
        break; /* allocations less the other kinds */
    case CA_KIND_CALLOC:
        add(row, &row->calloc_calls, 1);
        break;
    case CA_KIND_REALLOC:
        add(row, &row->realloc_calls, 1);
        break;
    case CA_KIND_ALIGNED:
        add(row, &row->aligned_calls, 1);
        break;
    }
}

static CA_COLD void *count_failed(void) {
    struct ca_row *row = ca_thread_row();
    add(row, &row->failed_calls, 1);
    return NULL;
}

static void count_block(struct ca_row *row, size_t size_bytes, enum ca_kind kind) {
    add(row, &row->size_class[ca_size_class(size_bytes)], 1);
    add(row, &row->bytes_requested, size_bytes);
    count_kind(row, kind);
}

/* Large sizes, and threads that are not attached. */
static CA_COLD void *count_cold(void *block, size_t size_bytes, enum ca_kind kind) {
    struct ca_row *row = ca_thread_row();
    count_block(row, size_bytes, kind);
    if (ca_shim.is_live)
        live_move_cold(row, (int64_t)ca_usable_bytes(block));
    return block;
}

static CA_COLD void count_free(void *block) {
    struct ca_row *row = ca_thread_row();
    if (block == NULL) {
        add(row, &row->free_null, 1);
    } else {
        add(row, &row->free_calls, 1);
        if (ca_shim.is_live)
            live_move_cold(row, -(int64_t)ca_usable_bytes(block));
    }
}

static CA_COLD void free_cold(void *block) {
    count_free(block);
    ca_next.free(block);
}

bool ca_count_free(void *block) {
    if (ca_shim.stage != CA_STAGE_COUNTING || is_in_arena(block))
        return false;
    count_free(block);
    return true;
}

/* A realloc that had a block to begin with, or that nests. `old_usable_bytes`: before the call. */
static CA_COLD void count_realloc(void *old, size_t old_usable_bytes, void *block,
                                  size_t size_bytes, enum ca_entry entry) {
    struct ca_row *row = ca_thread_row();
    struct ca_nesting nesting = ca_shim.nesting[entry];
    if (nesting.is_nested && nesting.inner == CA_KIND_REALLOC)
        return;
    if (block == NULL) {
        if (nesting.is_nested)
            return;
        if (old != NULL && size_bytes == 0) {
            add(row, &row->realloc_released, 1);
            if (ca_shim.is_live)
                live_move_cold(row, -(int64_t)old_usable_bytes);
        } else {
            add(row, &row->failed_calls, 1);
        }
        return;
    }
    if (nesting.is_nested) {
        count_kind(row, CA_KIND_REALLOC);
        return;
    }
    count_block(row, size_bytes, CA_KIND_REALLOC);
    size_t usable_bytes = ca_usable_bytes(block);
    if (old != NULL) {
        add(row, block == old ? &row->realloc_in_place : &row->realloc_moved, 1);
        if (usable_bytes > old_usable_bytes)
            add(row, &row->realloc_grown, 1);
        else if (usable_bytes < old_usable_bytes)
            add(row, &row->realloc_shrunk, 1);
    }
    if (ca_shim.is_live)
        live_move_cold(row, (int64_t)usable_bytes - (int64_t)old_usable_bytes);
}

void ca_count_reallocarray(void *old, size_t old_usable_bytes, void *block, size_t count,
                           size_t each_bytes) {
    size_t size_bytes;
    if (__builtin_mul_overflow(count, each_bytes, &size_bytes)) {
        count_failed(); /* refused before anything that nests could see it */
        return;
    }
    count_realloc(old, old_usable_bytes, block, size_bytes, CA_ENTRY_REALLOCARRAY);
}

void ca_count_aligned(void *block, size_t size_bytes, enum ca_entry entry) {
    struct ca_nesting nesting = ca_shim.nesting[entry];
    if (!nesting.is_nested) {
        if (block == NULL)
            count_failed();
        else
            count_cold(block, size_bytes, CA_KIND_ALIGNED);
    } else if (block != NULL && nesting.inner != CA_KIND_ALIGNED) {
        count_kind(ca_thread_row(), CA_KIND_ALIGNED);
    }
}

/* ---- counted calls ---- */

CA_HOT void *counted_malloc(size_t size_bytes, enum ca_usable usable) {
    void *block = ca_next.malloc(size_bytes);
    struct ca_row *row = ca_row_here;
    if (CA_UNLIKELY(block == NULL))
        return count_failed();
    if (CA_UNLIKELY(size_bytes >= row->size_limit_bytes))
        return count_cold(block, size_bytes, CA_KIND_MALLOC);
    ca_add(&row->size_class[(size_bytes + 15) >> 4], 1);
    ca_add(&row->bytes_requested, size_bytes);
    return live_add(row, block, usable);
}

CA_HOT void counted_free(void *block, enum ca_usable usable) {
    struct ca_row *row = ca_row_here;
    if (CA_UNLIKELY((uintptr_t)block <= row->cold_block)) {
        free_cold(block);
        return;
    }
    ca_add(&row->free_calls, 1);
    live_remove_and_free(row, block, usable);
}

/* calloc's own failure and overflow are the next one's business: `block` tells. A product that
 * overflows never has one. */
CA_HOT void *counted_calloc(size_t count, size_t each_bytes, enum ca_usable usable) {
    void *block = ca_next.calloc(count, each_bytes);
    struct ca_row *row = ca_row_here;
    size_t size_bytes = count * each_bytes;
    if (CA_UNLIKELY(ca_shim.nesting[CA_ENTRY_CALLOC].is_nested)) {
        size_t product;
        if (block != NULL)
            count_kind(ca_thread_row(), CA_KIND_CALLOC);
        else if (__builtin_mul_overflow(count, each_bytes, &product))
            count_failed();
        return block;
    }
    if (CA_UNLIKELY(block == NULL))
        return count_failed();
    if (CA_UNLIKELY(size_bytes >= row->size_limit_bytes))
        return count_cold(block, size_bytes, CA_KIND_CALLOC);
    ca_add(&row->size_class[(size_bytes + 15) >> 4], 1);
    ca_add(&row->bytes_requested, size_bytes);
    ca_add(&row->calloc_calls, 1);
    return live_add(row, block, usable);
}

static void *counted_realloc(void *old, size_t size_bytes) {
    size_t old_usable_bytes = ca_usable_bytes(old);
    void *block = ca_next.realloc(old, size_bytes);
    count_realloc(old, old_usable_bytes, block, size_bytes, CA_ENTRY_REALLOC);
    return block;
}

#define ENGINE(name, usable)                                                                       \
    static void *name##_malloc(size_t size_bytes) {                                                \
        return counted_malloc(size_bytes, usable);                                                 \
    }                                                                                              \
    static void name##_free(void *block) {                                                         \
        counted_free(block, usable);                                                               \
    }                                                                                              \
    static void *name##_calloc(size_t count, size_t each_bytes) {                                  \
        return counted_calloc(count, each_bytes, usable);                                          \
    }                                                                                              \
    static const struct ca_engine name##_engine = {name##_malloc, name##_free, name##_calloc,      \
                                                   counted_realloc};

ENGINE(counts, CA_USABLE_NONE)
ENGINE(header, CA_USABLE_HEADER)
ENGINE(call, CA_USABLE_CALL)

/* ---- before the allocator below is known ---- */

static void *arena_malloc(size_t size_bytes) {
    if (size_bytes > sizeof arena - 32)
        return NULL;
    size_t taken = 16 + ((size_bytes + 15) & ~(size_t)15);
    size_t at = __atomic_fetch_add(&arena_used, taken, __ATOMIC_RELAXED);
    if (at + taken > sizeof arena)
        return NULL;
    *(size_t *)(void *)(arena + at) = size_bytes;
    return arena + at + 16;
}

static void *arena_calloc(size_t count, size_t each_bytes) {
    size_t size_bytes;
    return __builtin_mul_overflow(count, each_bytes, &size_bytes) ? NULL : arena_malloc(size_bytes);
}

static void *arena_realloc(void *old, size_t size_bytes) {
    unsigned char *block = arena_malloc(size_bytes);
    if (block == NULL || !is_in_arena(old))
        return block;
    size_t old_bytes = ((size_t *)old)[-2];
    for (size_t i = 0; i < old_bytes && i < size_bytes; i++)
        block[i] = ((unsigned char *)old)[i];
    return block;
}

static void arena_free(void *block) {
    (void)block;
}

/* In front of the chosen engine when the arena has handed blocks out. */
static struct ca_engine behind_arena;

static void guarded_free(void *block) {
    if (!is_in_arena(block))
        behind_arena.free(block);
}

static void *guarded_realloc(void *old, size_t size_bytes) {
    if (!is_in_arena(old))
        return behind_arena.realloc(old, size_bytes);
    size_t old_bytes = ((size_t *)old)[-2];
    unsigned char *block = behind_arena.malloc(size_bytes);
    for (size_t i = 0; block != NULL && i < old_bytes && i < size_bytes; i++)
        block[i] = ((unsigned char *)old)[i];
    return block;
}

/* ---- the first call, and the probe ---- */

static void *first_malloc(size_t size_bytes) {
    ca_lifecycle_resolve();
    return ca_engine.malloc(size_bytes);
}

/* A free before anything was allocated: of a block that is not ours to judge, so it is passed on
 * like any other. */
static void first_free(void *block) {
    ca_lifecycle_resolve();
    ca_engine.free(block);
}

static void *first_calloc(size_t count, size_t each_bytes) {
    ca_lifecycle_resolve();
    return ca_engine.calloc(count, each_bytes);
}

static void *first_realloc(void *old, size_t size_bytes) {
    ca_lifecycle_resolve();
    return ca_engine.realloc(old, size_bytes);
}

static const struct ca_engine first_engine = {first_malloc, first_free, first_calloc,
                                              first_realloc};
static const struct ca_engine arena_engine = {arena_malloc, arena_free, arena_calloc,
                                              arena_realloc};

struct ca_engine ca_engine = {first_malloc, first_free, first_calloc, first_realloc};

static void *probing_malloc(size_t size_bytes) {
    uint32_t seen_calls = ca_shim.probe_calls;
    void *block = ca_next.malloc(size_bytes);
    ca_probe_note(seen_calls, CA_KIND_MALLOC, size_bytes);
    return block;
}

static void probing_free(void *block) {
    ca_next.free(block);
}

static void *probing_calloc(size_t count, size_t each_bytes) {
    uint32_t seen_calls = ca_shim.probe_calls;
    void *block = ca_next.calloc(count, each_bytes);
    ca_probe_note(seen_calls, CA_KIND_CALLOC, count * each_bytes);
    return block;
}

static void *probing_realloc(void *old, size_t size_bytes) {
    uint32_t seen_calls = ca_shim.probe_calls;
    void *block = ca_next.realloc(old, size_bytes);
    ca_probe_note(seen_calls, CA_KIND_REALLOC, size_bytes);
    return block;
}

static const struct ca_engine probing_engine = {probing_malloc, probing_free, probing_calloc,
                                                probing_realloc};

void ca_engine_choose(enum ca_stage stage) {
    struct ca_engine engine = first_engine;
    switch (stage) {
    case CA_STAGE_FIRST:
        break;
    case CA_STAGE_RESOLVING:
        engine = arena_engine;
        break;
    case CA_STAGE_PROBING:
        engine = probing_engine;
        break;
    case CA_STAGE_BOOT:
    case CA_STAGE_COUNTING:
        engine = !ca_shim.is_live                     ? counts_engine
                 : ca_shim.usable == CA_USABLE_HEADER ? header_engine
                                                      : call_engine;
        break;
    case CA_STAGE_INERT:
        engine = (struct ca_engine){ca_next.malloc, ca_next.free, ca_next.calloc, ca_next.realloc};
        break;
    }
    ca_shim.stage = stage;
    if (arena_used != 0 && stage > CA_STAGE_PROBING) {
        behind_arena = engine;
        engine.free = guarded_free;
        engine.realloc = guarded_realloc;
    }
    ca_engine = engine;
}
