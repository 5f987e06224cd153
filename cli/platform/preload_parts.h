/* SPDX-License-Identifier: MIT
 *
 * What preload_posix.c needs of a system, and what it has for both. */
#ifndef CA_PRELOAD_PARTS_H
#define CA_PRELOAD_PARTS_H

#include "platform/cli_platform.h"

/* ---- of the system ---- */

extern const char ca_preload_variable[];  /* "LD_PRELOAD" */
extern const char ca_preload_file_name[]; /* the shim's */

/* A multiple that the variable is lengthened to with colons, so that programs which copy their
 * environment ask for the same bytes whichever allocator is named in it; 0: never. */
extern const size_t ca_preload_padded_bytes;

/* Whether the variable can carry `path`. */
enum ca_status ca_preload_check_path(const char *path, struct ca_error *err);

/* ---- for both ---- */

/* The file at `path`, which can be read, by its real path in CA_PATH_SIZE bytes. */
bool ca_preload_resolve(const char *path, char *ret_path);

/* The file called `name` in the folder of `library`, likewise. */
bool ca_preload_find_beside(const char *library, const char *name, char *ret_path);

#endif
