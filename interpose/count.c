/* SPDX-License-Identifier: MIT */
#include "count.h"

#include "arena.h"
#include "lifecycle.h"
#include "live.h"
#include "outermost.h"
#include "site.h"
#include "thread.h"

struct ca_row ca_row_unattached = {.cold_block = UINT64_MAX};
struct ca_row ca_row_overflowed = {.cold_block = UINT64_MAX};
CA_THREAD_WORD_BEGIN(struct ca_row *, ca_row_here, &ca_row_unattached);

/* ---- the cold side of each call ---- */

void ca_count_kind(struct ca_row *row, enum ca_kind kind) {
    switch (kind) {
    case CA_KIND_MALLOC:
        break; /* the allocations less the other kinds */
    case CA_KIND_CALLOC:
        ca_count_add(row, &row->calloc_calls, 1);
        break;
    case CA_KIND_REALLOC:
        ca_count_add(row, &row->realloc_calls, 1);
        break;
    case CA_KIND_ALIGNED:
        ca_count_add(row, &row->aligned_calls, 1);
        break;
    }
}

void ca_count_block(struct ca_row *row, void *block, size_t size_bytes, enum ca_kind kind) {
    ca_count_add(row, &row->size_class[ca_size_class(size_bytes)], 1);
    ca_count_add(row, &row->bytes_requested, size_bytes);
    ca_count_kind(row, kind);
    if (ca_shim.is_live)
        ca_live_move(row, (int64_t)ca_usable_bytes(block));
}

static CA_COLD void *count_failed(void) {
    struct ca_row *row = ca_thread_row();
    ca_count_add(row, &row->failed_calls, 1);
    return NULL;
}

/* Threads that are not attached, and rows that several threads share. */
static CA_COLD void *count_cold(void *block, size_t size_bytes, enum ca_kind kind) {
    ca_count_block(ca_thread_row(), block, size_bytes, kind);
    return block;
}

static void count_free(void *block) {
    struct ca_row *row = ca_thread_row();
    if (block == NULL) {
        ca_count_add(row, &row->free_null, 1);
    } else {
        ca_count_add(row, &row->free_calls, 1);
        if (ca_shim.is_live)
            ca_live_move(row, -(int64_t)ca_usable_bytes(block));
    }
}

static CA_COLD void free_cold(void *block) {
    count_free(block);
    CA_NEXT(free)(block);
}

bool ca_count_free(void *block) {
    if (ca_shim.stage != CA_STAGE_COUNTING || ca_arena_has(block))
        return false;
    count_free(block);
    return true;
}

static CA_COLD void *calloc_watched(size_t count, size_t each_bytes, struct ca_here here) {
    struct ca_call call = ca_call_begin(CA_ENTRY_CALLOC, NULL, count * each_bytes);
    void *block = CA_NEXT(calloc)(count, each_bytes);
    ca_call_end(&call, block, CA_KIND_CALLOC, here);
    return block;
}

static CA_COLD void *realloc_watched(void *old, size_t size_bytes, struct ca_here here) {
    struct ca_call call = ca_call_begin(CA_ENTRY_REALLOC, old, size_bytes);
    void *block = CA_NEXT(realloc)(old, size_bytes);
    ca_call_end_realloc(&call, old, block, here);
    return block;
}

static CA_COLD void *realloc_cold(void *old, size_t old_usable_bytes, void *block,
                                  size_t size_bytes, struct ca_here here) {
    struct ca_call call = {.row = ca_thread_row(),
                           .entry = CA_ENTRY_REALLOC,
                           .size_bytes = size_bytes,
                           .old_usable_bytes = old_usable_bytes};
    ca_call_end_realloc(&call, old, block, here);
    return block;
}

/* The same with where the call came from. */
static CA_COLD void *count_cold_here(void *block, size_t size_bytes, enum ca_kind kind,
                                     struct ca_here here) {
    ca_count_block(ca_thread_row(), block, size_bytes, kind);
    ca_site_count(here, size_bytes, kind);
    return block;
}

/* ---- large sizes: not the fast path, but a program may make one for each of its rows ---- */

CA_HOT void *counted_large(void *block, size_t size_bytes, enum ca_kind kind,
                           enum ca_usable usable) {
    struct ca_row *row = ca_row_here;
    if (CA_UNLIKELY(row->size_limit_bytes == 0))
        return count_cold(block, size_bytes, kind);
    ca_add(&row->size_class[ca_large_class(size_bytes)], 1);
    ca_add(&row->bytes_requested, size_bytes);
    if (kind == CA_KIND_CALLOC)
        ca_add(&row->calloc_calls, 1);
    return ca_live_add(row, block, usable);
}

static CA_TOGETHER(plain_counts, 64) void *count_large(void *block, size_t size_bytes,
                                                       enum ca_kind kind) {
    return counted_large(block, size_bytes, kind, CA_USABLE_NONE);
}

static CA_TOGETHER(plain_header, 64) void *count_large_header(void *block, size_t size_bytes,
                                                              enum ca_kind kind) {
    return counted_large(block, size_bytes, kind, CA_USABLE_HEADER);
}

