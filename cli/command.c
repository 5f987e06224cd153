/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <errno.h>
#include <string.h>

#include "base/near_name.h"
#include "command_help.h"

static const struct ca_command *const commands[] = {
    &ca_command_run,  &ca_command_report,     &ca_command_diff,   &ca_command_check,
    &ca_command_fold, &ca_command_flamegraph, &ca_command_doctor, &ca_command_self_test,
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

const struct ca_command *const *ca_commands(size_t *ret_count) {
    *ret_count = COMMAND_COUNT;
    return commands;
}

static const struct ca_command *find(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* What was written to stdout must have arrived, or nobody may be told that it did. */
static int finish_output(int exit_status) {
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return exit_status;
    fprintf(stderr, "countalloc: cannot write to standard output: %s\n", strerror(errno));
    return CA_EXIT_FAILED;
}

static int refuse(const char *name) {
    fprintf(stderr, "countalloc: there is no command '%s'", name);
    bool is_first = true;
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (!commands[i]->is_hidden && ca_is_near_name(name, commands[i]->name)) {
            fprintf(stderr, "%s '%s'", is_first ? "; did you mean" : " or", commands[i]->name);
            is_first = false;
        }
    fprintf(stderr, "%s\n", is_first ? "" : "?");
    fprintf(stderr, "try 'countalloc --help'; to count a program: 'countalloc run -- PROGRAM'\n");
    return CA_EXIT_FAILED;
}

static int run_command(const struct ca_command *command, int argc, char **argv) {
    static struct ca_error err;
    int exit_status = command->failed_status;
    switch (command->run(argc, argv, &exit_status, &err)) {
    case CA_OK:
        return finish_output(exit_status);
    case CA_HELP_WANTED:
        ca_help_write(command, stdout);
        return finish_output(CA_EXIT_OK);
    case CA_ERROR_USAGE:
        fprintf(stderr, "countalloc %s: %s\ntry 'countalloc %s --help'\n", command->name,
                err.message, command->name);
        return command->failed_status;
    default:
        fprintf(stderr, "countalloc %s: %s\n", command->name, err.message);
        return exit_status;
    }
}

static int help(int argc, char **argv) {
    if (argc < 2) {
        ca_help_write_all(stdout);
        return finish_output(CA_EXIT_OK);
    }
    const struct ca_command *command = find(argv[1]);
    if (command == NULL)
        return refuse(argv[1]);
    ca_help_write(command, stdout);
    return finish_output(CA_EXIT_OK);
}

int ca_command_main(int argc, char **argv) {
    if (argc < 2) {
        ca_help_write_all(stderr);
        return CA_EXIT_FAILED;
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("countalloc %s\n", COUNTALLOC_VERSION);
        return finish_output(CA_EXIT_OK);
    }
    const struct ca_command *command = find(name);
    return command != NULL ? run_command(command, argc - 1, argv + 1) : refuse(name);
}
