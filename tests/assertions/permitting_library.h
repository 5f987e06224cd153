/* SPDX-License-Identifier: MIT
 *
 * Allocates once, permitted; in a source file, or a library, of its own. */
#ifndef PERMITTING_LIBRARY_H
#define PERMITTING_LIBRARY_H

#ifdef __cplusplus
extern "C" {
#endif

void log_with_permission(void);

/* 1 when this library's own block saw `malloc_calls` allocations. */
int library_block_sees(int malloc_calls);

#ifdef __cplusplus
}
#endif

#endif