static CA_TOGETHER(plain_call, 64) void *count_large_call(void *block, size_t size_bytes,
                                                          enum ca_kind kind) {
    return counted_large(block, size_bytes, kind, CA_USABLE_CALL);
}

/* Where `size_bytes` is beyond the limit of the row: it is large, or the row is none to count in.
 * The arguments but the first and the second are constants. */
CA_HOT void *count_beyond(void *block, size_t size_bytes, enum ca_kind kind, enum ca_usable usable,
                          uint32_t where, struct ca_here here) {
    if (where != CA_WHERE_NONE)
        return count_cold_here(block, size_bytes, kind, here);
    switch (usable) {
    case CA_USABLE_HEADER:
        return count_large_header(block, size_bytes, kind);
    case CA_USABLE_CALL:
        return count_large_call(block, size_bytes, kind);
    default:
        return count_large(block, size_bytes, kind);
    }
}

/* ---- counted calls ---- */

CA_HOT void *counted_malloc(size_t size_bytes, enum ca_usable usable, uint32_t where,
                            struct ca_here here) {
    void *block = CA_NEXT(malloc)(size_bytes);
    struct ca_row *row = ca_row_here;
    if (CA_UNLIKELY(block == NULL))
        return count_failed();
    if (CA_UNLIKELY(size_bytes >= row->size_limit_bytes))
        return count_beyond(block, size_bytes, CA_KIND_MALLOC, usable, where, here);
    ca_add(&row->size_class[(size_bytes + 15) >> 4], 1);
    ca_add(&row->bytes_requested, size_bytes);
    block = ca_site_of(row, block, here, size_bytes, CA_KIND_MALLOC, where);
    return ca_live_add(where == CA_WHERE_NONE ? row : ca_row_here, block, usable);
}

CA_HOT void counted_free(void *block, enum ca_usable usable) {
    struct ca_row *row = ca_row_here;
    if (CA_UNLIKELY((uintptr_t)block <= row->cold_block)) {
        free_cold(block);
        return;
    }
    ca_add(&row->free_calls, 1);
    ca_live_remove_and_free(row, block, usable);
}

/* calloc's failure and overflow are the next one's business: `block` tells. A product that
 * overflows never has one. */
CA_HOT void *counted_calloc(size_t count, size_t each_bytes, enum ca_usable usable, uint32_t where,
                            struct ca_here here) {
    void *block = CA_NEXT(calloc)(count, each_bytes);
    struct ca_row *row = ca_row_here;
    size_t size_bytes = count * each_bytes;
    if (CA_UNLIKELY(block == NULL))
        return count_failed();
    if (CA_UNLIKELY(size_bytes >= row->size_limit_bytes))
        return count_beyond(block, size_bytes, CA_KIND_CALLOC, usable, where, here);
    ca_add(&row->size_class[(size_bytes + 15) >> 4], 1);
    ca_add(&row->bytes_requested, size_bytes);
    ca_add(&row->calloc_calls, 1);
    block = ca_site_of(row, block, here, size_bytes, CA_KIND_CALLOC, where);
    return ca_live_add(where == CA_WHERE_NONE ? row : ca_row_here, block, usable);
}

CA_HOT void *counted_realloc(void *old, size_t size_bytes, enum ca_usable usable, uint32_t where,
                             struct ca_here here) {
    size_t old_usable_bytes = ca_usable_bytes(old);
    void *block = CA_NEXT(realloc)(old, size_bytes);
    struct ca_row *row = ca_row_here;
    if (CA_UNLIKELY(block == NULL || row->size_limit_bytes == 0))
        return realloc_cold(old, old_usable_bytes, block, size_bytes, here);
    ca_add(&row->size_class[ca_size_class(size_bytes)], 1);
    ca_add(&row->bytes_requested, size_bytes);
    ca_add(&row->realloc_calls, 1);
    size_t usable_bytes = ca_usable_bytes(block);
    if (old != NULL) {
        ca_add(block == old ? &row->realloc_in_place : &row->realloc_moved, 1);
        if (usable_bytes > old_usable_bytes)
            ca_add(&row->realloc_grown, 1);
        else if (usable_bytes < old_usable_bytes)
            ca_add(&row->realloc_shrunk, 1);
    }
    if (usable != CA_USABLE_NONE)
        ca_live_move(row, (int64_t)usable_bytes - (int64_t)old_usable_bytes);
    return ca_site_of(row, block, here, size_bytes, CA_KIND_REALLOC, where);
}

/* ---- engines ---- */

