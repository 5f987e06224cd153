/* SPDX-License-Identifier: MIT
 *
 * The start and the end of an image, and of a fork: the only place with an order of events. */
#ifndef CA_LIFECYCLE_H
#define CA_LIFECYCLE_H

#include "shim_state.h"

/* Resolves the allocator below. The first call of any entry gets here, whoever makes
 * it. */
void ca_lifecycle_resolve(void);

/* Attaches to the region when the environment is there. Returns whether the shim counts into a
 * region now. */
bool ca_lifecycle_attach(void);

#endif
