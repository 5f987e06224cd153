/* SPDX-License-Identifier: MIT
 *
 * What the allocator below says of itself. */
#ifndef CA_STATISTICS_H
#define CA_STATISTICS_H

#include "shim_state.h"

/* Asks it, and notes the answer in `image`: nothing when it has no such figures (mimalloc's are of
 * what it reserved, not of what it took).
 *
 * Only when an image ends, and only when the creator of the region wants it, because the shim is a
 * guest: the answer takes the allocator's locks, and glibc's walks through every free block. A
 * program that calls exit in a signal handler which interrupted malloc can hang here. */
void ca_statistics_take(struct ca_image *image);

#endif
