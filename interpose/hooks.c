/* SPDX-License-Identifier: MIT
 *
 * The allocation functions as the program calls them: pass on, count, return unchanged. */
#include <errno.h>
#include <stdlib.h>

#include "count.h"
#include "hooks.h"
#include "lifecycle.h"
#include "outermost.h"

/* ---- the four that matter: one jump (count.h) ---- */

CA_HOOK CA_TOGETHER(entries, 64) void *malloc(size_t size) {
    return ca_engine.malloc(size);
}

CA_HOOK CA_TOGETHER(entries, 16) void free(void *block) {
    ca_engine.free(block);
}

CA_HOOK CA_TOGETHER(entries, 16) void *calloc(size_t count, size_t each) {
    return ca_engine.calloc(count, each);
}

CA_HOOK CA_TOGETHER(entries, 16) void *realloc(void *old, size_t size) {
    return ca_engine.realloc(old, size);
}

/* ---- the aligned family: these may be made of others (outermost.h) ---- */

CA_HOOK int posix_memalign(void **ret_block, size_t alignment, size_t size) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_POSIX_MEMALIGN, NULL, size);
    int status = ca_next.posix_memalign(ret_block, alignment, size);
    ca_call_end(&call, status == 0 ? *ret_block : NULL, CA_KIND_ALIGNED, CA_HERE());
    return status;
}

CA_HOOK void *aligned_alloc(size_t alignment, size_t size) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_ALIGNED_ALLOC, NULL, size);
    void *block = ca_next.aligned_alloc(alignment, size);
    ca_call_end(&call, block, CA_KIND_ALIGNED, CA_HERE());
    return block;
}

CA_HOOK void *memalign(size_t alignment, size_t size) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_MEMALIGN, NULL, size);
    void *block = ca_next.memalign(alignment, size);
    ca_call_end(&call, block, CA_KIND_ALIGNED, CA_HERE());
    return block;
}

CA_HOOK void *valloc(size_t size) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_VALLOC, NULL, size);
    void *block = ca_next.valloc(size);
    ca_call_end(&call, block, CA_KIND_ALIGNED, CA_HERE());
    return block;
}

/* Not in musl: there a program that has it has it from elsewhere. */
CA_HOOK void *pvalloc(size_t size) {
    ca_lifecycle_resolve();
    if (ca_next.pvalloc == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    struct ca_call call = ca_call_begin(CA_ENTRY_PVALLOC, NULL, size);
    void *block = ca_next.pvalloc(size);
    ca_call_end(&call, block, CA_KIND_ALIGNED, CA_HERE());
    return block;
}

/* ---- the rest of realloc and free ---- */

/* A libc without reallocarray has programs without it; the product is still checked as it would.
 * glibc's is that and realloc: where it would not be seen (outermost.h), the same by ourselves. */
CA_HOOK void *reallocarray(void *old, size_t count, size_t each) {
    ca_lifecycle_resolve();
    size_t size;
    bool is_overflow = __builtin_mul_overflow(count, each, &size);
    bool has_next = ca_next.reallocarray != NULL && ca_call_sees_inner(CA_ENTRY_REALLOCARRAY);
    if (!has_next && !is_overflow)
        return ca_engine.realloc(old, size);
    /* A product that overflows is no size; 1 keeps a refusal from being taken for a release. */
    struct ca_call call = ca_call_begin(CA_ENTRY_REALLOCARRAY, old, is_overflow ? 1 : size);
    void *block = NULL;
    if (has_next)
        block = ca_next.reallocarray(old, count, each);
    else
        errno = ENOMEM;
    ca_call_end_realloc(&call, old, block, CA_HERE());
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
