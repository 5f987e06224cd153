/* SPDX-License-Identifier: MIT
 *
 * The modules of the image that counts: which loaded object an address belongs to. An object that
 * was unloaded and another that took its place are two modules. */
#ifndef CA_MODULE_H
#define CA_MODULE_H

#include "shim_state.h"

/* `address` as its module has it. Enters the module when it is new. */
struct ca_frame ca_module_frame(uintptr_t address);

/* Looks which modules are no longer loaded and marks them. Returns whether there was one. */
bool ca_module_find_gone(void);

#endif
