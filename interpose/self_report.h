/* SPDX-License-Identifier: MIT
 *
 * The report of a plain preload, from the shim's destructor. */
#ifndef CA_SELF_REPORT_H
#define CA_SELF_REPORT_H

/* Writes the report that COUNTALLOC_REPORT asks for (text unless it says json) to
 * COUNTALLOC_REPORT_FILE, else to the stderr that the program began with, if that is still where it
 * was. */
void ca_self_report(void);

#endif
