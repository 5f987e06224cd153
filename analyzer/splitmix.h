/* SPDX-License-Identifier: MIT
 *
 * splitmix.h: SplitMix64, the only source of chance in logs and blocklists, so that any language
 * can make the same bytes.
 *
 * Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014. The state
 * is the seed.
 */
#ifndef COUNTALLOC_SPLITMIX_H
#define COUNTALLOC_SPLITMIX_H

#include <stdint.h>

static inline uint64_t ca_splitmix_next(uint64_t *state) {
    *state += 0x9E3779B97F4A7C15;
    uint64_t word = *state;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
}

/* A number below `limit`, uniform enough, from the upper 32 bits of the next word. */
static inline uint32_t ca_splitmix_below(uint64_t *state, uint32_t limit) {
    return (uint32_t)((ca_splitmix_next(state) >> 32) * limit >> 32);
}

#endif
