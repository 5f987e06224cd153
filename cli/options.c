/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <string.h>

#include "base/near_name.h"

void ca_option_walk_init(struct ca_option_walk *walk, const struct ca_option_table *table, int argc,
                         char **argv) {
    *walk = (struct ca_option_walk){.table = table, .argc = argc, .argv = argv, .at = 1};
}

static const struct ca_option *by_letter(const struct ca_option_table *table, char letter) {
    for (size_t i = 0; i < table->option_count; i++)
        if (table->options[i].letter == letter)
            return &table->options[i];
    return NULL;
}

static const struct ca_option *by_name(const struct ca_option_table *table, const char *name,
                                       size_t length) {
    for (size_t i = 0; i < table->option_count; i++) {
        const char *candidate = table->options[i].name;
        if (candidate != NULL && strlen(candidate) == length &&
            memcmp(candidate, name, length) == 0)
            return &table->options[i];
    }
    return NULL;
}

static enum ca_status unknown_name(const struct ca_option_table *table, const char *name,
                                   size_t length, struct ca_error *err) {
    char typed[64] = "";
    if (length < sizeof typed)
        memcpy(typed, name, length);
    for (size_t i = 0; i < table->option_count; i++) {
        const struct ca_option *option = &table->options[i];
        if (option->name != NULL && option->help != NULL && ca_is_near_name(typed, option->name))
            return ca_error_set(err, CA_ERROR_USAGE,
                                "unknown option '--%.*s'; did you mean '--%s'?", (int)length, name,
                                option->name);
    }
    return ca_error_set(err, CA_ERROR_USAGE, "unknown option '--%.*s'", (int)length, name);
}

static enum ca_status take_value(struct ca_option_walk *walk, const struct ca_option *option,
                                 const char *shown, const char **ret_value, struct ca_error *err) {
    if (walk->at >= walk->argc)
        return ca_error_set(err, CA_ERROR_USAGE, "option '%s' needs a value: %s", shown,
                            option->value_name);
    *ret_value = walk->argv[walk->at++];
    return CA_OK;
}

static enum ca_status refuse_reserved(const struct ca_option *option, struct ca_error *err) {
    if (option->help != NULL)
        return CA_OK;
    return ca_error_set(err, CA_ERROR_USAGE, "'--%s' is not in this version", option->name);
}

static enum ca_status next_letter(struct ca_option_walk *walk, struct ca_option_found *found,
                                  struct ca_error *err) {
    char letter = *walk->cluster++;
    const char *rest = walk->cluster;
    if (*rest == '\0')
        walk->cluster = NULL;
    found->option = by_letter(walk->table, letter);
    if (found->option == NULL && letter == 'h')
        return CA_HELP_WANTED;
    if (found->option == NULL)
        return ca_error_set(err, CA_ERROR_USAGE, "unknown option '-%c'", letter);
    if (found->option->value != CA_VALUE_NEEDED)
        return CA_OK;
    walk->cluster = NULL;
    if (*rest != '\0') {
        found->value = rest;
        return CA_OK;
    }
    const char shown[] = {'-', letter, '\0'};
    return take_value(walk, found->option, shown, &found->value, err);
}

static enum ca_status next_name(struct ca_option_walk *walk, const char *word,
                                struct ca_option_found *found, struct ca_error *err) {
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    found->option = by_name(walk->table, name, length);
    if (found->option == NULL && strcmp(name, "help") == 0)
        return CA_HELP_WANTED;
    if (found->option == NULL)
        return unknown_name(walk->table, name, length, err);
    enum ca_status status = refuse_reserved(found->option, err);
    if (status != CA_OK)
        return status;
    if (name[length] == '=') {
        if (found->option->value == CA_VALUE_NONE)
            return ca_error_set(err, CA_ERROR_USAGE, "option '--%s' takes no value",
                                found->option->name);
        found->value = name + length + 1;
        return CA_OK;
    }
    if (found->option->value != CA_VALUE_NEEDED)
        return CA_OK;
    return take_value(walk, found->option, word, &found->value, err);
}

enum ca_status ca_option_next(struct ca_option_walk *walk, struct ca_option_found *ret_found,
                              struct ca_error *err) {
    *ret_found = (struct ca_option_found){0};
    if (walk->cluster != NULL)
        return next_letter(walk, ret_found, err);
    if (walk->is_separated || walk->at >= walk->argc)
        return CA_OK;
    char *word = walk->argv[walk->at++];
    if (strcmp(word, "--") == 0) {
        walk->is_separated = true;
        return CA_OK;
    }
    if (word[0] == '-' && word[1] == '-')
        return next_name(walk, word, ret_found, err);
    if (word[0] == '-' && word[1] != '\0') {
        walk->cluster = word + 1;
        return next_letter(walk, ret_found, err);
    }
    ret_found->value = word;
    return CA_OK;
}
