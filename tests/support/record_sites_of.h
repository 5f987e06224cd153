/* SPDX-License-Identifier: MIT
 *
 * The call sites of a JSON record, for record_of.h. */
#ifndef CA_RECORD_SITES_OF_H
#define CA_RECORD_SITES_OF_H

#include <jansson.h>
#include <stdbool.h>

/* Figures of the sites by name (record_of.h lists them). False when `path` is none of these. */
bool ca_sites_text(const json_t *root, const char *path, char *ret_text, size_t size);

/* Holds the sites of `phase` against its counts, when sites were measured; appends what is wrong to
 * `problems`. */
void ca_sites_check(const json_t *root, const json_t *phase, char *problems, size_t size);

#endif