#define ENGINE(name, usable, where)                                                                \
    static CA_TOGETHER(name, 64) void *name##_malloc(size_t size_bytes) {                          \
        return counted_malloc(size_bytes, usable, where, CA_HERE_FOR(where));                      \
    }                                                                                              \
    static CA_TOGETHER(name, 64) void name##_free(void *block) {                                   \
        counted_free(block, usable);                                                               \
    }                                                                                              \
    static CA_TOGETHER(name, 64) void *name##_calloc(size_t count, size_t each_bytes) {            \
        if (!ca_is_settled(CA_ENTRY_CALLOC))                                                       \
            return calloc_watched(count, each_bytes, CA_HERE_FOR(where));                          \
        return counted_calloc(count, each_bytes, usable, where, CA_HERE_FOR(where));               \
    }                                                                                              \
    static CA_TOGETHER(name, 64) void *name##_realloc(void *old, size_t size_bytes) {              \
        if (!ca_is_settled(CA_ENTRY_REALLOC))                                                      \
            return realloc_watched(old, size_bytes, CA_HERE_FOR(where));                           \
        return counted_realloc(old, size_bytes, usable, where, CA_HERE_FOR(where));                \
    }                                                                                              \
    static const struct ca_engine name##_engine = {name##_malloc, name##_free, name##_calloc,      \
                                                   name##_realloc};

/* Who serves the size of a block, for each way of taking where a call came from. */
#define ENGINES(name, where)                                                                       \
    ENGINE(name##_counts, CA_USABLE_NONE, where)                                                   \
    ENGINE(name##_header, CA_USABLE_HEADER, where)                                                 \
    ENGINE(name##_call, CA_USABLE_CALL, where)                                                     \
    static const struct ca_engine *const name##_engines[] = {                                      \
        [CA_USABLE_NONE] = &name##_counts_engine,                                                  \
        [CA_USABLE_HEADER] = &name##_header_engine,                                                \
        [CA_USABLE_CALL] = &name##_call_engine};

ENGINES(plain, CA_WHERE_NONE)
ENGINES(caller, CA_WHERE_CALLER)
ENGINES(stack, CA_WHERE_STACK)
ENGINES(sample, CA_WHERE_SAMPLE)
ENGINES(caller_sample, CA_WHERE_CALLER | CA_WHERE_SAMPLE)
ENGINES(stack_sample, CA_WHERE_STACK | CA_WHERE_SAMPLE)

/* All of its calls take the cold paths, which follow live bytes by themselves. */
ENGINE(boot, CA_USABLE_NONE, CA_WHERE_BOOT)

/* What a preloaded allocator and its companions do for themselves is passed on uncounted: a program
 * without them does not do it. */
static bool is_companion(uintptr_t caller) {
    for (uint32_t i = 0; i < ca_shim.found.companion_count; i++)
        if (caller - ca_shim.found.companions[i].begin <
            ca_shim.found.companions[i].end - ca_shim.found.companions[i].begin)
            return true;
    return false;
}

#define IS_COMPANION() is_companion((uintptr_t)__builtin_return_address(0))

static void *screened_malloc(size_t size_bytes) {
    return IS_COMPANION() ? ca_next.malloc(size_bytes) : boot_malloc(size_bytes);
}

static void screened_free(void *block) {
    if (IS_COMPANION())
        ca_next.free(block);
    else
        boot_free(block);
}

static void *screened_calloc(size_t count, size_t each_bytes) {
    return IS_COMPANION() ? ca_next.calloc(count, each_bytes) : boot_calloc(count, each_bytes);
}

static void *screened_realloc(void *old, size_t size_bytes) {
    return IS_COMPANION() ? ca_next.realloc(old, size_bytes) : boot_realloc(old, size_bytes);
}

static const struct ca_engine screened_engine = {screened_malloc, screened_free, screened_calloc,
                                                 screened_realloc};

static const struct ca_engine *counting_engine(void) {
    enum ca_usable usable = ca_shim.is_live ? ca_shim.usable : CA_USABLE_NONE;
    static const struct ca_engine *const *const engines[] = {
        [CA_WHERE_NONE] = plain_engines,
        [CA_WHERE_CALLER] = caller_engines,
        [CA_WHERE_STACK] = stack_engines,
        [CA_WHERE_SAMPLE] = sample_engines,
        [CA_WHERE_CALLER | CA_WHERE_SAMPLE] = caller_sample_engines,
        [CA_WHERE_STACK | CA_WHERE_SAMPLE] = stack_sample_engines,
    };
    if (ca_shim.where == CA_WHERE_BOOT)
        return ca_shim.found.companion_count == 0 ? &boot_engine : &screened_engine;
    return engines[ca_shim.where][usable];
}

/* ---- the first call ---- */

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

struct ca_engine ca_engine = {first_malloc, first_free, first_calloc, first_realloc};

void ca_engine_choose(enum ca_stage stage) {
    struct ca_engine engine = ca_engine;
    switch (stage) {
    case CA_STAGE_FIRST:
        break;
    case CA_STAGE_RESOLVING:
        engine = ca_arena_engine;
        break;
    case CA_STAGE_BOOT:
    case CA_STAGE_COUNTING:
        engine = ca_arena_guard(*counting_engine());
        break;
    case CA_STAGE_INERT:
        engine = ca_arena_guard(
            (struct ca_engine){ca_next.malloc, ca_next.free, ca_next.calloc, ca_next.realloc});
        break;
    }
    ca_shim.stage = stage;
    ca_engine = engine;
}
