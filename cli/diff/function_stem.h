/* SPDX-License-Identifier: MIT
 *
 * What of a function's name stays the same when its program is built again. */
#ifndef CA_FUNCTION_STEM_H
#define CA_FUNCTION_STEM_H

#include "flame/byte_buffer.h"

/* Adds `name` (demangled, borrowed) without what compilers put behind it or into it:
 *
 *     .isra.0 .constprop.1 .part.2 .cold .lto_priv.3 .llvm.4567 .localalias     gcc and clang
 *     [clone .isra.0] and (.isra.0) of demanglers                               for the same
 *     ::h0123456789abcdef and crate[0123456789abcdef]                           Rust's hashes
 *
 * Parameters and template arguments stay: overloads are functions of their own. At least one byte
 * of a name stays. False: no memory. */
bool ca_function_stem_add(struct ca_byte_buffer *buffer, const char *name);

#endif
