/* SPDX-License-Identifier: MIT */
#include "budget/check_escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Bytes of the character that `text` begins with, or of the part to replace by one U+FFFD when it
 * is none (Unicode 15, table 3-7). Stops at a NUL. */
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

static bool is_control(char byte) {
    return (unsigned char)byte < 0x20 || byte == 0x7f;
}

static const char *xml_entity(char byte) {
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\t':
        return "&#9;";
    case '\n':
        return "&#10;";
    case '\r':
        return "&#13;";
    default:
        return (unsigned char)byte < 0x20 ? REPLACEMENT : NULL;
    }
}

static const char *github_code(char byte, bool is_property) {
    switch (byte) {
    case '%':
        return "%25";
    case '\r':
        return "%0D";
    case '\n':
        return "%0A";
    case ':':
        return is_property ? "%3A" : NULL;
    case ',':
        return is_property ? "%2C" : NULL;
    default:
        return is_control(byte) ? REPLACEMENT : NULL;
    }
}

static const char *markdown_code(char byte) {
    static const char *const codes[] = {"\\\\", "\\`", "\\*", "\\_", "\\[", "\\]",
                                        "\\|",  "\\~", "\\#", "\\!", "\\$"};
    if (byte == '<')
        return "&lt;";
    if (byte == '>')
        return "&gt;";
    if (byte == '&')
        return "&amp;";
    if (byte == '\n' || byte == '\t')
        return " ";
    if (byte == '@') /* no mention of a user */
        return "&#64;";
    if (is_control(byte))
        return REPLACEMENT;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i][1] == byte)
            return codes[i];
    return NULL;
}

static const char *code_for(enum ca_syntax syntax, char byte) {
    switch (syntax) {
    case CA_SYNTAX_XML:
        return xml_entity(byte);
    case CA_SYNTAX_GITHUB:
        return github_code(byte, false);
    case CA_SYNTAX_GITHUB_PROPERTY:
        return github_code(byte, true);
    case CA_SYNTAX_MARKDOWN:
        return markdown_code(byte);
    default:
        return is_control(byte) ? REPLACEMENT : NULL;
    }
}

/* U+FFFE and U+FFFF are no characters of XML; C1 controls move terminals. */
static bool is_refused(enum ca_syntax syntax, const char *text, size_t part) {
    if (part == 2 && syntax == CA_SYNTAX_TERMINAL)
        return (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] < 0xa0;
    return part == 3 && syntax == CA_SYNTAX_XML &&
           (memcmp(text, "\xef\xbf\xbe", 3) == 0 || memcmp(text, "\xef\xbf\xbf", 3) == 0);
}

void ca_escape(struct ca_out *out, enum ca_syntax syntax, const char *text) {
    while (*text != '\0') {
        bool is_valid;
        size_t part = utf8_part((const unsigned char *)text, &is_valid);
        const char *code = part == 1 ? code_for(syntax, *text) : NULL;
        if (!is_valid || is_refused(syntax, text, part))
            ca_out_text(out, REPLACEMENT);
        else if (code != NULL)
            ca_out_text(out, code);
        else
            ca_out_bytes(out, text, part);
        text += part;
    }
}

char *ca_utf8_of(const char *text) {
    char *copy = malloc(strlen(text) * (sizeof REPLACEMENT - 1) + 1);
    char *end = copy;
    while (copy != NULL && *text != '\0') {
        bool is_valid;
        size_t part = utf8_part((const unsigned char *)text, &is_valid);
        size_t length = is_valid ? part : sizeof REPLACEMENT - 1;
        memcpy(end, is_valid ? text : REPLACEMENT, length);
        end += length;
        text += part;
    }
    if (copy != NULL)
        *end = '\0';
    return copy;
}

/* For words with control bytes: POSIX 2024, 2.2.4, and every usual shell before it. */
static void put_dollar_quoted(struct ca_out *out, const char *word) {
    ca_out_text(out, "$'");
    for (; *word != '\0'; word++) {
        char code[8];
        if (is_control(*word))
            snprintf(code, sizeof code, "\\%03o", (unsigned)(unsigned char)*word);
        else
            snprintf(code, sizeof code, "%s%c", *word == '\'' || *word == '\\' ? "\\" : "", *word);
        ca_out_text(out, code);
    }
    ca_out_text(out, "'");
}

void ca_escape_word(struct ca_out *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./=,:+@%^";
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        ca_out_text(out, word);
        return;
    }
    for (const char *c = word; *c != '\0'; c++)
        if (is_control(*c)) {
            put_dollar_quoted(out, word);
            return;
        }
    ca_out_text(out, "'");
    for (; *word != '\0'; word++)
        if (*word == '\'')
            ca_out_text(out, "'\\''");
        else
            ca_out_bytes(out, word, 1);
    ca_out_text(out, "'");
}
