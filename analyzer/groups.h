/* SPDX-License-Identifier: MIT
 *
 * groups.h: the table of (route, model) groups that a scan fills and the report sorts.
 *
 * Open addressing with linear probing: 4 slots at first, doubled when an entry would exceed 7/8 of
 * them, as Rust's HashMap does. The caller brings the hash, because the hash is what the versions
 * differ in; a slot keeps it, so growing hashes nothing. The slot index is taken from the hash's
 * high bits, because those are the good ones of FxHash.
 */
#ifndef COUNTALLOC_GROUPS_H
#define COUNTALLOC_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "slice.h"
#include "tally.h"

/* Latencies in the order they came, in ms. Grows 4, 8, 16 … elements, as a Rust Vec does. */
struct ca_latencies {
    uint32_t *values_ms;
    size_t value_count;
    size_t capacity_count;
};

/* One group. `route` and `model` are borrowed from the log or from `owned_key`, which is NULL or
 * belongs to the group. A version fills either `latencies` or `tally`; `summary` is made from it by
 * ca_groups_sort. An empty slot is all zero. */
struct ca_group {
    uint64_t hash;
    struct ca_slice route;
    struct ca_slice model;
    char *owned_key;
    uint64_t token_sum;
    struct ca_latencies latencies;
    struct ca_tally tally;
    struct ca_tally_summary summary;
};

/* `slots`: `slot_count` elements, 0 or a power of two. After ca_groups_sort the first `group_count`
 * are the groups and nothing may be looked up or added any more. */
struct ca_groups {
    struct ca_group *slots;
    size_t slot_count;
    size_t group_count;
    unsigned hash_shift; /* 64 - log2(slot_count) */
};

/* An all-zero struct ca_groups is an empty table. */

/* Frees every group and the table, and leaves an empty one. */
void ca_groups_release(struct ca_groups *groups);

/* Adds a group that is not in the table yet. NULL when memory ran out; the table is then as before.
 * The pointer holds until the next addition. */
struct ca_group *ca_groups_add(struct ca_groups *groups, uint64_t hash, struct ca_slice route,
                               struct ca_slice model);

/* As ca_groups_add, for names that do not outlive the call: the group owns a copy, in one
 * allocation. */
struct ca_group *ca_groups_add_copy(struct ca_groups *groups, uint64_t hash, struct ca_slice route,
                                    struct ca_slice model);

/* Moves the groups to the front, sorted by the bytes of "route model", sorts each one's latencies
 * and makes its summary. */
void ca_groups_sort(struct ca_groups *groups);

/* The nearest-rank percentile, 1 to 100, of `count` sorted values, at least one. */
uint32_t ca_percentile_ms(const uint32_t *values_ms, size_t count, unsigned percent);

/* Makes room for one more; false when memory ran out. Not for direct use. */
bool ca_latencies_grow(struct ca_latencies *latencies);

static inline bool ca_latencies_push(struct ca_latencies *latencies, uint32_t value_ms) {
    if (latencies->value_count == latencies->capacity_count && !ca_latencies_grow(latencies))
        return false;
    latencies->values_ms[latencies->value_count++] = value_ms;
    return true;
}

/* The group of that route and model, or NULL. */
static inline struct ca_group *ca_groups_find(const struct ca_groups *groups, uint64_t hash,
                                              struct ca_slice route, struct ca_slice model) {
    if (groups->slot_count == 0)
        return NULL;
    size_t at = (size_t)(hash >> groups->hash_shift);
    for (;; at = (at + 1) & (groups->slot_count - 1)) {
        struct ca_group *group = &groups->slots[at];
        if (group->route.bytes == NULL)
            return NULL;
        if (group->hash == hash && ca_slice_equal(group->route, route) &&
            ca_slice_equal(group->model, model))
            return group;
    }
}

#endif
