/* SPDX-License-Identifier: MIT */
#ifndef CA_LOADED_DARWIN_H
#define CA_LOADED_DARWIN_H

#include "shim_platform.h"

/* Begins to keep a list of the loaded images, which call sites need. In the initialiser. */
void ca_loaded_watch(void);

#endif
