/* SPDX-License-Identifier: MIT
 *
 * logstat: the program under measurement. Finds the command, parses the options, runs it.
 */
#include "logstat.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "log_line.h"
#include "logstat_commands.h"
#include "versions.h"
#include "whole_file.h"

static const char general_help[] =
    "usage: logstat COMMAND ...\n"
    "\n"
    "Reports requests, tokens and latencies per route and model of an access log, with\n"
    "several versions of one program, made to have their allocations and times compared.\n"
    "\n"
    "  logstat gen FILE|- [LINES] [SEED]       write a seeded log\n"
    "  logstat run VERSION FILE|- [REPEAT]     report on a log\n"
    "  logstat versions                        list the versions and the idea of each\n"
    "  logstat COMMAND --help                  say more\n"
    "  logstat --version\n"
    "\n"
    "To begin:\n"
    "  logstat gen access.log\n"
    "  logstat run v0 access.log\n"
    "  logstat run v4 access.log\n"
    "\n"
    "exit status: 0 done; 1 a file cannot be read or written, or --on-error fail met a\n"
    "malformed line; 2 wrong usage\n";

static const char versions_help[] =
    "usage: logstat versions\n"
    "\n"
    "Lists the versions that 'logstat run' knows: a line for each, its name and its idea.\n";

void ca_complain(const char *format, ...) {
    char message[CA_ERROR_BYTES + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fprintf(stderr, "logstat: %s\n", message);
}

int ca_print(struct ca_slice bytes) {
    struct ca_error err;
    if (ca_write_all(STDOUT_FILENO, "standard output", bytes, &err) == CA_OK)
        return CA_EXIT_OK;
    ca_complain("%s", err.message);
    return CA_EXIT_FAILED;
}

static int run_versions(const struct ca_logstat_options *options) {
    (void)options;
    for (size_t at = 0; at < ca_version_count; at++) {
        char line[256];
        snprintf(line, sizeof line, "%s  %s\n", ca_versions[at].name, ca_versions[at].idea);
        const int exit_status = ca_print(ca_slice_of(line));
        if (exit_status != CA_EXIT_OK)
            return exit_status;
    }
    return CA_EXIT_OK;
}

const struct ca_logstat_command ca_command_versions = {
    .name = "versions",
    .help = versions_help,
    .run = run_versions,
};

static const struct ca_logstat_command *const commands[] = {&ca_command_gen, &ca_command_run,
                                                            &ca_command_versions};

/* Values of the long options; above every character, so that optopt tells them apart. */
enum option_value {
    OPTION_OPERAND =
        1, /* what getopt returns for an operand when the short options begin with '-' */
    OPTION_BLOCKLIST = 256,
    OPTION_FORMAT,
    OPTION_ON_ERROR,
    OPTION_THREADS,
    OPTION_NO_PROGRESS,
    OPTION_VERSION,
    OPTION_HELP,
};

static const struct option long_options[] = {
    {"blocklist", required_argument, NULL, OPTION_BLOCKLIST},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"on-error", required_argument, NULL, OPTION_ON_ERROR},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"no-progress", no_argument, NULL, OPTION_NO_PROGRESS},
    {"version", no_argument, NULL, OPTION_VERSION},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

/* The command line as it was written. */
struct command_line {
    struct ca_logstat_options options;
    const char *command_name; /* NULL: none given */
    bool wants_help;
    bool wants_version;
    bool has_run_option;
    bool has_progress_option;
    bool has_too_many_operands;
};

static void add_operand(struct command_line *line, const char *operand) {
    struct ca_logstat_options *options = &line->options;
    if (line->command_name == NULL)
        line->command_name = operand;
    else if (options->operand_count < CA_OPERANDS_MAX)
        options->operands[options->operand_count++] = operand;
    else
        line->has_too_many_operands = true;
}

static bool set_format(struct ca_logstat_options *options, const char *value) {
    options->format = ca_report_format_find(value);
    if (options->format == NULL)
        ca_complain("--format '%s' is not known; it is text, json or csv", value);
    return options->format != NULL;
}

static bool set_on_error(struct ca_logstat_options *options, const char *value) {
    options->stops_at_malformed = strcmp(value, "fail") == 0;
    if (options->stops_at_malformed || strcmp(value, "skip") == 0)
        return true;
    ca_complain("--on-error '%s' is not known; it is skip or fail", value);
    return false;
}

