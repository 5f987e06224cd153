/* SPDX-License-Identifier: MIT
 *
 * The members of a record that are about call sites. Of the JSON reader only. */
#ifndef CA_JSON_SITES_H
#define CA_JSON_SITES_H

#include "reader/json_walk.h"

/* Reads them; records of before have none but an empty list "sites". `record` has its phases and
 * threads. An index that leads nowhere is an error, and so are sites that do not add up to their
 * phase. */
void ca_json_read_sites(struct ca_walk *walk, const struct ca_place *root,
                        struct ca_record *record);

#endif
