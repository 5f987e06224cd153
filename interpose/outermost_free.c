/* SPDX-License-Identifier: MIT */
#include "outermost_free.h"

#include "live.h"
#include "thread.h"

#define MALLOC_ALIGNMENT 16u
#define OPTION_CLEAR     1u

static void count_free(struct ca_row *row, const void *block, size_t usable_bytes) {
    if (block == NULL) {
        ca_count_add(row, &row->free_null, 1);
        return;
    }
    ca_count_add(row, &row->free_calls, 1);
    if (ca_shim.is_live)
        ca_live_move(row, -(int64_t)usable_bytes);
}

struct ca_free_call ca_free_begin(enum ca_entry entry, void *block) {
    struct ca_free_call free_call = {.call = ca_call_begin(entry, block, 0), .block = block};
    struct ca_call *call = &free_call.call;
    if (call->row == NULL)
        return free_call;
    free_call.free_null = call->row->free_null;
    if (!call->is_watched) /* before the block can be somebody else's */
        count_free(call->row, block, call->old_usable_bytes);
    return free_call;
}

void ca_free_end(const struct ca_free_call *free_call) {
    const struct ca_call *call = &free_call->call;
    if (call->row == NULL || !call->is_watched)
        return;
    if (call->row->free_calls != call->free_calls || call->row->free_null != free_call->free_null)
        return; /* an inner one was counted */
    count_free(call->row, free_call->block, call->old_usable_bytes);
    if (free_call->block != NULL) /* NULL may be left before what nests */
        ca_shim.is_settled[call->entry] = true;
}

void ca_call_end_reallocf(const struct ca_call *call, void *old, void *block, struct ca_here here) {
    struct ca_row *row = call->row;
    if (row == NULL || block != NULL || old == NULL || call->size_bytes == 0) {
        ca_call_end_realloc(call, old, block, here);
        return;
    }
    if (!call->is_watched || row->failed_calls == call->failed_calls)
        ca_count_add(row, &row->failed_calls, 1);
    if (!call->is_watched || row->free_calls == call->free_calls)
        count_free(row, old, call->old_usable_bytes);
}

void ca_count_batch(void *const *blocks, uint32_t block_count, size_t size_bytes,
                    struct ca_here here) {
    if (ca_shim.stage != CA_STAGE_BOOT && ca_shim.stage != CA_STAGE_COUNTING)
        return;
    struct ca_row *row = ca_thread_row();
    for (uint32_t i = 0; i < block_count; i++) {
        ca_count_block(row, blocks[i], size_bytes, CA_KIND_MALLOC);
        ca_site_count(here, size_bytes, CA_KIND_MALLOC);
    }
}

void ca_count_batch_free(void *const *blocks, uint32_t block_count) {
    if (ca_shim.stage != CA_STAGE_BOOT && ca_shim.stage != CA_STAGE_COUNTING)
        return;
    struct ca_row *row = ca_thread_row();
    for (uint32_t i = 0; i < block_count; i++)
        count_free(row, blocks[i], ca_usable_bytes(blocks[i]));
}

bool ca_is_overflow(size_t count, size_t each) {
    size_t product;
    return __builtin_mul_overflow(count, each, &product);
}

size_t ca_product_or_one(size_t count, size_t each) {
    return ca_is_overflow(count, each) ? 1 : count * each;
}

enum ca_kind ca_kind_of_options(size_t alignment, uint64_t options) {
    if ((options & OPTION_CLEAR) != 0)
        return CA_KIND_CALLOC;
    return alignment > MALLOC_ALIGNMENT ? CA_KIND_ALIGNED : CA_KIND_MALLOC;
}
