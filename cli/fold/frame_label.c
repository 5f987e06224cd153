/* SPDX-License-Identifier: MIT */
#include "fold/frame_label.h"

#include <stdlib.h>
#include <string.h>

#include "fold/demangle.h"

static const char unknown[] = "[unknown]";

static bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

static bool is_hex(char letter) {
    return is_digit(letter) || (letter >= 'a' && letter <= 'f');
}

/* "::h" and 16 hexadecimal digits: the hash of a legacy Rust symbol. */
static size_t without_rust_hash(const char *name, size_t count) {
    size_t hash_count = strlen("::h") + 16;
    if (count <= hash_count || memcmp(name + count - hash_count, "::h", 3) != 0)
        return count;
    for (size_t i = count - 16; i < count; i++)
        if (!is_hex(name[i]))
            return count;
    return count - hash_count;
}

/* " (.llvm.1234)": a suffix that differs in each build. */
static size_t without_llvm_suffix(const char *name, size_t count) {
    static const char begin[] = " (.llvm.";
    if (count < sizeof begin || name[count - 1] != ')')
        return count;
    size_t at = count - 1;
    while (at > 0 && is_digit(name[at - 1]))
        at--;
    size_t length = strlen(begin);
    bool is_suffix =
        at >= length && at < count - 1 && memcmp(name + at - length, begin, length) == 0;
    return is_suffix ? at - length : count;
}

/* rustc-demangle's table of legacy escapes. */
static const struct {
    const char *escape;
    const char *text;
} escapes[] = {{"$SP$", "@"},   {"$BP$", "*"},  {"$RF$", "&"},  {"$LT$", "<"},  {"$GT$", ">"},
               {"$LP$", "("},   {"$RP$", ")"},  {"$C$", ","},   {"$u20$", " "}, {"$u27$", "'"},
               {"$u22$", "\""}, {"$u2b$", "+"}, {"$u3b$", ";"}, {"$u5b$", "["}, {"$u5d$", "]"},
               {"$u7b$", "{"},  {"$u7d$", "}"}, {"$u7e$", "~"}, {"$u21$", "!"}, {"$u3d$", "="}};

static bool add_rust(struct ca_byte_buffer *label, const char *name, size_t count) {
    bool is_ok = true;
    bool is_start = true; /* of a path element: there "_$" stands for "$" */
    for (size_t at = 0, length; is_ok && at < count; at += length) {
        length = 1;
        const char *text = NULL;
        if (is_start && name[at] == '_' && at + 1 < count && name[at + 1] == '$')
            text = "";
        else if (name[at] == '.' && at + 1 < count && name[at + 1] == '.')
            text = "::", length = 2;
        for (size_t i = 0; name[at] == '$' && i < sizeof escapes / sizeof escapes[0]; i++) {
            size_t escape_count = strlen(escapes[i].escape);
            if (escape_count <= count - at &&
                memcmp(name + at, escapes[i].escape, escape_count) == 0)
                text = escapes[i].text, length = escape_count;
        }
        is_start = name[at] == ':';
        is_ok = text != NULL ? ca_byte_buffer_add(label, text, strlen(text))
                             : ca_byte_buffer_add(label, name + at, 1);
    }
    return is_ok;
}

static bool is_blank(char letter) {
    return (unsigned char)letter <= ' ' || letter == 0x7f;
}

/* What the folded format takes for something else. */
static bool tidy(struct ca_byte_buffer *label) {
    char *bytes = label->bytes;
    size_t from = 0, to = label->byte_count;
    while (from < to && is_blank(bytes[from]))
        from++;
    while (to > from && is_blank(bytes[to - 1]))
        to--;
    label->byte_count = to - from;
    if (from == to)
        return ca_byte_buffer_add(label, unknown, strlen(unknown));
    memmove(bytes, bytes + from, to - from);
    for (size_t i = 0; i < to - from; i++)
        bytes[i] = bytes[i] == ';' ? ':' : is_blank(bytes[i]) ? ' ' : bytes[i];
    size_t number = to - from;
    while (number > 0 && (is_digit(bytes[number - 1]) || bytes[number - 1] == '.'))
        number--;
    if (number > 0 && number < to - from && bytes[number - 1] == ' ')
        bytes[number - 1] = '_';
    return true;
}

bool ca_frame_label(struct ca_byte_buffer *label, const char *name, size_t byte_count) {
    label->byte_count = 0;
    char *demangled = ca_demangle(name, byte_count);
    size_t count = byte_count;
    if (demangled != NULL) {
        name = demangled;
        count = strlen(demangled);
    }
    count = without_llvm_suffix(name, count);
    size_t hashless = without_rust_hash(name, count);
    bool is_ok =
        hashless < count ? add_rust(label, name, hashless) : ca_byte_buffer_add(label, name, count);
    free(demangled);
    return is_ok && tidy(label);
}

bool ca_frame_label_of_file(struct ca_byte_buffer *label, const char *path, size_t byte_count) {
    size_t at = byte_count;
    while (at > 0 && path[at - 1] != '/')
        at--;
    const char *base = path + at;
    size_t count = byte_count - at;
    label->byte_count = 0;
    if (count > 1 && (base[0] == '[' || base[0] == '<')) {
        base++;
        count -= 2;
    }
    bool is_unknown = count == 0 || (count >= 7 && memcmp(base, "unknown", 7) == 0);
    if (is_unknown)
        return ca_byte_buffer_add(label, unknown, strlen(unknown));
    return ca_byte_buffer_add(label, "[", 1) && ca_byte_buffer_add(label, base, count) &&
           ca_byte_buffer_add(label, "]", 1) && tidy(label);
}

bool ca_frame_label_of_thread(struct ca_byte_buffer *label, const char *name, size_t byte_count) {
    label->byte_count = 0;
    if (!ca_byte_buffer_add(label, name, byte_count) || !tidy(label))
        return false;
    for (size_t i = 0; i < label->byte_count; i++)
        if (label->bytes[i] == ' ')
            label->bytes[i] = '_';
    return true;
}
