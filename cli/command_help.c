/* SPDX-License-Identifier: MIT */
#include "command_help.h"

#include <string.h>

#define OPTION_WIDTH 26

void ca_help_write_all(FILE *to) {
    fputs("countalloc counts what a native program allocates, per phase, without rebuilding it.\n"
          "\n"
          "usage: countalloc COMMAND [OPTION]... [-- PROGRAM [ARGUMENT]...]\n"
          "\n",
          to);
    size_t count;
    const struct ca_command *const *commands = ca_commands(&count);
    for (size_t i = 0; i < count; i++)
        if (!commands[i]->is_hidden)
            fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n"
          "try:\n"
          "  countalloc run -- ls                   what ls allocates\n"
          "  countalloc run -o r.json -- sort FILE  the same, kept in a file\n"
          "  countalloc report r.json               the report again\n"
          "  countalloc check -b alloc-budgets.ini -- ./program   hold it against budgets\n"
          "  countalloc doctor -- ./program         whether a program can be counted, and why not\n"
          "\n"
          "'countalloc COMMAND --help' says more, 'countalloc --version' which version this is.\n",
          to);
}

/* Each line of `text`, after `indent` blanks. */
static void write_indented(FILE *to, const char *text, int indent) {
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        fprintf(to, "%*s%.*s\n", length > 0 ? indent : 0, "", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void write_option(const struct ca_option *option, FILE *to) {
    char form[64] = "";
    size_t length = 0;
    if (option->letter != 0)
        length = (size_t)snprintf(form, sizeof form, "-%c", option->letter);
    if (option->name != NULL)
        length += (size_t)snprintf(form + length, sizeof form - length, "%s--%s",
                                   option->letter != 0 ? ", " : "", option->name);
    if (option->value_name != NULL)
        snprintf(form + length, sizeof form - length,
                 option->value == CA_VALUE_OPTIONAL ? "[=%s]" : " %s", option->value_name);
    const char *help = option->help;
    size_t line = strcspn(help, "\n");
    fprintf(to, "  %-*s %.*s\n", OPTION_WIDTH, form, (int)line, help);
    if (help[line] == '\n')
        write_indented(to, help + line + 1, OPTION_WIDTH + 3);
}

void ca_help_write(const struct ca_command *command, FILE *to) {
    for (const char *line = command->synopsis, *lead = "usage:"; *line != '\0'; lead = "      ") {
        size_t length = strcspn(line, "\n");
        fprintf(to, "%s countalloc %.*s\n", lead, (int)length, line);
        line += length + (line[length] == '\n');
    }
    fputs("\n", to);
    write_indented(to, command->description, 0);
    fputs("\noptions:\n", to);
    for (size_t i = 0; i < command->options->option_count; i++)
        if (command->options->options[i].help != NULL)
            write_option(&command->options->options[i], to);
    fprintf(to, "  %-*s %s\n", OPTION_WIDTH, "-h, --help", "print this");
    fputs("\nexit status:\n", to);
    write_indented(to, command->exit_status, 2);
    fputs("\nexamples:\n", to);
    write_indented(to, command->examples, 2);
}
