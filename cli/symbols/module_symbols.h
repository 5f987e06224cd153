/* SPDX-License-Identifier: MIT
 *
 * One module's names. Private to this folder; module_libdw.c implements it with elfutils' libdw,
 * module_macho.c for Mach-O files, symbols_none.c where neither can be. */
#ifndef CA_MODULE_SYMBOLS_H
#define CA_MODULE_SYMBOLS_H

#include "symbols/atos.h"
#include "symbols/download_limit.h"
#include "symbols/symbol_memory.h"
#include "symbols/symbols.h"

enum ca_module_outcome {
    CA_MODULE_OPEN = 0,
    CA_MODULE_ABSENT,     /* there is no such file */
    CA_MODULE_REPLACED,   /* the file is another build */
    CA_MODULE_UNREADABLE, /* no permission, or damaged */
    CA_MODULE_UNCERTAIN,  /* the file has several builds, and it is not known which one ran */
    CA_MODULE_NOT_CACHED, /* one of the system's, without a file; now it has another build of it */
    CA_MODULE_NO_MEMORY
};

struct ca_module_symbols; /* a module that is open */

/* What is the same for all modules. */
struct ca_symbols_work {
    const struct ca_symbols_options *options;
    struct ca_symbol_memory *memory; /* for what the record will point to */
    struct ca_download_limit downloads;
    struct ca_atos atos;
};

/* `*ret`: returned when the outcome is CA_MODULE_OPEN, ca_module_symbols_close() it. `work` and
 * `module` are kept. */
enum ca_module_outcome ca_module_symbols_open(struct ca_symbols_work *work,
                                              const struct ca_record_module *module,
                                              struct ca_module_symbols **ret);
void ca_module_symbols_close(struct ca_module_symbols *symbols);

/* Looks up what is cheaper for many than one by one: `frames` are the module's, frame_count of them
 * without functions. To be called before ca_module_symbols_name(). False when there is no memory.
 */
bool ca_module_symbols_ask(struct ca_module_symbols *symbols, struct ca_record_frame **frames,
                           uint32_t frame_count);

/* Fills `functions` and `function_count` of `frame`, of this module, as far as they are not known
 * and can be. False when there is no memory. */
bool ca_module_symbols_name(struct ca_module_symbols *symbols, struct ca_record_frame *frame);

/* Whether the module has line numbers for any of its code. */
bool ca_module_symbols_has_lines(const struct ca_module_symbols *symbols);

/* Why it has no line numbers, when something went wrong; as long as it is open. "" else. */
const char *ca_module_symbols_trouble(const struct ca_module_symbols *symbols);

/* How to come by names that are missing: "install debug symbols". NULL: there is no way to. */
const char *ca_module_symbols_advice(const struct ca_symbols_work *work);

#endif
