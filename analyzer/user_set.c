/* SPDX-License-Identifier: MIT */
#include "user_set.h"

#include <stdlib.h>

bool ca_user_set_init(struct ca_user_set *set, size_t user_count) {
    *set = (struct ca_user_set){NULL, 4, 62};
    while (set->slot_count - (set->slot_count + 7) / 8 < user_count) {
        set->slot_count *= 2;
        set->hash_shift--;
    }
    set->slots = calloc(set->slot_count, sizeof *set->slots);
    return set->slots != NULL;
}

void ca_user_set_add(struct ca_user_set *set, uint64_t hash, struct ca_slice user) {
    if (ca_user_set_has(set, hash, user))
        return;
    size_t at = (size_t)(hash >> set->hash_shift);
    while (set->slots[at].user.bytes != NULL)
        at = (at + 1) & (set->slot_count - 1);
    set->slots[at] = (struct ca_user_slot){hash, user};
}

void ca_user_set_release(struct ca_user_set *set) {
    free(set->slots);
    set->slots = NULL;
}
