/* SPDX-License-Identifier: MIT
 *
 * macOS's own libraries: since version 11 they have no files, and are in a cache that every process
 * has mapped at the same place until the system is started again, this one, too. */
#ifndef CA_SHARED_CACHE_H
#define CA_SHARED_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/* The library of the cache that is called `path`: where its header is in this process, and what is
 * added to its addresses. Loads those of /usr/lib, which start nothing. False when there is none.
 * On macOS only. */
bool ca_shared_cache_find(const char *path, const void **ret_header, uintptr_t *ret_slide);

#endif
