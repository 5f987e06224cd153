/* SPDX-License-Identifier: MIT
 *
 * What a workload runs under: nothing, the shim in each of its modes, or a tool of somebody
 * else's, or a library that does too little (floor.c). A new one is a row in bench_variants.c. */
#ifndef CA_BENCH_VARIANTS_H
#define CA_BENCH_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>

#define CA_VARIANT_WORDS 6

struct ca_variant {
    const char *name;
    const char *meaning;
    const char *environment[CA_VARIANT_WORDS]; /* "NAME=VALUE", NULL-ended */
    const char *prefix[CA_VARIANT_WORDS];      /* in front of the command, NULL-ended */
    bool is_peer;
    bool is_floor;
    bool is_emulated; /* calibrations inside it mean nothing: they are made around it */
    /* Its work is this part of the usual, and so is that of the bare runs it is compared with. Of
     * workloads in slices; of programs. */
    long slice_divisor;
    long program_divisor;
    /* What its record must show before it is believed to count. Of ours only. */
    bool is_live;
    bool has_sites;
};

/* The first is the bare program. All stay for ever. */
const struct ca_variant *ca_variants(size_t *ret_count);

/* Whether it is installed and really does what it should: a shim that counts nothing costs
 * nothing. Says on standard error why not. `directory`: for its files. */
bool ca_variant_works(const struct ca_variant *variant, const char *directory);

#endif
