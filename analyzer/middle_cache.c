/* SPDX-License-Identifier: MIT */
#include "middle_cache.h"

#include <string.h>

#include "splitmix.h"

enum {
    SEARCHES_MAX = 64, /* each tries a few multipliers with all middles */
    TRIES_MAX = 32,
};

void ca_middle_cache_init(struct ca_middle_cache *cache) {
    cache->multiplier = 0x9e3779b97f4a7c15;
    cache->groups_slot_count = 0;
    cache->middle_count = 1;
    cache->search_count = 0;
    memset(cache->places, 0, sizeof cache->places);
    cache->middles[0] = (struct ca_middle){.byte_count = 0};
}

void ca_middle_cache_follow(struct ca_middle_cache *cache, const struct ca_groups *groups) {
    if (cache->groups_slot_count == groups->slot_count)
        return;
    ca_middle_cache_init(cache);
    cache->groups_slot_count = groups->slot_count;
}

static uint16_t offset_of(size_t middle) {
    return (uint16_t)(middle * sizeof(struct ca_middle));
}

/* Gives every middle its place; false when two have the same. */
static bool place_all(struct ca_middle_cache *cache) {
    memset(cache->places, 0, sizeof cache->places);
    for (size_t at = 1; at < cache->middle_count; at++) {
        uint16_t *place = &cache->places[ca_middle_place(cache, cache->middles[at].mix)];
        if (*place != 0)
            return false;
        *place = offset_of(at);
    }
    return true;
}

/* Whether another middle has the mix of the last one, being the same or not, so that no multiplier
 * keeps them apart. */
static bool has_twin(const struct ca_middle_cache *cache) {
    const size_t last = cache->middle_count - 1;
    for (size_t at = 1; at < last; at++)
        if (cache->middles[at].mix == cache->middles[last].mix)
            return true;
    return false;
}

/* The last middle has a place that is taken. Without success everything is as before. */
static bool find_multiplier(struct ca_middle_cache *cache) {
    const uint64_t before = cache->multiplier;
    uint64_t state = before;
    if (cache->search_count == SEARCHES_MAX || has_twin(cache))
        return false;
    cache->search_count++;
    for (unsigned at = 0; at < TRIES_MAX; at++) {
        cache->multiplier = ca_splitmix_next(&state) | 1;
        if (place_all(cache))
            return true;
    }
    cache->multiplier = before;
    cache->middle_count--;
    place_all(cache);
    cache->middle_count++;
    return false;
}

void ca_middle_cache_add(struct ca_middle_cache *cache, const char *text, const char *end,
                         struct ca_group *group) {
    const size_t byte_count = (size_t)(end - text);
    if (byte_count < CA_MIDDLE_BYTES_MIN || byte_count > CA_MIDDLE_BYTES_MAX ||
        cache->middle_count == CA_MIDDLES_MAX)
        return;
    struct ca_middle *middle = &cache->middles[cache->middle_count];
    *middle = (struct ca_middle){
        .byte_count = byte_count,
        .mix = ca_middle_mix(text, end),
        .counts = group->tally.counts,
        .token_sum = &group->token_sum,
    };
    memcpy(middle->first, text, CA_MIDDLE_HALF_BYTES);
    memcpy(middle->last, end - CA_MIDDLE_HALF_BYTES, CA_MIDDLE_HALF_BYTES);
    uint16_t *place = &cache->places[ca_middle_place(cache, middle->mix)];
    cache->middle_count++;
    if (*place == 0)
        *place = offset_of(cache->middle_count - 1);
    else if (!find_multiplier(cache))
        cache->middle_count--;
}
