/* SPDX-License-Identifier: MIT
 *
 * Phases inside the shim: the exported side of countalloc/phase.h is `countalloc_phase_api` in
 * phase.c. */
#ifndef CA_PROCESS_PHASE_H
#define CA_PROCESS_PHASE_H

#include <countalloc/phase.h>

#include "shim_state.h"

extern const struct countalloc_phase_api countalloc_phase_api;

/* Begins the process phase `phase` (counterfile.h, "The process phase"). When somebody else is
 * changing it for too long, or there is no room, it stays as it is and the header's
 * `switches_dropped` says so. */
void ca_process_phase_begin(uint32_t phase);

/* Makes the allocations that the region wants injected into `phase`, if any. */
void ca_phase_inject(uint32_t phase);

/* Gives the sites of a base row, whose slot can be found already, the present process phase. */
void ca_process_phase_tag(struct ca_row *base);

/* The present process phase of this image. */
uint32_t ca_process_phase(void);

#endif
