/* SPDX-License-Identifier: MIT
 *
 * One module's names. Private to this folder; module_libdw.c implements it with elfutils' libdw,
 * symbols_none.c where that is missing. */
#ifndef CA_MODULE_SYMBOLS_H
#define CA_MODULE_SYMBOLS_H

#include "symbols/download_limit.h"
#include "symbols/symbol_memory.h"
#include "symbols/symbols.h"

enum ca_module_outcome {
    CA_MODULE_OPEN = 0,
    CA_MODULE_ABSENT,     /* there is no such file */
    CA_MODULE_REPLACED,   /* the file is another build */
    CA_MODULE_UNREADABLE, /* no permission, or damaged */
    CA_MODULE_NO_MEMORY
};

struct ca_module_symbols; /* a module that is open */

/* What is the same for all modules. */
struct ca_symbols_work {
    const struct ca_symbols_options *options;
    struct ca_symbol_memory *memory; /* for what the record will point to */
    struct ca_download_limit downloads;
};

/* `*ret`: returned when the outcome is CA_MODULE_OPEN, ca_module_symbols_close() it. `work` and
 * `module` are kept. */
enum ca_module_outcome ca_module_symbols_open(struct ca_symbols_work *work,
                                              const struct ca_record_module *module,
                                              struct ca_module_symbols **ret);
void ca_module_symbols_close(struct ca_module_symbols *symbols);

/* Fills `functions` and `function_count` of `frame`, of this module, if they can be known. False
 * when there is no memory. */
bool ca_module_symbols_name(struct ca_module_symbols *symbols, struct ca_record_frame *frame);

/* Whether the module has line numbers for any of its code. */
bool ca_module_symbols_has_lines(const struct ca_module_symbols *symbols);

#endif
