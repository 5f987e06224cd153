/* SPDX-License-Identifier: MIT
 *
 * blocked_users.h: the blocklist with a quick no, from v8 on.
 *
 * A user's last bytes are a word (ca_last_bytes), and its hash is the number of a bit. The bit of a
 * user on the list is set, so a user whose bit is not set is not on it, and that is all that most
 * lines need. A set bit proves nothing, and the hash set is asked, as before. A log that is written
 * against this hash makes every line ask the set, and gains no more than that.
 *
 * Any number of threads may ask at once.
 */
#ifndef COUNTALLOC_BLOCKED_USERS_H
#define COUNTALLOC_BLOCKED_USERS_H

#include <stdbool.h>
#include <stdint.h>

#include "logstat.h"
#include "user_set.h"

enum {
    CA_USER_BITS_LOG2 = 16, /* 8 KiB; of 1,000 users, one in 65 others meets a set bit */
};

/* `bits`: bit n % 64 of element n / 64 says that a user whose hash is n is on the list. */
struct ca_blocked_users {
    struct ca_user_set set;
    struct ca_sip_key sip_key;
    uint64_t bits[(1 << CA_USER_BITS_LOG2) / 64];
};

/* Makes both forms of the list (kept). False when memory ran out. */
bool ca_blocked_users_init(struct ca_blocked_users *users, const struct ca_blocklist *list,
                           struct ca_sip_key sip_key);

/* Whether the user is on the list. */
bool ca_blocked_users_has(const struct ca_blocked_users *users, struct ca_slice user);

/* Frees the set. */
void ca_blocked_users_release(struct ca_blocked_users *users);

/* The hash of a user, not the empty one, from its ca_last_bytes. */
static inline unsigned ca_user_bit(uint64_t last_bytes) {
    return (unsigned)(last_bytes * 0x9e3779b97f4a7c15 >> (64 - CA_USER_BITS_LOG2));
}

/* False for a user of that hash who cannot be on the list. */
static inline bool ca_blocked_users_may_have(const struct ca_blocked_users *users, unsigned bit) {
    return users->bits[bit / 64] >> bit % 64 & 1;
}

#endif
