/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

static char page[1 << 16];

static bool load(const char *command) {
    char path[512];
    snprintf(path, sizeof path, MAN_FOLDER "/countalloc-%s.1", command);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    return true;
}

static bool is_shown(const struct ca_option *option) {
    char by_name[64], by_letter[64];
    snprintf(by_name, sizeof by_name, "\n.It Fl -%s", option->name != NULL ? option->name : "?");
    snprintf(by_letter, sizeof by_letter, "\n.It Fl %c", option->letter);
    return (option->name != NULL && strstr(page, by_name) != NULL) ||
           (option->letter != 0 && strstr(page, by_letter) != NULL);
}

static bool is_declared(const struct ca_option_table *table, const char *name, size_t length) {
    for (size_t i = 0; i < table->option_count; i++) {
        const struct ca_option *option = &table->options[i];
        if (option->help != NULL && ((length == 1 && option->letter == name[0]) ||
                                     (option->name != NULL && length == strlen(option->name) + 1 &&
                                      memcmp(name + 1, option->name, length - 1) == 0)))
            return true;
    }
    return length == 1 && name[0] == 'h';
}

Test(man_pages, every_command_has_one_with_exactly_its_options) {
    size_t count;
    const struct ca_command *const *commands = ca_commands(&count);
    for (size_t i = 0; i < count; i++) {
        if (commands[i]->is_hidden)
            continue;
        cr_assert(load(commands[i]->name), "no page for %s", commands[i]->name);
        const struct ca_option_table *table = commands[i]->options;
        for (size_t k = 0; k < table->option_count; k++)
            cr_assert(table->options[k].help == NULL || is_shown(&table->options[k]),
                      "%s: option %zu is not in the page", commands[i]->name, k);
        for (const char *at = page; (at = strstr(at, "\n.It Fl ")) != NULL; at++) {
            const char *name = at + strlen("\n.It Fl ");
            size_t length = strcspn(name, " \n");
            cr_assert(is_declared(table, name, length),
                      "%s: the page has '-%.*s', the command has not", commands[i]->name,
                      (int)length, name);
        }
    }
}
