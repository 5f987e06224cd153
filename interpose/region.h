/* SPDX-License-Identifier: MIT
 *
 * Where the shim's counters live: in the region that `countalloc run` made, else in one of its own.
 */
#ifndef CA_REGION_H
#define CA_REGION_H

#include "shim_state.h"

/* Opens or makes the region that `environment` (borrowed, NULL-terminated) asks for and sets what
 * ca_shim knows of it; under a plain preload it also settles whether and where this process
 * reports. NULL when this process must not count (a child of the one that is counted) or cannot;
 * the latter is said once on fd 2. */
struct ca_region *ca_region_open(char *const *environment);

/* Says on fd 2, in one line, why this process is not counted: `what``path`, the error when
 * `negative_errno` is not 0, and what to do. */
void ca_region_complain(const char *what, const char *path, int negative_errno,
                        const char *next_step);

/* The variable that `countalloc run` sets: the path of its region. */
#define CA_REGION_VARIABLE "COUNTALLOC_REGION"

#endif
