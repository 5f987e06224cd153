/* SPDX-License-Identifier: MIT */
#include "outermost.h"

#include "live.h"
#include "thread.h"

static uint64_t allocations_of(const struct ca_row *row) {
    uint64_t allocations = 0;
    for (uint32_t i = 0; i < CA_CLASSES; i++)
        allocations += row->size_class[i];
    return allocations;
}

bool ca_call_sees_inner(enum ca_entry entry) {
    bool is_counted = ca_shim.stage == CA_STAGE_BOOT || ca_shim.stage == CA_STAGE_COUNTING;
    return !is_counted || ca_is_settled(entry) || !ca_is_shared(ca_thread_row());
}

struct ca_call ca_call_begin(enum ca_entry entry, void *old, size_t size_bytes) {
    struct ca_call call = {.entry = entry, .size_bytes = size_bytes};
    if (ca_shim.stage != CA_STAGE_BOOT && ca_shim.stage != CA_STAGE_COUNTING)
        return call;
    struct ca_row *row = ca_thread_row();
    call.row = row;
    call.old_usable_bytes = ca_usable_bytes(old);
    /* Other threads count in a shared row, too: what moves there says nothing. */
    call.is_watched = !ca_is_settled(entry) && !ca_is_shared(row);
    if (call.is_watched) {
        call.allocations = allocations_of(row);
        call.bytes_requested = row->bytes_requested;
        call.calloc_calls = row->calloc_calls;
        call.realloc_calls = row->realloc_calls;
        call.aligned_calls = row->aligned_calls;
        call.free_calls = row->free_calls;
        call.failed_calls = row->failed_calls;
        call.realloc_released = row->realloc_released;
    }
    return call;
}

/* Whether an inner call was counted since `call` began. */
static bool is_nested(const struct ca_call *call) {
    const struct ca_row *row = call->row;
    if (!call->is_watched)
        return false;
    uint64_t inner_count = allocations_of(row) - call->allocations;
    if (inner_count == 0 && row->failed_calls == call->failed_calls &&
        row->free_calls == call->free_calls && row->realloc_released == call->realloc_released)
        return false;
    bool is_exact =
        inner_count == 0 ||
        (inner_count == 1 && row->bytes_requested - call->bytes_requested == call->size_bytes);
    if (!is_exact && ca_shim.image != NULL)
        ca_shim.image->flags |= CA_IMAGE_NESTED_INEXACT;
    return true;
}

/* Takes the inner calls' names back and gives the outer one's. */
static void rename_inner(const struct ca_call *call, enum ca_kind kind, struct ca_here here) {
    struct ca_row *row = call->row;
    ca_subtract(&row->calloc_calls, row->calloc_calls - call->calloc_calls);
    ca_subtract(&row->realloc_calls, row->realloc_calls - call->realloc_calls);
    ca_subtract(&row->aligned_calls, row->aligned_calls - call->aligned_calls);
    ca_count_kind(row, kind);
    ca_site_move(here, call->size_bytes, kind);
}

static void count_outer(const struct ca_call *call, void *block, enum ca_kind kind,
                        struct ca_here here) {
    ca_count_block(call->row, block, call->size_bytes, kind);
    ca_site_count(here, call->size_bytes, kind);
}

static void count_failure(const struct ca_call *call, bool is_inner_counted) {
    bool is_counted = is_inner_counted && call->row->failed_calls != call->failed_calls;
    if (!is_counted)
        ca_count_add(call->row, &call->row->failed_calls, 1);
}

void ca_call_end(const struct ca_call *call, void *block, enum ca_kind kind, struct ca_here here) {
    if (call->row == NULL)
        return;
    bool is_inner_counted = is_nested(call);
    if (block == NULL)
        count_failure(call, is_inner_counted);
    else if (is_inner_counted)
        rename_inner(call, kind, here);
    else
        count_outer(call, block, kind, here);
    /* A refusal proves nothing: it may come before what nests. */
    if (call->is_watched && block != NULL && !is_inner_counted)
        ca_shim.is_settled[call->entry] = true;
}

static void count_resize(const struct ca_call *call, const void *old, void *block) {
    struct ca_row *row = call->row;
    size_t usable_bytes = ca_usable_bytes(block);
    ca_count_add(row, block == old ? &row->realloc_in_place : &row->realloc_moved, 1);
    if (usable_bytes > call->old_usable_bytes)
        ca_count_add(row, &row->realloc_grown, 1);
    else if (usable_bytes < call->old_usable_bytes)
        ca_count_add(row, &row->realloc_shrunk, 1);
}

void ca_call_end_realloc(const struct ca_call *call, void *old, void *block, struct ca_here here) {
    struct ca_row *row = call->row;
    if (row == NULL)
        return;
    bool is_inner_counted = is_nested(call);
    bool is_released = old != NULL && block == NULL && call->size_bytes == 0;
    if (is_inner_counted && (row->realloc_calls != call->realloc_calls ||
                             row->realloc_released != call->realloc_released)) {
        /* The inner call was a realloc: it has counted all there is. */
        if (block != NULL)
            ca_site_move(here, call->size_bytes, CA_KIND_REALLOC);
        return;
    }
    /* Frees inside are part of the realloc. */
    if (is_inner_counted)
        ca_subtract(&row->free_calls, row->free_calls - call->free_calls);
    if (is_released) {
        ca_count_add(row, &row->realloc_released, 1);
        if (ca_shim.is_live && !is_inner_counted)
            ca_live_move(row, -(int64_t)call->old_usable_bytes);
        return;
    }
    if (block == NULL) {
        count_failure(call, is_inner_counted);
        return;
    }
    if (is_inner_counted) {
        rename_inner(call, CA_KIND_REALLOC, here);
    } else {
        if (ca_shim.is_live)
            ca_live_move(row, -(int64_t)call->old_usable_bytes);
        count_outer(call, block, CA_KIND_REALLOC, here);
        /* libc's realloc either nests always or never; another's may nest only when it moves. */
        if (call->is_watched && (ca_shim.found.is_allocator_libc || (old != NULL && block != old)))
            ca_shim.is_settled[call->entry] = true;
    }
    if (old != NULL)
        count_resize(call, old, block);
}
