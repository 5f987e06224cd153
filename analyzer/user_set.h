/* SPDX-License-Identifier: MIT
 *
 * user_set.h: the blocklist as a hash set, from v1 on.
 *
 * One table of a fixed size, made for a known number of users, filled to 7/8 at most. As in
 * groups.h the caller brings the hash and its high bits choose the slot.
 */
#ifndef COUNTALLOC_USER_SET_H
#define COUNTALLOC_USER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "slice.h"

/* An empty slot has no bytes. */
struct ca_user_slot {
    uint64_t hash;
    struct ca_slice user;
};

/* `slots`: `slot_count` elements, a power of two. */
struct ca_user_set {
    struct ca_user_slot *slots;
    size_t slot_count;
    unsigned hash_shift; /* 64 - log2(slot_count) */
};

/* Makes room for `user_count` users in one allocation; false when memory ran out. */
bool ca_user_set_init(struct ca_user_set *set, size_t user_count);

/* Adds a user (kept: its bytes must outlive the set). The set takes no more additions than it was
 * made for. */
void ca_user_set_add(struct ca_user_set *set, uint64_t hash, struct ca_slice user);

/* Frees the table. */
void ca_user_set_release(struct ca_user_set *set);

static inline bool ca_user_set_has(const struct ca_user_set *set, uint64_t hash,
                                   struct ca_slice user) {
    size_t at = (size_t)(hash >> set->hash_shift);
    for (;; at = (at + 1) & (set->slot_count - 1)) {
        const struct ca_user_slot *slot = &set->slots[at];
        if (slot->user.bytes == NULL)
            return false;
        if (slot->hash == hash && ca_slice_equal(slot->user, user))
            return true;
    }
}

#endif
