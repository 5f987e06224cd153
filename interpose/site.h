/* SPDX-License-Identifier: MIT
 *
 * Where a counted call came from: call sites, stacks, samples (counterfile.h, "Call sites").
 *
 * What is taken is part of the engine (count.h), so that counts alone pay nothing for it:
 *
 *     none      nothing
 *     sample    once in so many bytes, the whole stack (sample.h)
 *     caller    the return address of the exported function, for each call; and samples
 *     stack     the chain of frame pointers above it, for each call; and samples
 *     boot      the caller, into a small list, while there is no region yet
 *
 * A call that is known is found by one look into the table and counted by two additions. A new one
 * takes the cold path: it learns the module of each frame without the loader's lock and enters the
 * site. Nothing here allocates, locks or sets errno.
 */
#ifndef CA_SITE_H
#define CA_SITE_H

#include "count.h"
#include "sample.h"
#include "stack.h"

/* Of the function that it stands in, which must have been reached by jumps from the exported one.
 */
#define CA_HERE()                                                                                  \
    ((struct ca_here){(uintptr_t)__builtin_return_address(0),                                      \
                      (uintptr_t)__builtin_frame_address(0),                                       \
                      *(const uintptr_t **)__builtin_frame_address(0)})

/* As much of it as `where`, a constant, has use for. */
#define CA_HERE_FOR(where)                                                                         \
    (((where) & (CA_WHERE_STACK | CA_WHERE_BOOT)) != 0                                             \
         ? CA_HERE()                                                                               \
         : (struct ca_here){                                                                       \
               .caller = (where) == CA_WHERE_NONE ? 0 : (uintptr_t)__builtin_return_address(0)})

/* Sets up what the region asks for; before the first call that counts in it. */
void ca_site_attach(void);

/* Gives the calls that were counted before there was a region their sites. */
void ca_site_merge_boot(void);

/* Counts one allocation at `here`, off the fast path. */
void ca_site_count(struct ca_here here, size_t size_bytes, enum ca_kind kind);

/* Counts the thread's last allocation at `here` instead of where it was counted: it was made inside
 * the allocator, for the outer call. */
void ca_site_move(struct ca_here here, size_t size_bytes, enum ca_kind kind);

/* Retires the sites of modules that are no longer loaded. After a dlclose. */
void ca_site_forget_gone(void);

/* Ends of the fast paths below. */
void *ca_site_count_new(void *block, uintptr_t caller, size_t size_bytes, enum ca_kind kind);
void *ca_site_count_new_stack(void *block, struct ca_here here, uint64_t key, size_t size_bytes,
                              enum ca_kind kind);

/* The tag of the sites of `kind` in `row`, which is one thread's. */
CA_HOT uint64_t ca_site_tag_of(const struct ca_row *row, enum ca_kind kind) {
    return row->site_tag + ((uint64_t)kind << CA_TAG_KIND_SHIFT);
}

/* The site of `key` and `tag` when it is in the first cell that it may be in, else NULL. Site 0,
 * which an empty cell names, has key 0. */
CA_HOT struct ca_site *ca_site_look(uint64_t key, uint64_t tag) {
    struct ca_site *site = &ca_shim.site_list[ca_shim.site_cells[ca_site_cell(key, tag)]];
    return CA_LIKELY(site->key == key && site->tag == tag) ? site : NULL;
}

/* Counts in `site`, and notes it in `row` for ca_site_move. */
CA_HOT void ca_site_add(struct ca_row *row, struct ca_site *site, size_t size_bytes) {
    ca_add(&site->allocations, 1);
    ca_add(&site->bytes_requested, size_bytes);
    row->site_last = (uintptr_t)site;
}

/* Counts where `block`, which was counted in `row` on the fast path, came from, and returns it. The
 * cold ends return it, too, so that the fast path has nothing to keep for afterwards. */
CA_HOT void *ca_site_of(struct ca_row *row, void *block, struct ca_here here, size_t size_bytes,
                        enum ca_kind kind, uint32_t where) {
    if ((where & (CA_WHERE_CALLER | CA_WHERE_STACK)) != 0) {
        bool is_stack = (where & CA_WHERE_STACK) != 0;
        uint64_t key = is_stack ? ca_stack_key(&here, ca_shim.stack_depth) : here.caller;
        struct ca_site *site = ca_site_look(key, ca_site_tag_of(row, kind));
        if (CA_LIKELY(site != NULL))
            ca_site_add(row, site, size_bytes);
        else if (is_stack)
            block = ca_site_count_new_stack(block, here, key, size_bytes, kind);
        else
            block = ca_site_count_new(block, here.caller, size_bytes, kind);
    }
    if ((where & CA_WHERE_SAMPLE) != 0) {
        ca_sample_left -= (int64_t)size_bytes;
        if (CA_UNLIKELY(ca_sample_left < 0))
            block = ca_sample_take(block, here.caller, size_bytes);
    }
    return block;
}

#endif
