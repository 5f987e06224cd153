/* SPDX-License-Identifier: MIT
 *
 * Helpers for code that must not allocate, lock or touch errno: the shim, and what it shares with
 * the command. */
#ifndef CA_PLAIN_H
#define CA_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CA_LIKELY(claim)   __builtin_expect(!!(claim), 1)
#define CA_UNLIKELY(claim) __builtin_expect(!!(claim), 0)

/* Text in a buffer of fixed size: always NUL-terminated, cut when it does not fit. */
struct ca_text {
    char *bytes; /* kept */
    size_t size;
    size_t length;
};

struct ca_text ca_text_in(char *buffer, size_t size);
void ca_text_add(struct ca_text *text, const char *piece);
void ca_text_add_number(struct ca_text *text, uint64_t number);

/* Copies `from` into `to`, cut to `size` with its NUL. */
void ca_plain_copy(char *to, const char *from, size_t size);

bool ca_plain_is_equal(const char *a, const char *b);
bool ca_plain_begins_with(const char *text, const char *beginning);

/* The value of `name` in `environment` (borrowed; may be NULL), or NULL. */
const char *ca_plain_getenv(char *const *environment, const char *name);

/* The part of `path` after its last slash. */
const char *ca_plain_basename(const char *path);

#endif
