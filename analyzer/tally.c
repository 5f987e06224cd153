/* SPDX-License-Identifier: MIT */
#include "tally.h"

#include <stdlib.h>

enum {
    SMALLEST_CAPACITY_COUNT = 4
};

void ca_tally_release(struct ca_tally *tally) {
    free(tally->counts);
    free(tally->pairs);
    *tally = (struct ca_tally){0};
}

/* Adds to a counter and returns what it cannot hold: a multiple of 2^32. */
static uint64_t count_up(uint32_t *counter, uint64_t value_count) {
    const uint64_t sum = *counter + value_count;
    *counter = (uint32_t)sum;
    return sum - *counter;
}

static void sift_down(struct ca_tally_pair *pairs, size_t root, size_t pair_count) {
    const struct ca_tally_pair moved = pairs[root];
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= pair_count)
            break;
        if (child + 1 < pair_count && pairs[child + 1].value_ms > pairs[child].value_ms)
            child++;
        if (pairs[child].value_ms <= moved.value_ms)
            break;
        pairs[root] = pairs[child];
        root = child;
    }
    pairs[root] = moved;
}

/* Heapsort, because glibc's qsort allocates and this may run once in a few dozen lines of a log
 * whose latencies are all long. */
static void sort_pairs(struct ca_tally_pair *pairs, size_t pair_count) {
    for (size_t root = pair_count / 2; root > 0; root--)
        sift_down(pairs, root - 1, pair_count);
    for (size_t last = pair_count; last > 1; last--) {
        const struct ca_tally_pair largest = pairs[0];
        pairs[0] = pairs[last - 1];
        pairs[last - 1] = largest;
        sift_down(pairs, 0, last - 1);
    }
}

void ca_tally_sort(struct ca_tally *tally) {
    struct ca_tally_pair *pairs = tally->pairs;
    size_t joined_count = 0;
    sort_pairs(pairs, tally->pair_count);
    for (size_t at = 0; at < tally->pair_count; at++) {
        if (joined_count > 0 && pairs[joined_count - 1].value_ms == pairs[at].value_ms)
            pairs[joined_count - 1].value_count += pairs[at].value_count;
        else
            pairs[joined_count++] = pairs[at];
    }
    tally->pair_count = joined_count;
}

static bool grow_pairs(struct ca_tally *tally) {
    const size_t held_count = tally->pair_capacity_count;
    if (held_count > SIZE_MAX / 2 / sizeof *tally->pairs)
        return false;
    const size_t capacity_count = held_count == 0 ? SMALLEST_CAPACITY_COUNT : 2 * held_count;
    struct ca_tally_pair *pairs = realloc(tally->pairs, capacity_count * sizeof *pairs);
    if (pairs == NULL)
        return false;
    tally->pairs = pairs;
    tally->pair_capacity_count = capacity_count;
    return true;
}

/* Makes the counters and moves the pairs they can count into them. */
static bool begin_counting(struct ca_tally *tally) {
    tally->counts = calloc(CA_TALLY_COUNTED_MS, sizeof *tally->counts);
    if (tally->counts == NULL)
        return false;
    size_t kept_count = 0;
    for (size_t at = 0; at < tally->pair_count; at++) {
        struct ca_tally_pair pair = tally->pairs[at];
        if (pair.value_ms < CA_TALLY_COUNTED_MS)
            pair.value_count = count_up(&tally->counts[pair.value_ms], pair.value_count);
        if (pair.value_count > 0)
            tally->pairs[kept_count++] = pair;
    }
    tally->pair_count = kept_count;
    return true;
}

/* Makes room for one more pair. Joining comes before growing, and must free half, so that a pair
 * costs a sort only once in a while. */
static bool make_room(struct ca_tally *tally) {
    if (tally->pair_capacity_count < CA_TALLY_FIRST_PAIRS)
        return grow_pairs(tally);
    if (tally->counts == NULL && !begin_counting(tally))
        return false;
    if (tally->pair_count > tally->pair_capacity_count / 2)
        ca_tally_sort(tally);
    return tally->pair_count <= tally->pair_capacity_count / 2 || grow_pairs(tally);
}

bool ca_tally_add_many(struct ca_tally *tally, uint32_t value_ms, uint64_t value_count) {
    if (tally->pair_count == tally->pair_capacity_count && !make_room(tally))
        return false;
    struct ca_tally_pair pair = {value_count, value_ms};
    if (tally->counts != NULL && value_ms < CA_TALLY_COUNTED_MS)
        pair.value_count = count_up(&tally->counts[value_ms], value_count);
    if (pair.value_count > 0)
        tally->pairs[tally->pair_count++] = pair;
    return true;
}

bool ca_tally_merge(struct ca_tally *tally, const struct ca_tally *other) {
    for (size_t at = 0; at < other->pair_count; at++)
        if (!ca_tally_add_many(tally, other->pairs[at].value_ms, other->pairs[at].value_count))
            return false;
    if (other->counts == NULL)
        return true;
    for (uint32_t value_ms = 0; value_ms < CA_TALLY_COUNTED_MS; value_ms++)
        if (other->counts[value_ms] > 0 &&
            !ca_tally_add_many(tally, value_ms, other->counts[value_ms]))
            return false;
    return true;
}

/* Steps through a sorted tally, value by value. */
struct walk {
    const struct ca_tally *tally;
    uint32_t next_ms; /* the next counter */
    size_t next_pair;
};

static uint32_t counter_of(const struct ca_tally *tally, uint32_t value_ms) {
    return tally->counts != NULL ? tally->counts[value_ms] : 0;
}

/* The next counter or pair that is not 0; false behind the last. A value may come from both. */
static bool walk_next(struct walk *walk, struct ca_tally_pair *ret_pair) {
    const struct ca_tally *tally = walk->tally;
    const uint32_t limit_ms = tally->counts != NULL ? CA_TALLY_COUNTED_MS : 0;
    while (walk->next_ms < limit_ms && counter_of(tally, walk->next_ms) == 0)
        walk->next_ms++;
    const bool has_pair = walk->next_pair < tally->pair_count;
    if (walk->next_ms < limit_ms &&
        (!has_pair || walk->next_ms <= tally->pairs[walk->next_pair].value_ms)) {
        *ret_pair = (struct ca_tally_pair){counter_of(tally, walk->next_ms), walk->next_ms};
        walk->next_ms++;
        return true;
    }
    if (has_pair)
        *ret_pair = tally->pairs[walk->next_pair++];
    return has_pair;
}

static uint64_t count_values(const struct ca_tally *tally) {
    struct walk walk = {tally, 0, 0};
    struct ca_tally_pair pair;
    uint64_t value_count = 0;
    while (walk_next(&walk, &pair))
        value_count += pair.value_count;
    return value_count;
}

struct ca_tally_summary ca_tally_summarize(const struct ca_tally *tally) {
    struct ca_tally_summary summary = {.value_count = count_values(tally)};
    const uint64_t rank_50 = ca_nearest_rank(summary.value_count, 50);
    const uint64_t rank_99 = ca_nearest_rank(summary.value_count, 99);
    struct walk walk = {tally, 0, 0};
    struct ca_tally_pair pair;
    uint64_t seen_count = 0;
    while (seen_count < rank_99 && walk_next(&walk, &pair)) {
        if (seen_count < rank_50)
            summary.p50_ms = pair.value_ms;
        summary.p99_ms = pair.value_ms;
        seen_count += pair.value_count;
    }
    return summary;
}
