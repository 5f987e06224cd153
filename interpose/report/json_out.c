/* SPDX-License-Identifier: MIT */
#include "json_out.h"

#include "interpose/plain.h"

#define INDENT           "  "
#define REPLACEMENT      "\xef\xbf\xbd" /* U+FFFD */
#define NUMBER_SIZE      24u /* an integer of 64 bits with its sign, or its fraction, and NUL */
#define FRACTION_DIGITS  6u
#define FRACTION_DIVISOR 1000000u

__extension__ typedef unsigned __int128 ca_wide;

/* ---- strings ---- */

/* Bytes of the UTF-8 character that `text` begins with, or of the part to replace by one U+FFFD
 * when it is none: what could still have become a character (Unicode 15, table 3-7 and "U+FFFD
 * Substitution of Maximal Subparts"). Stops at a NUL. */
static size_t utf8_part(const unsigned char *text, bool *ret_is_valid) {
    unsigned lead = text[0];
    unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    size_t wanted = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    size_t part = 1;
    bool is_lead = lead < 0x80 || (lead >= 0xc2 && lead <= 0xf4);
    while (is_lead && part < wanted && text[part] >= low && text[part] <= high) {
        part++;
        low = 0x80;
        high = 0xbf;
    }
    *ret_is_valid = is_lead && part == wanted;
    return part;
}

static void put_control(struct ca_out *out, unsigned char byte) {
    const char *digits = "0123456789abcdef";
    ca_out_text(out, "\\u00");
    ca_out_bytes(out, digits + byte / 16, 1);
    ca_out_bytes(out, digits + byte % 16, 1);
}

static void put_string(struct ca_out *out, const char *text) {
    ca_out_text(out, "\"");
    while (*text != '\0') {
        bool is_valid;
        size_t part = utf8_part((const unsigned char *)text, &is_valid);
        if (!is_valid) {
            ca_out_text(out, REPLACEMENT);
        } else if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            put_control(out, (unsigned char)*text);
        } else {
            if (*text == '"' || *text == '\\')
                ca_out_text(out, "\\");
            ca_out_bytes(out, text, part);
        }
        text += part;
    }
    ca_out_text(out, "\"");
}

/* ---- structure ---- */

static void new_line(struct ca_json *json) {
    ca_out_text(json->out, "\n");
    for (unsigned i = 0; i < json->depth; i++)
        ca_out_text(json->out, INDENT);
}

/* Everything that stands before a value. `name`: NULL in an array. */
static void begin_value(struct ca_json *json, const char *name) {
    if (!json->is_first)
        ca_out_text(json->out, json->line_depth > 0 ? ", " : ",");
    if (json->line_depth == 0 && json->depth > 0)
        new_line(json);
    json->is_first = false;
    if (name != NULL) {
        put_string(json->out, name);
        ca_out_text(json->out, ": ");
    }
}

void ca_json_open(struct ca_json *json, const char *name, const char *bracket) {
    begin_value(json, name);
    ca_out_text(json->out, bracket);
    json->depth++;
    json->is_first = true;
}

void ca_json_open_line(struct ca_json *json, const char *name, const char *bracket) {
    ca_json_open(json, name, bracket);
    if (json->line_depth == 0)
        json->line_depth = json->depth;
}

void ca_json_close(struct ca_json *json, const char *bracket) {
    json->depth--;
    if (json->line_depth == 0 && !json->is_first)
        new_line(json);
    if (json->line_depth > json->depth)
        json->line_depth = 0;
    ca_out_text(json->out, bracket);
    json->is_first = false;
}

/* ---- plain values ---- */

void ca_json_literal(struct ca_json *json, const char *name, const char *literal) {
    begin_value(json, name);
    ca_out_text(json->out, literal);
}

void ca_json_bool(struct ca_json *json, const char *name, bool is_true) {
    ca_json_literal(json, name, is_true ? "true" : "false");
}

void ca_json_text(struct ca_json *json, const char *name, const char *text) {
    begin_value(json, name);
    if (text != NULL)
        put_string(json->out, text);
    else
        ca_out_text(json->out, "null");
}

void ca_json_number(struct ca_json *json, const char *name, uint64_t number) {
    char digits[NUMBER_SIZE];
    struct ca_text text = ca_text_in(digits, sizeof digits);
    ca_text_add_number(&text, number);
    ca_json_literal(json, name, digits);
}

void ca_json_signed(struct ca_json *json, const char *name, int64_t number) {
    char digits[NUMBER_SIZE];
    struct ca_text text = ca_text_in(digits, sizeof digits);
    if (number < 0)
        ca_text_add(&text, "-");
    ca_text_add_number(&text, number < 0 ? -(uint64_t)number : (uint64_t)number);
    ca_json_literal(json, name, digits);
}

void ca_json_signed_if(struct ca_json *json, const char *name, bool is_known, int64_t number) {
    if (is_known)
        ca_json_signed(json, name, number);
    else
        ca_json_literal(json, name, "null");
}

void ca_json_number_if(struct ca_json *json, const char *name, bool is_known, uint64_t number) {
    if (is_known)
        ca_json_number(json, name, number);
    else
        ca_json_literal(json, name, "null");
}

static void add_fraction(struct ca_text *text, uint64_t millionths) {
    char digits[FRACTION_DIGITS + 2] = ".";
    size_t length = FRACTION_DIGITS + 1;
    for (size_t at = FRACTION_DIGITS; at > 0; at--, millionths /= 10)
        digits[at] = (char)('0' + millionths % 10);
    while (digits[length - 1] == '0')
        length--;
    digits[length] = '\0';
    ca_text_add(text, digits);
}

/* number / divisor to six places, rounded half up, without trailing zeros. `divisor`: not 0. */
void ca_json_quotient(struct ca_json *json, const char *name, uint64_t number, uint64_t divisor) {
    char digits[NUMBER_SIZE + FRACTION_DIGITS + 1];
    struct ca_text text = ca_text_in(digits, sizeof digits);
    ca_wide millionths =
        ((ca_wide)number * 2 * FRACTION_DIVISOR + divisor) / ((ca_wide)divisor * 2);
    uint64_t fraction = (uint64_t)(millionths % FRACTION_DIVISOR);
    ca_text_add_number(&text, (uint64_t)(millionths / FRACTION_DIVISOR));
    if (fraction != 0)
        add_fraction(&text, fraction);
    ca_json_literal(json, name, digits);
}
