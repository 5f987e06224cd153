/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd_target.h"
#include "base/number.h"
#include "command.h"
#include "flame/flame_number.h"
#include "flame/flame_svg.h"
#include "fold/fold_record.h"
#include "sites/record_picture.h"

enum {
    OPTION_TITLE,
    OPTION_INVERTED,
    OPTION_DIFF,
    OPTION_UNIT,
    OPTION_WIDTH,
    OPTION_WEIGHT,
    OPTION_SAMPLED,
    OPTION_WITHOUT_PHASES
};

static const struct ca_option options[] = {
    {OPTION_TITLE, 0, "title", CA_VALUE_NEEDED, "TEXT", "the picture's title"},
    {OPTION_INVERTED, 0, "inverted", CA_VALUE_NONE, NULL,
     "callers on top, hanging down (an icicle graph)"},
    {OPTION_DIFF, 0, "diff", CA_VALUE_NEEDED, "OLD",
     "colour each frame by its change against the file OLD: red for\n"
     "more, blue for less; the widths are those of FILE"},
    {OPTION_UNIT, 0, "unit", CA_VALUE_NEEDED, "NOUN",
     "what is counted, in the plural: allocations, bytes; default: samples,\n"
     "of a record what it counts"},
    {OPTION_WIDTH, 0, "width", CA_VALUE_NEEDED, "PX",
     "300 to 100000; default: 1200. With JavaScript the picture fits\n"
     "itself to the window"},
    {OPTION_WEIGHT, 0, "weight", CA_VALUE_NEEDED, "allocations|bytes",
     "what the widths of a record are; default: allocations"},
    {OPTION_SAMPLED, 0, "sampled", CA_VALUE_NONE, NULL,
     "of a record: its samples, an estimate, instead of its sites"},
    {OPTION_WITHOUT_PHASES, 0, "without-phases", CA_VALUE_NONE, NULL,
     "of a record: stacks do not begin with the phase"},
};

static const struct ca_option_table table = {options, sizeof options / sizeof options[0]};

struct settings {
    struct ca_flame_style style;
    struct ca_fold_options fold;
    struct ca_record_picture picture; /* of FILE, when it is a record */
    bool is_record;
    const char *old_path;
    const char *path;
};

static enum ca_status take_width(struct settings *settings, const char *value,
                                 struct ca_error *err) {
    uint64_t width;
    if (!ca_number_parse(value, &width) || width < CA_FLAME_WIDTH_MIN || width > CA_FLAME_WIDTH_MAX)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "'--width' is a number of pixels from %u to %u, not '%s'",
                            CA_FLAME_WIDTH_MIN, CA_FLAME_WIDTH_MAX, value);
    settings->style.width_px = (unsigned)width;
    return CA_OK;
}

static enum ca_status take_weight(struct settings *settings, const char *value,
                                  struct ca_error *err) {
    settings->fold.record.is_by_bytes = strcmp(value, "bytes") == 0;
    settings->fold.has_record_options = true;
    if (settings->fold.record.is_by_bytes || strcmp(value, "allocations") == 0)
        return CA_OK;
    return ca_error_set(err, CA_ERROR_USAGE, "'--weight' is allocations or bytes, not '%s'", value);
}

static enum ca_status take(struct settings *settings, const struct ca_option_found *found,
                           struct ca_error *err) {
    if (found->option == NULL && settings->path != NULL)
        return ca_error_set(err, CA_ERROR_USAGE, "one file at a time: '%s' and '%s'",
                            settings->path, found->value);
    if (found->option == NULL) {
        settings->path = found->value;
        return CA_OK;
    }
    switch (found->option->id) {
    case OPTION_TITLE:
        settings->style.title = found->value;
        return CA_OK;
    case OPTION_INVERTED:
        settings->style.is_inverted = true;
        return CA_OK;
    case OPTION_DIFF:
        settings->old_path = found->value;
        settings->style.is_difference = true;
        return CA_OK;
    case OPTION_UNIT:
        settings->style.unit = found->value;
        return CA_OK;
    case OPTION_WEIGHT:
        return take_weight(settings, found->value, err);
    case OPTION_SAMPLED:
        settings->fold.record.is_sampled = settings->fold.has_record_options = true;
        return CA_OK;
    case OPTION_WITHOUT_PHASES:
        settings->fold.record.is_without_phase = settings->fold.has_record_options = true;
        return CA_OK;
    default:
        return take_width(settings, found->value, err);
    }
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
    if (status != CA_OK)
        return status;
    if (settings->path == NULL)
        return ca_error_set(err, CA_ERROR_USAGE, "no file given ('-' is standard input)");
    if (settings->old_path != NULL && strcmp(settings->path, "-") == 0 &&
        strcmp(settings->old_path, "-") == 0)
        return ca_error_set(err, CA_ERROR_USAGE, "only one of the two files can be standard input");
    return CA_OK;
}

