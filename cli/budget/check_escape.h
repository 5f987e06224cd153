/* SPDX-License-Identifier: MIT
 *
 * Text of others (names of programs and phases, notes, arguments) inside the syntaxes of the
 * formats. `text` may hold any bytes; what is not UTF-8 becomes U+FFFD. */
#ifndef CA_CHECK_ESCAPE_H
#define CA_CHECK_ESCAPE_H

#include "interpose/report/record.h"

enum ca_syntax {
    CA_SYNTAX_TERMINAL = 0, /* control bytes become U+FFFD */
    CA_SYNTAX_XML,    /* character data and attributes between '"'; characters that XML 1.0 has not
                         become    U+FFFD (section 2.2) */
    CA_SYNTAX_GITHUB, /* the message of a workflow command: %, CR, LF (actions/toolkit, command.ts)
                       */
    CA_SYNTAX_GITHUB_PROPERTY, /* and ':' and ',' */
    CA_SYNTAX_MARKDOWN         /* plain text on one line, also in a table's cell */
};

void ca_escape(struct ca_out *out, enum ca_syntax syntax, const char *text);

/* A copy of `text` that is UTF-8 throughout. Returned: free(); NULL: out of memory. */
char *ca_utf8_of(const char *text);

/* One word of a command line, for the shell to read it as it is: 'it'\''s', and $'\012' for control
 * bytes. */
void ca_escape_word(struct ca_out *out, const char *word);

#endif
