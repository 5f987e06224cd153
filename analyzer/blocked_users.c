/* SPDX-License-Identifier: MIT */
#include "blocked_users.h"

#include <string.h>

#include "value_words.h"

bool ca_blocked_users_has(const struct ca_blocked_users *users, struct ca_slice user) {
    return ca_user_set_has(&users->set, ca_sip_hash(users->sip_key, user), user);
}

/* ca_last_bytes of a user with nothing readable before it. */
static uint64_t last_bytes_of(struct ca_slice user) {
    char bytes[8] = {0};
    const size_t byte_count = user.byte_count < 8 ? user.byte_count : 8;
    memcpy(bytes + 8 - byte_count, user.bytes + user.byte_count - byte_count, byte_count);
    return ca_last_bytes(bytes + 8, user.byte_count);
}

bool ca_blocked_users_init(struct ca_blocked_users *users, const struct ca_blocklist *list,
                           struct ca_sip_key sip_key) {
    users->sip_key = sip_key;
    memset(users->bits, 0, sizeof users->bits);
    if (!ca_user_set_init(&users->set, list->user_count))
        return false;
    for (size_t at = 0; at < list->user_count; at++) {
        const struct ca_slice user = list->users[at];
        const unsigned bit = ca_user_bit(last_bytes_of(user));
        users->bits[bit / 64] |= UINT64_C(1) << bit % 64;
        ca_user_set_add(&users->set, ca_sip_hash(sip_key, user), user);
    }
    return true;
}

void ca_blocked_users_release(struct ca_blocked_users *users) {
    ca_user_set_release(&users->set);
}
