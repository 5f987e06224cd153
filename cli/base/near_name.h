/* SPDX-License-Identifier: MIT
 *
 * What somebody who typed a wrong name may have meant. */
#ifndef CA_NEAR_NAME_H
#define CA_NEAR_NAME_H

#include <stdbool.h>

/* Whether `typed` is a slip away from `name`: a beginning of it, or at most two letters (one, for
 * names of up to three) added, left out, changed or swapped. Names longer than 63 bytes are near to
 * nothing. */
bool ca_is_near_name(const char *typed, const char *name);

#endif
