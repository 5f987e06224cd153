/* SPDX-License-Identifier: MIT */
#include "plain.h"

struct ca_text ca_text_in(char *buffer, size_t size) {
    buffer[0] = '\0';
    return (struct ca_text){buffer, size, 0};
}

void ca_text_add(struct ca_text *text, const char *piece) {
    while (*piece != '\0' && text->length + 1 < text->size)
        text->bytes[text->length++] = *piece++;
    text->bytes[text->length] = '\0';
}

void ca_text_add_number(struct ca_text *text, uint64_t number) {
    char digits[21];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    ca_text_add(text, digits + at);
}

void ca_plain_copy(char *to, const char *from, size_t size) {
    struct ca_text text = ca_text_in(to, size);
    ca_text_add(&text, from);
}

bool ca_plain_is_equal(const char *a, const char *b) {
    while (*a != '\0' && *a == *b)
        a++, b++;
    return *a == *b;
}

bool ca_plain_begins_with(const char *text, const char *beginning) {
    while (*beginning != '\0' && *text == *beginning)
        text++, beginning++;
    return *beginning == '\0';
}

const char *ca_plain_getenv(char *const *environment, const char *name) {
    if (environment == NULL)
        return NULL;
    for (; *environment != NULL; environment++) {
        const char *entry = *environment;
        const char *wanted = name;
        while (*wanted != '\0' && *entry == *wanted)
            entry++, wanted++;
        if (*wanted == '\0' && *entry == '=')
            return entry + 1;
    }
    return NULL;
}

const char *ca_plain_basename(const char *path) {
    const char *name = path;
    for (; *path != '\0'; path++)
        if (*path == '/')
            name = path + 1;
    return name;
}
