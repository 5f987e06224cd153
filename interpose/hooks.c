/* SPDX-License-Identifier: MIT
 *
 * The allocation functions as the program calls them: pass on, count, return unchanged. */
#include <errno.h>
#include <stdlib.h>

#include "count.h"
#include "hooks.h"
#include "lifecycle.h"

/* ---- the four that matter: one jump (count.h) ---- */

CA_HOOK void *malloc(size_t size) {
    return ca_engine.malloc(size);
}

CA_HOOK void free(void *block) {
    ca_engine.free(block);
}

CA_HOOK void *calloc(size_t count, size_t each) {
    return ca_engine.calloc(count, each);
}

CA_HOOK void *realloc(void *old, size_t size) {
    return ca_engine.realloc(old, size);
}

/* ---- the aligned family ---- */

static void aligned_result(void *block, size_t size, enum ca_entry entry, uint32_t seen_calls) {
    if (ca_shim.stage == CA_STAGE_PROBING)
        ca_probe_note(seen_calls, CA_KIND_ALIGNED, size);
    else if (ca_shim.stage != CA_STAGE_INERT)
        ca_count_aligned(block, size, entry);
}

CA_HOOK int posix_memalign(void **ret_block, size_t alignment, size_t size) {
    ca_lifecycle_resolve();
    uint32_t seen_calls = ca_shim.probe_calls;
    int status = ca_next.posix_memalign(ret_block, alignment, size);
    aligned_result(status == 0 ? *ret_block : NULL, size, CA_ENTRY_POSIX_MEMALIGN, seen_calls);
    return status;
}

CA_HOOK void *aligned_alloc(size_t alignment, size_t size) {
    ca_lifecycle_resolve();
    uint32_t seen_calls = ca_shim.probe_calls;
    void *block = ca_next.aligned_alloc(alignment, size);
    aligned_result(block, size, CA_ENTRY_ALIGNED_ALLOC, seen_calls);
    return block;
}

CA_HOOK void *memalign(size_t alignment, size_t size) {
    ca_lifecycle_resolve();
    uint32_t seen_calls = ca_shim.probe_calls;
    void *block = ca_next.memalign(alignment, size);
    aligned_result(block, size, CA_ENTRY_MEMALIGN, seen_calls);
    return block;
}

CA_HOOK void *valloc(size_t size) {
    ca_lifecycle_resolve();
    uint32_t seen_calls = ca_shim.probe_calls;
    void *block = ca_next.valloc(size);
    aligned_result(block, size, CA_ENTRY_VALLOC, seen_calls);
    return block;
}

/* Not in musl: there a program that has it has it from elsewhere. */
CA_HOOK void *pvalloc(size_t size) {
    ca_lifecycle_resolve();
    if (ca_next.pvalloc == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    uint32_t seen_calls = ca_shim.probe_calls;
    void *block = ca_next.pvalloc(size);
    aligned_result(block, size, CA_ENTRY_PVALLOC, seen_calls);
    return block;
}

/* ---- the rest of realloc and free ---- */

/* A libc without reallocarray has programs without it; the product is still checked as it would. */
CA_HOOK void *reallocarray(void *old, size_t count, size_t each) {
    ca_lifecycle_resolve();
    if (ca_next.reallocarray == NULL) {
        size_t size;
        if (!__builtin_mul_overflow(count, each, &size))
            return ca_engine.realloc(old, size);
        errno = ENOMEM;
        return NULL;
    }
    uint32_t seen_calls = ca_shim.probe_calls;
    size_t old_usable_bytes = ca_usable_bytes(old);
    void *block = ca_next.reallocarray(old, count, each);
    if (ca_shim.stage == CA_STAGE_PROBING)
        ca_probe_note(seen_calls, CA_KIND_REALLOC, count * each);
    if (ca_shim.stage == CA_STAGE_BOOT || ca_shim.stage == CA_STAGE_COUNTING)
        ca_count_reallocarray(old, old_usable_bytes, block, count, each);
    return block;
}

/* The sized forms go to the next ones where there are any, because an allocator may make use of the
 * size; they are counted as free either way. */
CA_HOOK void free_sized(void *block, size_t size) {
    ca_lifecycle_resolve();
    if (ca_next.free_sized == NULL || !ca_count_free(block))
        ca_engine.free(block);
    else
        ca_next.free_sized(block, size);
}

CA_HOOK void free_aligned_sized(void *block, size_t alignment, size_t size) {
    ca_lifecycle_resolve();
    if (ca_next.free_aligned_sized == NULL || !ca_count_free(block))
        ca_engine.free(block);
    else
        ca_next.free_aligned_sized(block, alignment, size);
}

CA_HOOK void cfree(void *block) {
    ca_engine.free(block);
}
