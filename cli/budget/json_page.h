/* SPDX-License-Identifier: MIT
 *
 * A JSON report as a tree of jansson's, which nobody has to check for memory on the way: what could
 * not be had is remembered, and writing the whole then fails. */
#ifndef CA_JSON_PAGE_H
#define CA_JSON_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "interpose/report/record.h"

/* All zero at first. */
struct ca_page {
    bool is_lost; /* some memory could not be had */
};

/* Both take `value` over; NULL, too: then the whole is lost. */
void ca_page_put(struct ca_page *page, json_t *object, const char *name, json_t *value);
void ca_page_append(struct ca_page *page, json_t *array, json_t *value);

/* The same for a text as ca_page_text() has it. */
void ca_page_put_text(struct ca_page *page, json_t *object, const char *name, const char *text);

/* `text` with U+FFFD for what is not UTF-8; null for NULL. NULL: out of memory. */
json_t *ca_page_text(const char *text);

/* `number`, at most 2^63-1; null for 0. */
json_t *ca_page_known(uint64_t number);

/* Writes `root` and a newline, and takes it over. CA_ERROR_SYSTEM: out of memory. */
enum ca_status ca_page_write(const struct ca_page *page, json_t *root, struct ca_out *out,
                             struct ca_error *err);

#endif
