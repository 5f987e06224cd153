/* SPDX-License-Identifier: MIT
 *
 * middle_cache.h: a group by the whole middle of a usual line, from v10 on.
 *
 * The middle is the text between the value of ts and the value of user:
 *
 *     " level=INFO route=/v1/chat model=mistral-7b user="
 *
 * There are few of them, however long the log. Only the middle of a line that was proved to be a
 * usual one is kept, so a text that equals one begins and ends as these do, has the four keys, and
 * no further space and no newline. Its length is 32 to 64 bytes, which are its first 32 and its
 * last 32 (they overlap).
 *
 * A middle has one place, which says where it is, so that there is one comparison. When two fall
 * together, another multiplier is looked for that keeps all of them apart. What finds no place is
 * only slower, and so is a log that is written against this hash.
 */
#ifndef COUNTALLOC_MIDDLE_CACHE_H
#define COUNTALLOC_MIDDLE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "groups.h"
#include "usual_line.h"

enum {
    CA_MIDDLE_HALF_BYTES = 32,
    CA_MIDDLE_BYTES_MIN = CA_MIDDLE_HALF_BYTES,
    CA_MIDDLE_BYTES_MAX = 2 * CA_MIDDLE_HALF_BYTES,
    CA_MIDDLES_MAX = 256, /* with the first, which stands for none */
    CA_MIDDLE_PLACES_LOG2 = 11,
    CA_MIDDLE_PLACES = 1 << CA_MIDDLE_PLACES_LOG2,
};

/* A middle and where its lines are counted: `counts` and `token_sum` are its group's. `mix` is its
 * hash before the multiplication. */
struct ca_middle {
    char first[CA_MIDDLE_HALF_BYTES];
    char last[CA_MIDDLE_HALF_BYTES];
    size_t byte_count;
    uint64_t mix;
    uint32_t *counts;
    uint64_t *token_sum;
};

/* `middles`: `middle_count` elements; the first, of 0 bytes, equals no text. `groups_slot_count`:
 * the size of the table that the groups are in; when it has grown, they have moved. */
struct ca_middle_cache {
    uint64_t multiplier;
    size_t groups_slot_count;
    size_t middle_count;
    unsigned search_count;
    uint16_t places[CA_MIDDLE_PLACES];
    struct ca_middle middles[CA_MIDDLES_MAX];
};

/* Starts, or starts again, with no middles. */
void ca_middle_cache_init(struct ca_middle_cache *cache);

/* Forgets all of them if the groups have moved. */
void ca_middle_cache_follow(struct ca_middle_cache *cache, const struct ca_groups *groups);

/* Keeps the middle of a usual line, from the separator before level to the end of " user=", and its
 * group, which counts already (tally.h). Does nothing when it has another length, or there is no
 * place. */
void ca_middle_cache_add(struct ca_middle_cache *cache, const char *text, const char *end,
                         struct ca_group *group);

/* A hash of those parts of a middle in which levels, routes and models differ; to be multiplied. */
static inline uint64_t ca_middle_mix(const char *text, const char *end) {
    const char *model_end = end - CA_USER_KEY_BYTES;
    const uint64_t start = ca_load_word(text + 8) ^ ca_rotate_left(ca_load_word(text + 16), 41);
    const uint64_t rest = ca_load_word(text + 24) ^ ca_rotate_left(ca_load_word(model_end - 8), 23);
    return start + rest + ca_rotate_left(ca_load_word(model_end - 16), 11);
}

static inline size_t ca_middle_place(const struct ca_middle_cache *cache, uint64_t mix) {
    return (size_t)(mix * cache->multiplier >> (64 - CA_MIDDLE_PLACES_LOG2));
}

/* The only middle that can be the one from `text` to `end`. It has to be compared. */
static inline const struct ca_middle *ca_middle_candidate(const struct ca_middle_cache *cache,
                                                          const char *text, const char *end) {
    const size_t place = ca_middle_place(cache, ca_middle_mix(text, end));
    return (const void *)((const char *)cache->middles + cache->places[place]);
}

#endif
