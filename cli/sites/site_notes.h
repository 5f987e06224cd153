/* SPDX-License-Identifier: MIT
 *
 * What a reader of call sites has to know: stacks that end early, places that are wrappers of the
 * allocator, and the options that show more. */
#ifndef CA_SITE_NOTES_H
#define CA_SITE_NOTES_H

#include "sites/site_report.h"

/* Fills the report's notes; its rows are there. */
void ca_site_report_note(struct ca_site_report *report);

/* Whether a function's name is that of something that allocates for others: malloc, safemalloc,
 * jv_mem_alloc, operator new, g_strdup. */
bool ca_is_wrapper_name(const char *name);

#endif
