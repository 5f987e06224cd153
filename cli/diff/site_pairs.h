/* SPDX-License-Identifier: MIT
 *
 * Which sites of two records are one: pairs of chains. Private to site_diff.c and its tests. */
#ifndef CA_SITE_PAIRS_H
#define CA_SITE_PAIRS_H

#include "diff/site_chains.h"

/* Some sites of either record that are one; sums of several where lines coincide. */
struct ca_site_pair {
    const struct ca_chain *before; /* NULL: new */
    const struct ca_chain *after;  /* NULL: gone */
    uint64_t allocations[2];       /* old, new */
    uint64_t bytes_requested[2];
};

struct ca_site_pairs {
    struct ca_site_pair *pairs; /* pair_count */
    size_t pair_count;
};

/* `is_shallow`: one of the records knows callers only where code was inlined. `chains` must outlive
 * it. CA_ERROR_SYSTEM: no memory; release all the same. */
enum ca_status ca_site_pairs_init(struct ca_site_pairs *pairs, const struct ca_chains *chains,
                                  bool is_shallow, struct ca_error *err);

void ca_site_pairs_release(struct ca_site_pairs *pairs);

#endif