static enum ca_status read_record(struct settings *settings, struct ca_line_reader *reader,
                                  struct ca_stack_tree *tree, struct ca_fold_notes *notes,
                                  struct ca_error *err) {
    const struct ca_record_tree_options *wanted = &settings->fold.record;
    struct ca_loaded_record *loaded = calloc(1, sizeof *loaded);
    if (loaded == NULL)
        return ca_error_memory(err);
    enum ca_status status = ca_fold_record_load(reader, loaded, err);
    if (status == CA_OK)
        status = ca_record_tree_add(tree, &loaded->record, wanted, reader->shown, err);
    if (status == CA_OK && tree->counted[CA_STACK_NEW] == 0)
        status =
            ca_error_set(err, CA_ERROR_INPUT, "'%s' has no allocations to draw", reader->shown);
    if (status == CA_OK)
        status = ca_stack_tree_finish(tree, err);
    if (status == CA_OK) {
        ca_record_picture_init(&settings->picture, &loaded->record, wanted);
        ca_fold_record_note(&loaded->record, wanted, tree->counted[CA_STACK_NEW], notes);
        settings->is_record = true;
    }
    ca_loaded_record_release(loaded);
    free(loaded);
    return status;
}

/* Only what is folded already, and records: what to add up in a profile is the user's choice. */
static enum ca_status read_stacks(struct settings *settings, const char *path,
                                  struct ca_stack_tree *tree, struct ca_error *err) {
    struct ca_line_reader reader;
    const struct ca_fold_kind *kind;
    struct ca_fold_notes notes = {0};
    enum ca_status status = ca_line_reader_open(&reader, path, err);
    if (status != CA_OK)
        return status;
    status = ca_fold_kind_guess(&reader, &kind, err);
    if (status == CA_ERROR_INPUT && reader.buffer.byte_count > 0) {
        kind = &ca_fold_folded; /* for a message with the line */
        status = CA_OK;
    }
    if (status == CA_OK && kind != &ca_fold_folded && kind != &ca_fold_record)
        status = ca_error_set(err, CA_ERROR_INPUT,
                              "'%s' looks like %s; fold it first: countalloc fold %s | countalloc "
                              "flamegraph -",
                              reader.shown, kind->shown, path);
    if (status == CA_OK)
        status = kind == &ca_fold_record
                     ? read_record(settings, &reader, tree, &notes, err)
                     : ca_fold_read(kind, &reader, &settings->fold, tree, &notes, err);
    for (size_t i = 0; i < notes.note_count; i++)
        fprintf(stderr, "countalloc flamegraph: %s: %s\n", reader.shown, notes.text[i]);
    ca_line_reader_close(&reader);
    return status;
}

/* Both of one kind: counts of two kinds have nothing to do with each other. */
static enum ca_status read_old(struct settings *settings, struct ca_stack_tree *tree,
                               struct ca_error *err) {
    struct settings before = {.fold = settings->fold};
    struct ca_stack_tree old = {0};
    enum ca_status status = ca_stack_tree_init(&old, err);
    if (status == CA_OK)
        status = read_stacks(&before, settings->old_path, &old, err);
    if (status == CA_OK && settings->is_record && before.is_record &&
        strcmp(before.picture.style.unit, settings->picture.style.unit) != 0)
        status = ca_error_set(err, CA_ERROR_INPUT,
                              "'%s' has %s and '%s' has %s, which cannot be compared; '--sampled' "
                              "takes the estimate of both",
                              settings->path, settings->picture.style.unit, settings->old_path,
                              before.picture.style.unit);
    if (status == CA_OK)
        status = ca_stack_tree_merge(tree, CA_STACK_OLD, &old, err);
    if (status == CA_OK)
        status = ca_stack_tree_finish(tree, err);
    ca_stack_tree_release(&old);
    return status;
}

