/* SPDX-License-Identifier: MIT
 *
 * C++ (Itanium) and Rust (legacy and v0) symbols as their authors wrote them. By GNU libiberty, the
 * demangler of binutils, gdb, perf and Valgrind, which knows all three; where it is missing, names
 * stay as they are, but for those of C++ on macOS. Symbols of Mach-O, with one more '_' in front,
 * are understood, too.
 */
#ifndef CA_DEMANGLE_H
#define CA_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Longer symbols are left alone: time and output of a demangler may grow faster than its input. */
#define CA_DEMANGLE_LENGTH_MAX 8192

/* Whether the build has a demangler for all of them. */
bool ca_demangle_is_available(void);

/* The name that `symbol` stands for, returned: free() it. NULL when it is not mangled, too long, or
 * cannot be understood. */
char *ca_demangle(const char *symbol, size_t byte_count);

#endif
