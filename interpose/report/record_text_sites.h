/* SPDX-License-Identifier: MIT
 *
 * The part of the text report that is about call sites: the first few. Inside the report only. */
#ifndef CA_RECORD_TEXT_SITES_H
#define CA_RECORD_TEXT_SITES_H

#include "record.h"

/* A table of the sites with the most allocations, what the others have together, and a blank line;
 * nothing when sites were not measured. */
void ca_record_write_text_sites(const struct ca_record *record, struct ca_out *out);

#endif
