/* SPDX-License-Identifier: MIT */
#include "groups.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SLOT_COUNT = 4,
    FIRST_HASH_SHIFT = 62,
    FIRST_CAPACITY_COUNT = 4,
};

bool ca_latencies_grow(struct ca_latencies *latencies) {
    const bool is_first = latencies->capacity_count == 0;
    if (latencies->capacity_count > SIZE_MAX / 2 / sizeof *latencies->values_ms)
        return false;
    const size_t capacity_count = is_first ? FIRST_CAPACITY_COUNT : 2 * latencies->capacity_count;
    const size_t size_bytes = capacity_count * sizeof *latencies->values_ms;
    uint32_t *values_ms = is_first ? malloc(size_bytes) : realloc(latencies->values_ms, size_bytes);
    if (values_ms == NULL)
        return false;
    latencies->values_ms = values_ms;
    latencies->capacity_count = capacity_count;
    return true;
}

void ca_groups_release(struct ca_groups *groups) {
    for (size_t at = 0; at < groups->slot_count; at++) {
        free(groups->slots[at].owned_key);
        free(groups->slots[at].latencies.values_ms);
        ca_tally_release(&groups->slots[at].tally);
    }
    free(groups->slots);
    *groups = (struct ca_groups){0};
}

static struct ca_group *free_slot(const struct ca_groups *groups, uint64_t hash) {
    size_t at = (size_t)(hash >> groups->hash_shift);
    while (groups->slots[at].route.bytes != NULL)
        at = (at + 1) & (groups->slot_count - 1);
    return &groups->slots[at];
}

static bool grow(struct ca_groups *groups) {
    struct ca_groups larger = {NULL, FIRST_SLOT_COUNT, groups->group_count, FIRST_HASH_SHIFT};
    if (groups->slot_count > 0) {
        larger.slot_count = 2 * groups->slot_count;
        larger.hash_shift = groups->hash_shift - 1;
    }
    larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
    if (larger.slots == NULL)
        return false;
    for (size_t at = 0; at < groups->slot_count; at++)
        if (groups->slots[at].route.bytes != NULL)
            *free_slot(&larger, groups->slots[at].hash) = groups->slots[at];
    free(groups->slots);
    *groups = larger;
    return true;
}

static bool is_full(const struct ca_groups *groups) {
    return groups->group_count >= groups->slot_count - (groups->slot_count + 7) / 8;
}

struct ca_group *ca_groups_add(struct ca_groups *groups, uint64_t hash, struct ca_slice route,
                               struct ca_slice model) {
    if (is_full(groups) && !grow(groups))
        return NULL;
    struct ca_group *group = free_slot(groups, hash);
    group->hash = hash;
    group->route = route;
    group->model = model;
    groups->group_count++;
    return group;
}

struct ca_group *ca_groups_add_copy(struct ca_groups *groups, uint64_t hash, struct ca_slice route,
                                    struct ca_slice model) {
    char *key = malloc(route.byte_count + model.byte_count + 1);
    if (key == NULL)
        return NULL;
    memcpy(key, route.bytes, route.byte_count);
    memcpy(key + route.byte_count, model.bytes, model.byte_count);
    route.bytes = key;
    model.bytes = key + route.byte_count;
    struct ca_group *group = ca_groups_add(groups, hash, route, model);
    if (group != NULL)
        group->owned_key = key;
    else
        free(key);
    return group;
}

/* The byte at `at` of "route model", or -1 behind its end. */
static int name_byte(const struct ca_group *group, size_t at) {
    if (at < group->route.byte_count)
        return (unsigned char)group->route.bytes[at];
    at -= group->route.byte_count;
    if (at == 0)
        return ' ';
    at -= 1;
    return at < group->model.byte_count ? (unsigned char)group->model.bytes[at] : -1;
}

static int by_name(const void *left_group, const void *right_group) {
    for (size_t at = 0;; at++) {
        const int left = name_byte(left_group, at);
        const int right = name_byte(right_group, at);
        if (left != right || left < 0)
            return left - right;
    }
}

static int by_value(const void *left_value, const void *right_value) {
    const uint32_t left = *(const uint32_t *)left_value;
    const uint32_t right = *(const uint32_t *)right_value;
    return (left > right) - (left < right);
}

static void summarize(struct ca_group *group) {
    const struct ca_latencies *latencies = &group->latencies;
    if (latencies->value_count == 0) {
        ca_tally_sort(&group->tally);
        group->summary = ca_tally_summarize(&group->tally);
        return;
    }
    qsort(latencies->values_ms, latencies->value_count, sizeof *latencies->values_ms, by_value);
    group->summary = (struct ca_tally_summary){
        .value_count = latencies->value_count,
        .p50_ms = ca_percentile_ms(latencies->values_ms, latencies->value_count, 50),
        .p99_ms = ca_percentile_ms(latencies->values_ms, latencies->value_count, 99),
    };
}

void ca_groups_sort(struct ca_groups *groups) {
    size_t found_count = 0;
    for (size_t at = 0; at < groups->slot_count; at++) {
        const struct ca_group group = groups->slots[at];
        if (group.route.bytes == NULL)
            continue;
        groups->slots[at] = (struct ca_group){0};
        groups->slots[found_count++] = group;
    }
    if (found_count == 0)
        return;
    qsort(groups->slots, found_count, sizeof *groups->slots, by_name);
    for (size_t at = 0; at < found_count; at++)
        summarize(&groups->slots[at]);
}

uint32_t ca_percentile_ms(const uint32_t *values_ms, size_t count, unsigned percent) {
    return values_ms[ca_nearest_rank(count, percent) - 1];
}
