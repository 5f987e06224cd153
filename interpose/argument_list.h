/* SPDX-License-Identifier: MIT
 *
 * A program's arguments as a region keeps them. */
#ifndef CA_ARGUMENT_LIST_H
#define CA_ARGUMENT_LIST_H

#include <stddef.h>
#include <stdint.h>

/* Writes `argument_count` strings one behind the other, each with its NUL, cut to `size` (at least
 * 1) with a NUL at its end. Returns their number, cut ones included. */
uint32_t ca_arguments_flatten(char *to, size_t size, char *const *arguments,
                              uint32_t argument_count);

#endif
