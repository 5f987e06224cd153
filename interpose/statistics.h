/* SPDX-License-Identifier: MIT
 *
 * What the allocator below says of itself. */
#ifndef CA_STATISTICS_H
#define CA_STATISTICS_H

#include "shim_state.h"

/* Asks it, and notes the answer in `image`. Takes the allocator's locks: only when an image ends,
 * and only when the creator of the region wants it. */
void ca_statistics_take(struct ca_image *image);

#endif
