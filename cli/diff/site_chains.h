/* SPDX-License-Identifier: MIT
 *
 * The call sites of two records in a form in which they can be compared: as chains of functions,
 * known by name and file, the one that allocates first. A function that calls itself is one step,
 * an inlined function is a step as well as one that is called. Sites of a record with the same
 * chain and line are one.
 *
 * A function whose name is not known is known by its module and offset where both records have the
 * same build of the module. Where they have not, or the module has no build id, offsets mean
 * nothing: the step is the module, and the site's offset serves as its line; such a site is a
 * guess. Code made at run time is one step for all of it. */
#ifndef CA_SITE_CHAINS_H
#define CA_SITE_CHAINS_H

#include "base/error.h"
#include "flame/name_table.h"
#include "interpose/report/record.h"

struct ca_chain {
    uint32_t phase;        /* the number of its name, as of a step */
    const uint32_t *steps; /* step_count numbers; equal ones are the same function */
    uint32_t step_count;   /* from 1 */
    uint64_t line;         /* in the first function, or an offset; 0: unknown */
    bool is_after;         /* of the new record */
    bool is_guess;
    const struct ca_record_site *site; /* the first of those that it sums up */
    uint64_t allocations;
    uint64_t bytes_requested;
};

struct ca_chains {
    struct ca_chain *chains; /* chain_count: by phase, then steps, then the old record's, then by
                                line */
    size_t chain_count;
    struct ca_name_table names; /* of steps and phases */
    uint32_t *steps;
    size_t step_count;
};

/* `before` and `after` must outlive it. CA_ERROR_SYSTEM: no memory; release all the same. */
enum ca_status ca_chains_init(struct ca_chains *chains, const struct ca_record *before,
                              const struct ca_record *after, struct ca_error *err);

void ca_chains_release(struct ca_chains *chains);

/* Whether a function of a frame of `module` (an index) of `record` has a name that symbols gave;
 * `*ret_unknown`: whether one has not. */
bool ca_module_has_functions(const struct ca_record *record, uint32_t module, bool *ret_unknown);

/* Whether `other` has the module of `record` (an index), by its base name, the program itself
 * whatever its name; `*ret_same_build`: and the same build of it. */
bool ca_module_is_in(const struct ca_record *record, uint32_t module, const struct ca_record *other,
                     bool *ret_same_build);

/* The name of a module that does not depend on folders; "" for the program itself. */
const char *ca_module_stem(const struct ca_record *record, uint32_t module);

#endif
