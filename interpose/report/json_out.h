/* SPDX-License-Identifier: MIT
 *
 * JSON, value after value. An object or array takes one line for each element, unless it was opened
 * as a line: then it and all that is in it take one together. Never allocates. Inside the report
 * only.
 */
#ifndef CA_JSON_OUT_H
#define CA_JSON_OUT_H

#include "record.h"

struct ca_json {
    struct ca_out *out; /* kept */
    unsigned depth;
    unsigned line_depth; /* depth of the outermost value that takes one line; 0: none is open */
    bool is_first;       /* nothing was written yet into the innermost object or array; true at
                            first */
};

/* In all of these `name` is the member's, and NULL in an array and for the whole. */

/* `bracket`: "{" or "[", and its counterpart. */
void ca_json_open(struct ca_json *json, const char *name, const char *bracket);
void ca_json_open_line(struct ca_json *json, const char *name, const char *bracket);
void ca_json_close(struct ca_json *json, const char *bracket);

void ca_json_literal(struct ca_json *json, const char *name, const char *literal);
void ca_json_bool(struct ca_json *json, const char *name, bool is_true);
/* Bytes that are not UTF-8 become U+FFFD; NULL becomes null. */
void ca_json_text(struct ca_json *json, const char *name, const char *text);
void ca_json_number(struct ca_json *json, const char *name, uint64_t number);
void ca_json_signed(struct ca_json *json, const char *name, int64_t number);
/* null when it is not known. */
void ca_json_signed_if(struct ca_json *json, const char *name, bool is_known, int64_t number);
void ca_json_number_if(struct ca_json *json, const char *name, bool is_known, uint64_t number);
/* number / divisor to six places, rounded half up, without trailing zeros. `divisor`: not 0. */
void ca_json_quotient(struct ca_json *json, const char *name, uint64_t number, uint64_t divisor);

#endif
