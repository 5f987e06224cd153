/* SPDX-License-Identifier: MIT
 *
 * How a region begins, for whoever creates one: the command, or the shim when nobody started it. */
#ifndef CA_REGION_INIT_H
#define CA_REGION_INIT_H

#include <countalloc/counterfile.h>
#include <stdbool.h>

/* What is to be measured besides the counts. */
struct ca_wanted {
    bool is_live;          /* bytes_live and bytes_peak */
    uint32_t stack_depth;  /* frames of a call site: 0 none, 1 the caller, at most
                              CA_STACK_DEPTH_MAX */
    uint64_t sample_bytes; /* one stack in so many bytes allocated; 0 none */
};

/* Bytes of a region for it. */
size_t ca_region_bytes_for(const struct ca_wanted *wanted);

/* Writes the header and the fixed phases into `region`, which is all zero and `region_bytes` (at
 * least CA_REGION_BYTES_MIN) long; when that is too short for the call sites that are wanted, it
 * has none (`sites_offset` 0). Only the process `target_pid` will count in it. */
void ca_region_init(struct ca_region *region, size_t region_bytes, uint32_t creator_pid,
                    uint32_t target_pid, const struct ca_wanted *wanted);

/* How many rows a region of `region_bytes` has. */
uint32_t ca_region_row_capacity(size_t region_bytes);

#endif
