/* SPDX-License-Identifier: MIT
 *
 * tally.h: latencies counted instead of kept, from v5 on.
 *
 * A value below CA_TALLY_COUNTED_MS is an index into an array of counters; the few above it are
 * pairs of a value and how often it came. Counting loses nothing: every percentile is as exact as
 * from a sorted list. What a tally holds grows with the number of different values and not with the
 * number of values, so a log of any size fits.
 *
 * A tally begins with pairs alone and gets its counters (16 KiB) when the first
 * CA_TALLY_FIRST_PAIRS are full, so that a log of a million groups with one line each does not cost
 * a million arrays.
 */
#ifndef COUNTALLOC_TALLY_H
#define COUNTALLOC_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CA_TALLY_COUNTED_MS = 4096, /* values below it have a counter */
    CA_TALLY_FIRST_PAIRS = 64,
};

/* A value that came `value_count` times. */
struct ca_tally_pair {
    uint64_t value_count;
    uint32_t value_ms;
};

/* `counts`: CA_TALLY_COUNTED_MS elements, or NULL while there are pairs only. `pairs`: `pair_count`
 * elements, in no order and with doubles until ca_tally_sort. A counter that overflows leaves 2^32
 * in the pairs and begins again. All zero is a tally of nothing. */
struct ca_tally {
    uint32_t *counts;
    struct ca_tally_pair *pairs;
    size_t pair_count;
    size_t pair_capacity_count;
};

/* What the report wants of a group's latencies. */
struct ca_tally_summary {
    uint64_t value_count;
    uint32_t p50_ms;
    uint32_t p99_ms;
};

/* The position, from 1, of a nearest-rank percentile (1 to 100) among `value_count` sorted values.
 */
static inline uint64_t ca_nearest_rank(uint64_t value_count, unsigned percent) {
    return value_count / 100 * percent + (value_count % 100 * percent + 99) / 100;
}

/* Frees the tally and leaves an empty one. */
void ca_tally_release(struct ca_tally *tally);

/* Adds `value_count` times the value. False when memory ran out. */
bool ca_tally_add_many(struct ca_tally *tally, uint32_t value_ms, uint64_t value_count);

/* Adds all of `other`. False when memory ran out. */
bool ca_tally_merge(struct ca_tally *tally, const struct ca_tally *other);

/* Sorts the pairs and joins those of one value; allocates nothing. */
void ca_tally_sort(struct ca_tally *tally);

/* The count and the nearest-rank percentiles of a sorted tally; all 0 when it is empty. */
struct ca_tally_summary ca_tally_summarize(const struct ca_tally *tally);

/* Adds a value once. False when memory ran out. */
static inline bool ca_tally_add(struct ca_tally *tally, uint32_t value_ms) {
    if (tally->counts != NULL && value_ms < CA_TALLY_COUNTED_MS &&
        tally->counts[value_ms] != UINT32_MAX) {
        tally->counts[value_ms]++;
        return true;
    }
    return ca_tally_add_many(tally, value_ms, 1);
}

#endif
