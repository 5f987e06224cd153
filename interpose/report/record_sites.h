/* SPDX-License-Identifier: MIT
 *
 * Call sites of a record: from the region's table, which has them by row, to one for each place and
 * phase. */
#ifndef CA_RECORD_SITES_H
#define CA_RECORD_SITES_H

#include "record.h"

/* The most memory that ca_record_build_sites can need for `region`; 0 when it has no sites. */
size_t ca_record_sites_bytes(const struct ca_region *region, size_t region_bytes);

/* Fills the call site members of `record`, whose phases have their counts. `place`: by phase id, 1
 * + index into record->phases, 0 for none; phase_count elements. `memory`: zeroed, memory_bytes
 * long; sites that the program entered since it was measured are left out when they do not fit, and
 * their allocations are then without site. */
void ca_record_build_sites(struct ca_record *record, const struct ca_region *region,
                           size_t region_bytes, const uint32_t *place, uint32_t phase_count,
                           void *memory, size_t memory_bytes);

#endif
