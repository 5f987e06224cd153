/* SPDX-License-Identifier: MIT
 *
 * What Apple's `atos` prints. For each address, in their order, with -i one line for each function:
 * that which was inlined innermost first, that which the code lies in last, and an empty line; else
 * one line. A line is one of
 *
 *   FUNCTION (in MODULE) (FILE:LINE)     with debug information; with -fullPath FILE is a path
 *   FUNCTION (in MODULE) + BYTES         without
 *   FUNCTION (in MODULE)
 *   0x100003f50                          nothing is known
 *
 * Sources: atos(1) and Technical Note TN2151; what programs that read it say of -i. Pure text, on
 * any system. */
#ifndef CA_ATOS_OUTPUT_H
#define CA_ATOS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed from the line. */
struct ca_atos_function {
    const char *name;
    size_t name_bytes;
    const char *file; /* NULL: unknown */
    size_t file_bytes;
    uint32_t line; /* 0: unknown */
};

/* Reads a line without its newline. `module` is the name that MODULE should be, which may hold
 * blanks and parentheses; NULL, or another name than the line's: it is guessed where MODULE ends.
 * False when the line names no function. */
bool ca_atos_line_read(const char *line, size_t line_bytes, const char *module,
                       struct ca_atos_function *ret_function);

/* The lines of one address after the other. */
struct ca_atos_answer {
    const char *at;
    const char *end;
    bool has_groups; /* an empty line ends them; else each line is an address's */
};

/* `text`, of `text_bytes`, kept, is what was printed for `address_count` addresses. False when it
 * cannot be told which line belongs to which address. */
bool ca_atos_answer_begin(struct ca_atos_answer *answer, const char *text, size_t text_bytes,
                          size_t address_count);

/* The lines of the next address, newlines between them: `*ret_bytes` of them. NULL: that was all.
 */
const char *ca_atos_answer_next(struct ca_atos_answer *answer, size_t *ret_bytes);

/* Takes the first line off `*lines`, of `*left_bytes`; its length. */
size_t ca_atos_take_line(const char **lines, size_t *left_bytes, const char **ret_line);

#endif
