/* SPDX-License-Identifier: MIT */
#include "diff/function_stem.h"

#include <stdint.h>
#include <string.h>

#define RUST_HASH_DIGITS  16u
#define CRATE_HASH_DIGITS 8u /* and more: fewer may be an index */

static bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

static bool is_hex(char byte) {
    return is_digit(byte) || (byte >= 'a' && byte <= 'f');
}

static bool ends_in(const char *name, size_t length, const char *ending) {
    size_t ending_length = strlen(ending);
    return length > ending_length &&
           memcmp(name + length - ending_length, ending, ending_length) == 0;
}

/* ".123" */
static size_t without_number(const char *name, size_t length) {
    size_t at = length;
    while (at > 0 && is_digit(name[at - 1]))
        at--;
    return at > 1 && at < length && name[at - 1] == '.' ? at - 1 : length;
}

static size_t without_word(const char *name, size_t length) {
    static const char *const words[] = {".isra", ".constprop", ".part",       ".cold", ".hot",
                                        ".warm", ".lto_priv",  ".localalias", ".llvm", ".__uniq"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ends_in(name, length, words[i]))
            return length - strlen(words[i]);
    return length;
}

/* " [clone .isra.0]", " (.isra.0)": from the last `opening` on, when `closing` is the last byte. */
static size_t without_remark(const char *name, size_t length, const char *opening, char closing) {
    size_t opening_length = strlen(opening);
    if (length == 0 || name[length - 1] != closing)
        return length;
    for (size_t at = length; at-- > 1;)
        if (length - at > opening_length && memcmp(name + at, opening, opening_length) == 0)
            return memchr(name + at, closing, length - at - 1) == NULL ? at : length;
    return length;
}

static size_t without_rust_hash(const char *name, size_t length) {
    static const char opening[] = "::h";
    size_t hash_length = strlen(opening) + RUST_HASH_DIGITS;
    if (length <= hash_length || memcmp(name + length - hash_length, opening, strlen(opening)) != 0)
        return length;
    for (size_t i = length - RUST_HASH_DIGITS; i < length; i++)
        if (!is_hex(name[i]))
            return length;
    return length - hash_length;
}

static size_t stem_length(const char *name) {
    size_t length = strlen(name), before;
    do {
        before = length;
        length = without_number(name, length);
        length = without_word(name, length);
        length = without_remark(name, length, " [clone ", ']');
        length = without_remark(name, length, " (.", ')');
    } while (length != before);
    return without_rust_hash(name, length);
}

/* How many bytes from `at` on are a crate's hash in brackets. */
static size_t crate_hash_bytes(const char *name, size_t at, size_t length) {
    size_t end = at + 1;
    while (end < length && is_hex(name[end]))
        end++;
    bool is_hash = at > 0 && name[at] == '[' && end < length && name[end] == ']' &&
                   end - at - 1 >= CRATE_HASH_DIGITS;
    return is_hash ? end + 1 - at : 0;
}

bool ca_function_stem_add(struct ca_byte_buffer *buffer, const char *name) {
    size_t length = stem_length(name), from = 0;
    for (size_t at = 0; at < length;) {
        size_t hash_bytes = name[at] == '[' ? crate_hash_bytes(name, at, length) : 0;
        if (hash_bytes > 0 && !ca_byte_buffer_add(buffer, name + from, at - from))
            return false;
        at += hash_bytes > 0 ? hash_bytes : 1;
        from = hash_bytes > 0 ? at : from;
    }
    return ca_byte_buffer_add(buffer, name + from, length - from);
}
