/* SPDX-License-Identifier: MIT
 *
 * How a region begins, for whoever creates one: the command, or the shim when nobody started it. */
#ifndef CA_REGION_INIT_H
#define CA_REGION_INIT_H

#include <countalloc/counterfile.h>
#include <stdbool.h>

/* Writes the header and the fixed phases into `region`, which is all zero and `region_bytes` (at
 * least CA_REGION_BYTES_MIN) long. Only the process `target_pid` will count in it. */
void ca_region_init(struct ca_region *region, size_t region_bytes, uint32_t creator_pid,
                    uint32_t target_pid, bool is_live_wanted);

/* How many rows a region of `region_bytes` has. */
uint32_t ca_region_row_capacity(size_t region_bytes);

#endif
