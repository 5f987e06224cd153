/* SPDX-License-Identifier: MIT
 *
 * The members of the JSON record that are about call sites. Inside the report only. */
#ifndef CA_RECORD_JSON_SITES_H
#define CA_RECORD_JSON_SITES_H

#include "json_out.h"

/* Adds them to the open object of the record: an empty list "sites" alone when nothing was
 * measured. A frame and a site take one line each. */
void ca_record_put_sites(struct ca_json *json, const struct ca_record *record);

#endif
