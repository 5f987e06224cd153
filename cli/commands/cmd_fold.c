/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd_target.h"
#include "command.h"
#include "flame/folded_output.h"
#include "fold/fold.h"

enum {
    OPTION_FROM,
    OPTION_EVENT,
    OPTION_WEIGHT,
    OPTION_SAMPLED,
    OPTION_WITHOUT_PHASES
};

static const struct ca_option options[] = {
    {OPTION_FROM, 0, "from", CA_VALUE_NEEDED, "KIND",
     "what FILE is: perf (perf script's output), sample (a report of\n"
     "macOS), callgrind, record, folded; default: what it looks like"},
    {OPTION_EVENT, 0, "event", CA_VALUE_NEEDED, "NAME",
     "only this event of perf (default: all, each sample once) or\n"
     "callgrind (default: the first)"},
    {OPTION_WEIGHT, 0, "weight", CA_VALUE_NEEDED, "W",
     "what is counted: of perf, samples (default) or period; of a\n"
     "record, allocations (default) or bytes"},
    {OPTION_SAMPLED, 0, "sampled", CA_VALUE_NONE, NULL,
     "of a record: its samples, an estimate, instead of its sites"},
    {OPTION_WITHOUT_PHASES, 0, "without-phases", CA_VALUE_NONE, NULL,
     "of a record: stacks do not begin with the phase"},
};

static const struct ca_option_table table = {options, sizeof options / sizeof options[0]};

struct settings {
    const struct ca_fold_kind *kind; /* NULL: guess */
    struct ca_fold_options fold;
    const char *path;
};

static enum ca_status take_of_record(struct ca_fold_options *fold,
                                     const struct ca_option_found *found, struct ca_error *err) {
    if (found->option->id == OPTION_WEIGHT)
        return ca_fold_take_weight(fold, found->value, err);
    fold->has_record_options = true;
    fold->record.is_sampled |= found->option->id == OPTION_SAMPLED;
    fold->record.is_without_phase |= found->option->id == OPTION_WITHOUT_PHASES;
    return CA_OK;
}

static enum ca_status take(struct settings *settings, const struct ca_option_found *found,
                           struct ca_error *err) {
    if (found->option == NULL && settings->path != NULL)
        return ca_error_set(err, CA_ERROR_USAGE, "one file at a time: '%s' and '%s'",
                            settings->path, found->value);
    if (found->option == NULL)
        settings->path = found->value;
    else if (found->option->id == OPTION_FROM)
        return ca_fold_kind_find(found->value, &settings->kind, err);
    else if (found->option->id == OPTION_EVENT)
        settings->fold.event = found->value;
    else
        return take_of_record(&settings->fold, found, err);
    return CA_OK;
}

static enum ca_status parse(struct settings *settings, int argc, char **argv,
                            struct ca_error *err) {
    struct ca_option_walk walk;
    struct ca_option_found found;
    enum ca_status status;
    ca_option_walk_init(&walk, &table, argc, argv);
    while ((status = ca_option_next(&walk, &found, err)) == CA_OK &&
           (found.option != NULL || found.value != NULL)) {
        status = take(settings, &found, err);
        if (status != CA_OK)
            return status;
    }
    for (; status == CA_OK && walk.at < argc; walk.at++)
        status = take(settings, &(struct ca_option_found){.value = argv[walk.at]}, err);
    if (status == CA_OK && settings->path == NULL)
        return ca_error_set(err, CA_ERROR_USAGE, "no file given ('-' is standard input)");
    return status;
}

static enum ca_status read_file(const struct settings *settings, struct ca_stack_tree *tree,
                                struct ca_error *err) {
    const struct ca_fold_kind *kind = settings->kind;
    struct ca_line_reader reader;
    struct ca_fold_notes notes = {0};
    enum ca_status status = ca_line_reader_open(&reader, settings->path, err);
    if (status != CA_OK)
        return status;
    if (kind == NULL)
        status = ca_fold_kind_guess(&reader, &kind, err);
    if (status == CA_OK)
        status = ca_fold_read(kind, &reader, &settings->fold, tree, &notes, err);
    for (size_t i = 0; i < notes.note_count; i++)
        fprintf(stderr, "countalloc fold: %s\n", notes.text[i]);
    ca_line_reader_close(&reader);
    return status;
}

/* All is read before the first byte is written: an error leaves standard output empty. */
static enum ca_status run(int argc, char **argv, int *ret_exit, struct ca_error *err) {
    struct settings settings = {0};
    struct ca_stack_tree tree = {0};
    enum ca_status status = parse(&settings, argc, argv, err);
    if (status == CA_OK)
        status = ca_stack_tree_init(&tree, err);
    if (status == CA_OK)
        status = read_file(&settings, &tree, err);
    struct ca_fd_target target = {.fd = STDOUT_FILENO};
    struct ca_out out;
    ca_out_init(&out, ca_fd_target_write, &target);
    if (status == CA_OK)
        status = ca_folded_write(&tree, CA_STACK_NEW, &out, err);
    ca_out_flush(&out);
    if (status == CA_OK && target.error_number != 0)
        status = ca_error_set(err, CA_ERROR_SYSTEM, "cannot write to standard output: %s",
                              strerror(target.error_number));
    if (status == CA_OK)
        *ret_exit = CA_EXIT_OK;
    ca_stack_tree_release(&tree);
    return status;
}

const struct ca_command ca_command_fold = {
    .name = "fold",
    .summary = "turn a profile into folded stacks",
    .synopsis = "fold [--from KIND] [--event NAME] [--weight samples|period] FILE\n"
                "fold [--weight allocations|bytes] [--sampled] [--without-phases] RECORD",
    .description =
        "Reads what a profiler wrote and prints folded stacks: a line 'main;parse;strlen 12' for "
        "each call\n"
        "stack, the outermost function first, with its count. That is what 'countalloc flamegraph' "
        "draws, and\n"
        "what other flame graph tools read, too. Lines are sorted and occur once. '-' is standard "
        "input.\n"
        "\n"
        "perf's and sample's stacks begin with the thread. Callgrind knows only who called whom, "
        "so "
        "its stacks\n"
        "are an estimate whose sum is exact. C++ and Rust names are demangled; ';' in names "
        "becomes "
        "':'.\n"
        "\n"
        "A record's stacks begin with the phase; their counts add up to the record's total.",
    .examples =
        "perf record -e cpu-clock -F 997 --call-graph dwarf,1024 ./program\n"
        "perf script --no-inline | countalloc fold - > new.folded\n"
        "countalloc flamegraph new.folded > new.svg\n"
        "\n"
        "sample PID 5 -file report.txt; countalloc fold report.txt > new.folded\n"
        "countalloc run --stacks -o r.json -- ./program; countalloc fold r.json > new.folded\n"
        "valgrind --tool=callgrind --callgrind-out-file=cg.out ./program\n"
        "countalloc fold --event Ir cg.out > new.folded",
    .exit_status =
        "0  printed\n"
        "2  the file cannot be read, or is not what it should be: the message has FILE:LINE",
    .options = &table,
    .failed_status = CA_EXIT_FAILED,
    .run = run,
};
