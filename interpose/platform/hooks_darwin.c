/* SPDX-License-Identifier: MIT
 *
 * The allocation functions as the program calls them: pass on, count, return unchanged. */
#include "hooks_darwin.h"
#include "../count.h"
#include "../lifecycle.h"
#include "../outermost.h"
#include "../outermost_free.h"

/* ---- the four that matter: one jump (count.h) ---- */

void *ca_hook_malloc(size_t size) {
    return ca_engine.malloc(size);
}

void ca_hook_free(void *block) {
    ca_engine.free(block);
}

void *ca_hook_calloc(size_t count, size_t each) {
    return ca_engine.calloc(count, each);
}

void *ca_hook_realloc(void *old, size_t size) {
    return ca_engine.realloc(old, size);
}

/* ---- the aligned family ---- */

int ca_hook_posix_memalign(void **ret_block, size_t alignment, size_t size) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_POSIX_MEMALIGN, NULL, size);
    int status = posix_memalign(ret_block, alignment, size);
    ca_call_end(&call, status == 0 ? *ret_block : NULL, CA_KIND_ALIGNED, CA_HERE());
    return status;
}

void *ca_hook_aligned_alloc(size_t alignment, size_t size) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_ALIGNED_ALLOC, NULL, size);
    void *block = aligned_alloc(alignment, size);
    ca_call_end(&call, block, CA_KIND_ALIGNED, CA_HERE());
    return block;
}

void *ca_hook_valloc(size_t size) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_VALLOC, NULL, size);
    void *block = valloc(size);
    ca_call_end(&call, block, CA_KIND_ALIGNED, CA_HERE());
    return block;
}

/* ---- realloc's relatives: libmalloc makes each of the one before, through the public names ----
 */

void *ca_hook_reallocf(void *old, size_t size) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_OF(CA_ENTRY_REALLOCF), old, size);
    void *block = reallocf(old, size);
    ca_call_end_reallocf(&call, old, block, CA_HERE());
    return block;
}

void *ca_hook_reallocarray(void *old, size_t count, size_t each) {
    ca_lifecycle_resolve();
    struct ca_call call = ca_call_begin(CA_ENTRY_REALLOCARRAY, old, ca_product_or_one(count, each));
    void *block = reallocarray(old, count, each);
    ca_call_end_realloc(&call, old, block, CA_HERE());
    return block;
}

/* A product that overflows is refused before reallocf is called, and so releases nothing. */
void *ca_hook_reallocarrayf(void *old, size_t count, size_t each) {
    ca_lifecycle_resolve();
    struct ca_call call =
        ca_call_begin(CA_ENTRY_OF(CA_ENTRY_REALLOCARRAYF), old, ca_product_or_one(count, each));
    void *block = reallocarrayf(old, count, each);
    if (ca_is_overflow(count, each))
        ca_call_end_realloc(&call, old, block, CA_HERE());
    else
        ca_call_end_reallocf(&call, old, block, CA_HERE());
    return block;
}

void ca_hook_vfree(void *block) {
    ca_lifecycle_resolve();
    struct ca_free_call call = ca_free_begin(CA_ENTRY_OF(CA_ENTRY_VFREE), block);
    vfree(block);
    ca_free_end(&call);
}