/* What the command line leaves open. */
static void complete_style(struct settings *settings) {
    struct ca_flame_style *style = &settings->style;
    if (settings->is_record && style->unit == NULL) {
        style->unit = settings->picture.style.unit;
        style->per = settings->picture.per;
        style->per_count = settings->picture.style.per_count;
    }
    if (style->unit == NULL)
        style->unit = "samples";
    if (style->title == NULL && settings->is_record)
        style->title = settings->picture.title;
    if (style->title == NULL)
        style->title = style->is_difference ? "Differential flame graph" : "Flame graph";
}

static void say_what_is_missing(const struct ca_flame_result *result) {
    char missing[CA_FLAME_NUMBER_SIZE], all[CA_FLAME_NUMBER_SIZE];
    if (result->narrow_count > 0)
        fprintf(stderr,
                "countalloc flamegraph: %s of %s frames are narrower than 0.1 px and not drawn; "
                "'--width' makes room\n",
                ca_flame_number(result->narrow_count, missing),
                ca_flame_number(result->frame_count, all));
    if (result->deep_count > 0)
        fprintf(stderr,
                "countalloc flamegraph: %s of %s frames are deeper than %u levels and not drawn\n",
                ca_flame_number(result->deep_count, missing),
                ca_flame_number(result->frame_count, all), CA_FLAME_DEPTH_MAX);
}

static enum ca_status draw(const struct settings *settings, const struct ca_stack_tree *tree,
                           struct ca_error *err) {
    struct ca_fd_target target = {.fd = STDOUT_FILENO};
    struct ca_flame_result result;
    struct ca_out out;
    ca_out_init(&out, ca_fd_target_write, &target);
    enum ca_status status = ca_flame_svg_write(tree, &settings->style, &out, &result, err);
    if (status != CA_OK)
        return status;
    ca_out_flush(&out);
    if (target.error_number != 0)
        return ca_error_set(err, CA_ERROR_SYSTEM, "cannot write to standard output: %s",
                            strerror(target.error_number));
    say_what_is_missing(&result);
    return CA_OK;
}

static enum ca_status run(int argc, char **argv, int *ret_exit, struct ca_error *err) {
    struct settings settings = {.style = {.width_px = CA_FLAME_WIDTH_DEFAULT}};
    struct ca_stack_tree tree = {0};
    enum ca_status status = parse(&settings, argc, argv, err);
    if (status == CA_OK)
        status = ca_stack_tree_init(&tree, err);
    if (status == CA_OK)
        status = read_stacks(&settings, settings.path, &tree, err);
    if (status == CA_OK && settings.old_path != NULL)
        status = read_old(&settings, &tree, err);
    if (status == CA_OK)
        complete_style(&settings);
    if (status == CA_OK)
        status = draw(&settings, &tree, err);
    if (status == CA_OK)
        *ret_exit = CA_EXIT_OK;
    ca_stack_tree_release(&tree);
    return status;
}

const struct ca_command ca_command_flamegraph = {
    .name = "flamegraph",
    .summary = "draw folded stacks as an interactive SVG",
    .synopsis =
        "flamegraph [--title TEXT] [--inverted] [--diff OLD] [--unit NOUN] [--width PX] FILE\n"
        "flamegraph [--weight allocations|bytes] [--sampled] [--without-phases] [...] RECORD",
    .description =
        "Draws folded stacks (from 'countalloc fold' or any other tool), or the call stacks of a "
        "record,\n"
        "as a flame graph on standard output:\n"
        "one SVG that needs nothing else. Each function is a box as wide as its share of the "
        "whole, "
        "on top of\n"
        "its caller; from left to right the order is alphabetical, not time. Read it from below "
        "and "
        "look for\n"
        "the widest box of your own code. '-' is standard input.\n"
        "\n"
        "In a browser: click zooms, Ctrl-F searches (regular expressions; the share that was found "
        "is "
        "shown),\n"
        "Escape shows everything again; Tab, arrows and Enter do the same without a mouse. Colours "
        "depend on\n"
        "names only, so a function looks the same in every picture; blue is the kernel, grey has "
        "no "
        "name.",
    .examples =
        "countalloc flamegraph --title 'logstat v0' v0.folded > v0.svg\n"
        "countalloc run --stacks -o r.json -- ./program; countalloc flamegraph r.json > r.svg\n"
        "countalloc flamegraph --diff v0.folded v1.folded > v0-v1.svg\n"
        "perf script | countalloc fold - | countalloc flamegraph - > cpu.svg",
    .exit_status =
        "0  drawn\n"
        "2  a file cannot be read, or is not what it should be: the message has FILE:LINE",
    .options = &table,
    .failed_status = CA_EXIT_FAILED,
    .run = run,
};
