/* SPDX-License-Identifier: MIT
 *
 * Profiles of other tools, read into a stack tree. To add a kind of input: write fold_x.c with one
 * `const struct ca_fold_kind`, and add it to the table in fold.c. */
#ifndef CA_FOLD_H
#define CA_FOLD_H

#include "flame/stack_tree.h"
#include "fold/line_reader.h"
#include "sites/record_tree.h"

struct ca_fold_options {
    const char *event;                    /* NULL: all, or the first; see the kind */
    bool is_by_period;                    /* perf: a sample weighs its period instead of 1 */
    bool is_by_sample;                    /* perf: it was asked for 1 */
    struct ca_record_tree_options record; /* of a record */
    bool has_record_options;              /* something of `record` was asked for */
};

#define CA_FOLD_NOTES     8u
#define CA_FOLD_NOTE_SIZE 512u

/* What a person should know about the result: for standard error. */
struct ca_fold_notes {
    char text[CA_FOLD_NOTES][CA_FOLD_NOTE_SIZE];
    size_t note_count; /* of those kept; later ones are dropped */
};

/* Adds a note, cut to its size. */
void ca_fold_note(struct ca_fold_notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct ca_fold_kind {
    const char *name;  /* of --from */
    const char *shown; /* "perf script output" */
    bool has_events;
    bool has_periods;
    /* Whether the first bytes of a file look like this kind. */
    bool (*is_like)(const char *bytes, size_t byte_count);
    /* Adds all stacks to column CA_STACK_NEW of `tree`. CA_ERROR_INPUT with "FILE:LINE: …". */
    enum ca_status (*read)(struct ca_line_reader *reader, const struct ca_fold_options *options,
                           struct ca_stack_tree *tree, struct ca_fold_notes *notes,
                           struct ca_error *err);
};

extern const struct ca_fold_kind ca_fold_perf;
extern const struct ca_fold_kind ca_fold_sample;
extern const struct ca_fold_kind ca_fold_callgrind;
extern const struct ca_fold_kind ca_fold_record;
extern const struct ca_fold_kind ca_fold_folded;

/* The kind called `name`. CA_ERROR_USAGE lists the known ones. */
enum ca_status ca_fold_kind_find(const char *name, const struct ca_fold_kind **ret_kind,
                                 struct ca_error *err);

/* The kind that the reader's file looks like; before its first line is read. CA_ERROR_INPUT when it
 * is empty or looks like none. */
enum ca_status ca_fold_kind_guess(const struct ca_line_reader *reader,
                                  const struct ca_fold_kind **ret_kind, struct ca_error *err);

/* Reads the whole file into `tree`, which is finished afterwards. CA_ERROR_USAGE: an option that
 * the kind has no use for. CA_ERROR_INPUT also when there is no stack with a count in it. */
enum ca_status ca_fold_read(const struct ca_fold_kind *kind, struct ca_line_reader *reader,
                            const struct ca_fold_options *options, struct ca_stack_tree *tree,
                            struct ca_fold_notes *notes, struct ca_error *err);

/* The value of --weight: samples, period, allocations or bytes. CA_ERROR_USAGE. */
enum ca_status ca_fold_take_weight(struct ca_fold_options *options, const char *value,
                                   struct ca_error *err);

/* Helpers for kinds. A walk over the lines of a look-ahead: false at the end. */
bool ca_fold_peek_line(const char **bytes, size_t *byte_count, const char **ret_line,
                       size_t *ret_line_bytes);

/* Whether the line begins with `text`. */
bool ca_fold_begins(const char *line, size_t byte_count, const char *text);

/* Decimal digits at the front of the line as a number, and how many there are: 0 when there are
 * none, or they do not fit into 64 bits. */
size_t ca_fold_digits(const char *line, size_t byte_count, uint64_t *ret_number);

/* A line of folded stacks: "a;b;c 12" into the length of the stack and the count. False for
 * anything else. */
bool ca_fold_split(const char *line, size_t byte_count, size_t *ret_stack_bytes,
                   uint64_t *ret_count);

#endif
