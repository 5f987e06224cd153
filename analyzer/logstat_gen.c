/* SPDX-License-Identifier: MIT */
#include "logstat_commands.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "gen.h"
#include "log_line.h"
#include "progress_bar.h"
#include "whole_file.h"

static const char help[] =
    "usage: logstat gen FILE|- [LINES] [SEED] [--no-progress]\n"
    "\n"
    "Writes a synthetic access log: LINES requests to a gateway (default 1000000, about\n"
    "119 MB), seeded with SEED (default 42). The same seed gives the same bytes on every\n"
    "machine. FILE is overwritten; - is standard output.\n"
    "\n"
    "  logstat gen access.log          the log that this project's figures are about\n"
    "  logstat gen small.log 20000     a short one, for slow tools such as Valgrind\n"
    "  logstat gen - 1000000 7 | logstat run v4 -\n"
    "\n"
    "options:\n"
    "  --no-progress    no progress bar (there is none anyway unless stderr is a terminal)\n";

enum {
    BUFFER_BYTES = 64 * 1024
};

static enum ca_status write_log(int fd, const char *name, uint64_t line_count, uint64_t seed,
                                struct ca_progress *progress, struct ca_error *err) {
    char buffer[BUFFER_BYTES];
    size_t used_bytes = 0;
    struct ca_gen gen;
    ca_gen_init(&gen, seed);
    while (gen.line_index < line_count) {
        used_bytes += ca_gen_next(&gen, buffer + used_bytes);
        if (BUFFER_BYTES - used_bytes >= CA_GEN_LINE_BYTES && gen.line_index < line_count)
            continue;
        const struct ca_slice full = {buffer, used_bytes};
        const enum ca_status status = ca_write_all(fd, name, full, err);
        if (status != CA_OK)
            return status;
        used_bytes = 0;
        ca_progress_update(progress, gen.line_index);
    }
    return CA_OK;
}

static int gen_to(int fd, const char *name, uint64_t line_count, uint64_t seed,
                  bool shows_progress) {
    struct ca_error err;
    struct ca_progress progress;
    ca_progress_start(&progress, shows_progress, "generating", line_count);
    const enum ca_status status = write_log(fd, name, line_count, seed, &progress, &err);
    ca_progress_end(&progress);
    if (status == CA_OK)
        return CA_EXIT_OK;
    ca_complain("%s; the log is incomplete", err.message);
    return CA_EXIT_FAILED;
}

static bool parse_operand(const struct ca_logstat_options *options, int at, const char *what,
                          uint64_t *value) {
    if (at >= options->operand_count)
        return true;
    if (ca_parse_unsigned(ca_slice_of(options->operands[at]), UINT64_MAX, value))
        return true;
    ca_complain("%s '%s' is not an unsigned decimal that fits 64 bits; see 'logstat gen --help'",
                what, options->operands[at]);
    return false;
}

static int run_gen(const struct ca_logstat_options *options) {
    const char *path = options->operands[0];
    uint64_t line_count = ca_gen_default_line_count;
    uint64_t seed = ca_gen_default_seed;
    if (!parse_operand(options, 1, "LINES", &line_count) ||
        !parse_operand(options, 2, "SEED", &seed))
        return CA_EXIT_USAGE;
    if (strcmp(path, "-") == 0)
        return gen_to(STDOUT_FILENO, "standard output", line_count, seed, options->shows_progress);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        ca_complain("cannot write to '%s': %s", path, strerror(errno));
        return CA_EXIT_FAILED;
    }
    const int exit_status = gen_to(fd, path, line_count, seed, options->shows_progress);
    if (close(fd) != 0 && exit_status == CA_EXIT_OK) {
        ca_complain("cannot write to '%s': %s; the log is incomplete", path, strerror(errno));
        return CA_EXIT_FAILED;
    }
    return exit_status;
}

const struct ca_logstat_command ca_command_gen = {
    .name = "gen",
    .help = help,
    .operand_count_min = 1,
    .operand_count_max = 3,
    .takes_progress = true,
    .run = run_gen,
};
