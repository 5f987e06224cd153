/* SPDX-License-Identifier: MIT
 *
 * The busiest of many: those with the most allocations. Inside the report only. */
#ifndef CA_BUSIEST_H
#define CA_BUSIEST_H

#include "record.h"

typedef uint64_t (*ca_allocations_of)(const struct ca_record *record, uint32_t index);

/* Fills `chosen`, `chosen_limit` elements, with the indices below `count` that have the most
 * allocations, in ascending order; of equals, the first. Returns how many. */
uint32_t ca_busiest_choose(const struct ca_record *record, ca_allocations_of allocations,
                           uint32_t count, uint32_t *chosen, uint32_t chosen_limit);

bool ca_busiest_has(const uint32_t *chosen, uint32_t chosen_count, uint32_t index);

#endif
