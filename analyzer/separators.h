/* SPDX-License-Identifier: MIT
 *
 * separators.h: where the spaces and newlines of a text are, with whatever vector instructions the
 * processor has; and the paths, one for each instruction set, which are the only place where the
 * versions depend on the processor.
 *
 * A path is two files with one function each: separators_<set>.c, and line_ends_<set>.c for v10. A
 * file per architecture, separators_paths_<architecture>.c, lists those that may be there. All of
 * them give the same results. New ones need the two files, and a line in such a list.
 */
#ifndef COUNTALLOC_SEPARATORS_H
#define COUNTALLOC_SEPARATORS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    CA_SEPARATOR_READ_BYTES = 63, /* how far behind the text is read; the bytes do not matter */
    CA_SEPARATOR_SPARE = 64,      /* positions that may be written behind the last */
};

/* Writes the addresses of all ' ' and '\n' among `byte_count` bytes, in their order, and returns
 * how many there are. `ret_positions` has room for `byte_count` + CA_SEPARATOR_SPARE. */
typedef size_t ca_separators_function(const char *bytes, size_t byte_count,
                                      const char **ret_positions);

struct ca_line_ends;
struct ca_result;

/* Counts usual lines; see line_ends.h. */
typedef const char *ca_line_ends_function(struct ca_line_ends *ends, const char *line,
                                          const char *end, struct ca_result *result);

struct ca_separator_path {
    const char *name;
    ca_separators_function *find;
    ca_line_ends_function *count;
    bool (*is_supported)(void); /* by this processor */
};

/* The paths of this architecture, `ca_separator_path_count` elements, the fastest first. The last
 * one, "scalar", is supported everywhere. */
extern const struct ca_separator_path ca_separator_paths[];
extern const size_t ca_separator_path_count;

/* The first path that this processor supports. */
const struct ca_separator_path *ca_separator_path_best(void);

/* The path of that name, or NULL when there is none or the processor does not support it. */
const struct ca_separator_path *ca_separator_path_find(const char *name);

bool ca_separators_always(void);
ca_separators_function ca_separators_avx2;
ca_separators_function ca_separators_sse2;
ca_separators_function ca_separators_neon;
ca_separators_function ca_separators_scalar;
ca_line_ends_function ca_line_ends_avx2;
ca_line_ends_function ca_line_ends_sse2;
ca_line_ends_function ca_line_ends_neon;
ca_line_ends_function ca_line_ends_scalar;

#endif
