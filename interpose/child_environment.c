/* SPDX-License-Identifier: MIT */
#include "child_environment.h"

#include "plain.h"

/* The value of `entry` when it is `name`'s, or NULL. */
static const char *value_of(const char *entry, const char *name) {
    while (*name != '\0' && *entry == *name) {
        entry++;
        name++;
    }
    return *name == '\0' && *entry == '=' ? entry + 1 : NULL;
}

static size_t length_to(const char *text, char end) {
    size_t length = 0;
    while (text[length] != '\0' && text[length] != end)
        length++;
    return length;
}

static bool is_library(const char *path, size_t length, const char *library) {
    size_t begin = length;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    size_t i = 0;
    while (begin + i < length && library[i] == path[begin + i])
        i++;
    return begin + i == length && library[i] == '\0';
}

/* Copies the list `value` without the library, its NUL included. Returns whether it was in. */
static bool copy_without(struct ca_text *to, const char *value, const char *library) {
    bool is_in = false;
    bool is_first = true;
    for (;;) {
        size_t length = length_to(value, ':');
        bool is_left_out = is_library(value, length, library);
        is_in |= is_left_out;
        if (!is_left_out) {
            ca_text_add(to, is_first ? "" : ":");
            for (size_t i = 0; i < length; i++)
                ca_text_add(to, (const char[]){value[i], '\0'});
            is_first = false;
        }
        if (value[length] == '\0')
            return is_in;
        value += length + 1;
    }
}

struct ca_environment_room ca_child_environment_room(char *const *environment,
                                                     const struct ca_left_out *left_out) {
    struct ca_environment_room room = {.entry_count = 1};
    for (; *environment != NULL; environment++) {
        const char *value = value_of(*environment, left_out->variable);
        room.entry_count++;
        if (value == NULL)
            continue;
        char nowhere[1];
        struct ca_text text = ca_text_in(nowhere, sizeof nowhere);
        room.has_library |= copy_without(&text, value, left_out->library);
        room.byte_count += length_to(*environment, '\0') + 1;
    }
    return room;
}

void ca_child_environment(char **ret_environment, char *ret_bytes, char *const *environment,
                          const struct ca_left_out *left_out) {
    for (; *environment != NULL; environment++) {
        const char *value = value_of(*environment, left_out->variable);
        if (value == NULL) {
            *ret_environment++ = *environment;
            continue;
        }
        size_t size = length_to(*environment, '\0') + 1;
        struct ca_text text = ca_text_in(ret_bytes, size);
        ca_text_add(&text, left_out->variable);
        ca_text_add(&text, "=");
        size_t empty_length = text.length;
        copy_without(&text, value, left_out->library);
        if (text.length > empty_length)
            *ret_environment++ = ret_bytes;
        ret_bytes += size;
    }
    *ret_environment = NULL;
}

void ca_child_next_path(char *ret_path, size_t size, const char **folders, const char *file) {
    struct ca_text text = ca_text_in(ret_path, size);
    size_t length = length_to(*folders, ':');
    for (size_t i = 0; i < length; i++)
        ca_text_add(&text, (const char[]){(*folders)[i], '\0'});
    ca_text_add(&text, length > 0 ? "/" : "");
    ca_text_add(&text, file);
    *folders = (*folders)[length] == ':' ? *folders + length + 1 : NULL;
}