static bool set_threads(struct ca_logstat_options *options, const char *value) {
    uint64_t thread_count;
    if (ca_parse_unsigned(ca_slice_of(value), CA_THREADS_MAX, &thread_count) && thread_count > 0) {
        options->thread_count = (unsigned)thread_count;
        return true;
    }
    ca_complain("--threads '%s' is not a number from 1 to %d", value, CA_THREADS_MAX);
    return false;
}

static bool set_option(struct command_line *line, int option, const char *value) {
    switch (option) {
    case OPTION_BLOCKLIST:
        line->has_run_option = true;
        line->options.blocklist_path = value;
        return true;
    case OPTION_FORMAT:
        line->has_run_option = true;
        return set_format(&line->options, value);
    case OPTION_ON_ERROR:
        line->has_run_option = true;
        return set_on_error(&line->options, value);
    case OPTION_THREADS:
        line->has_run_option = true;
        return set_threads(&line->options, value);
    case OPTION_NO_PROGRESS:
        line->has_progress_option = true;
        line->options.shows_progress = false;
        return true;
    case OPTION_VERSION:
        line->wants_version = true;
        return true;
    default:
        line->wants_help = true;
        return true;
    }
}

/* False, with the message written, when the options are wrong. */
static bool parse(struct command_line *line, int argc, char **argv) {
    opterr = 0;
    for (;;) {
        const int option = getopt_long(argc, argv, "-:h", long_options, NULL);
        if (option == -1)
            break;
        if (option == ':') {
            ca_complain("'%s' wants a value; see 'logstat --help'", argv[optind - 1]);
            return false;
        }
        if (option == '?' && optopt > 0 && optopt < 256) {
            ca_complain("there is no option '-%c'; see 'logstat --help'", optopt);
            return false;
        }
        if (option == '?') {
            ca_complain("there is no option '%s'; see 'logstat --help'", argv[optind - 1]);
            return false;
        }
        if (option == OPTION_OPERAND)
            add_operand(line, optarg);
        else if (!set_option(line, option, optarg))
            return false;
    }
    while (optind < argc)
        add_operand(line, argv[optind++]);
    return true;
}

static const struct ca_logstat_command *find_command(const char *name) {
    for (size_t at = 0; at < sizeof commands / sizeof commands[0]; at++)
        if (strcmp(commands[at]->name, name) == 0)
            return commands[at];
    return NULL;
}

static bool check_usage(const struct ca_logstat_command *command, const struct command_line *line) {
    const int count = line->options.operand_count;
    if (line->has_run_option && !command->takes_run_options) {
        ca_complain(
            "'logstat %s' takes no --blocklist, --format, --on-error or --threads; see 'logstat %s "
            "--help'",
            command->name, command->name);
        return false;
    }
    if (line->has_progress_option && !command->takes_progress) {
        ca_complain("'logstat %s' takes no --no-progress; see 'logstat %s --help'", command->name,
                    command->name);
        return false;
    }
    if (count < command->operand_count_min || count > command->operand_count_max ||
        line->has_too_many_operands) {
        ca_complain("too %s arguments for 'logstat %s'; see 'logstat %s --help'",
                    count < command->operand_count_min ? "few" : "many", command->name,
                    command->name);
        return false;
    }
    return true;
}

/* A closed descriptor 0 to 2 would go to the next file opened, and messages or the report into that
 * file. Each is taken in the direction in which it is not used, so that using it still fails. */
static void occupy_standard_descriptors(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv) {
    struct command_line line = {
        .options = {.format = ca_report_format_find("text"), .shows_progress = true}};
    occupy_standard_descriptors();
    if (!parse(&line, argc, argv))
        return CA_EXIT_USAGE;
    if (line.wants_version)
        return ca_print(ca_slice_of("logstat " COUNTALLOC_VERSION "\n"));
    if (line.command_name == NULL && line.wants_help)
        return ca_print(ca_slice_of(general_help));
    if (line.command_name == NULL) {
        ca_complain("no command given; 'logstat --help' lists them");
        return CA_EXIT_USAGE;
    }
    const struct ca_logstat_command *command = find_command(line.command_name);
    if (command == NULL) {
        ca_complain("there is no command '%s'; there are gen, run and versions ('logstat --help')",
                    line.command_name);
        return CA_EXIT_USAGE;
    }
    if (line.wants_help)
        return ca_print(ca_slice_of(command->help));
    if (!check_usage(command, &line))
        return CA_EXIT_USAGE;
    return command->run(&line.options);
}
