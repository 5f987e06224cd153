/* SPDX-License-Identifier: MIT
 *
 * The start-up arena: serves what is asked for while the allocator below is being looked for, which
 * by itself asks for nothing. Blocks are zeroed, 16-byte aligned and never given back. */
#ifndef CA_ARENA_H
#define CA_ARENA_H

#include "count.h"

/* Calls served by the arena. malloc, calloc and realloc give NULL when it is full. */
extern CA_HIDDEN const struct ca_engine ca_arena_engine;

/* Whether `block` is one of the arena's. */
bool ca_arena_has(const void *block);

/* `engine` as it is, or, when the arena has handed blocks out, with a free and a realloc in front
 * that keep those from it. */
struct ca_engine ca_arena_guard(struct ca_engine engine);

#endif
