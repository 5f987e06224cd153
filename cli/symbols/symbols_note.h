/* SPDX-License-Identifier: MIT
 *
 * What is said about frames that got no name, once for all. Private to this folder. */
#ifndef CA_SYMBOLS_NOTE_H
#define CA_SYMBOLS_NOTE_H

#include "symbols/module_symbols.h"

#define CA_MODULE_TROUBLE_BYTES 200u

/* What became of a module. */
struct ca_module_result {
    enum ca_module_outcome outcome;
    bool has_lines;
    char trouble[CA_MODULE_TROUBLE_BYTES]; /* "": it has lines, or nothing went wrong */
    uint32_t frame_count;                  /* of it that were looked up */
    uint32_t unnamed_count;                /* of those */
};

/* The note about `results`, one for each module of the record; false when there is nothing to say.
 * `ret_text`: CA_RECORD_NOTE_SIZE bytes. */
bool ca_symbols_note(const struct ca_record *record, const struct ca_module_result *results,
                     const struct ca_symbols_work *work, char *ret_text);

/* The same about modules whose debug information could not be read. */
bool ca_symbols_trouble_note(const struct ca_record *record, const struct ca_module_result *results,
                             char *ret_text);

#endif
