/* SPDX-License-Identifier: MIT
 *
 * Samples: once in so many bytes on average, an allocation has its whole stack taken by an
 * unwinder, for code without frame pointers. The counts beside them stay exact.
 *
 * The bytes that a thread allocates are a line on which points lie at exponential distances, with
 * the interval as their mean. An allocation that covers k points stands for k intervals of bytes,
 * and so for k * interval / size allocations of its size: both estimates are unbiased, whatever the
 * sizes. The points come from a generator that begins alike in every thread, so that a program that
 * does the same gives the same samples.
 */
#ifndef CA_SAMPLE_H
#define CA_SAMPLE_H

#include "count.h"

/* Bytes that the calling thread may still allocate until its next sample. Begins as 0, so that a
 * thread's first call draws the first distance. */
CA_THREAD_WORD(int64_t, ca_sample_left);

/* What one sample stands for. */
struct ca_weight {
    uint64_t samples;     /* points */
    uint64_t allocations; /* in 256ths */
    uint64_t bytes;
};

/* After ca_sample_left went below 0: takes a sample of a call that returns to `caller` and draws
 * the next distance. Keeps errno; returns `block`. */
void *ca_sample_take(void *block, uintptr_t caller, size_t size_bytes);

/* Adds a sample to its site (site.c). `frames`: frame_count return addresses, the caller first. */
void ca_site_add_sample(const uintptr_t *frames, uint32_t frame_count, bool is_cut,
                        const struct ca_weight *weight);

#endif
