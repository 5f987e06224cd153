/* SPDX-License-Identifier: MIT */
#include "fold/fold.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* In the order of guessing: folded stacks last, because nearly any line ends in a number. */
static const struct ca_fold_kind *const kinds[] = {
    &ca_fold_perf, &ca_fold_sample, &ca_fold_callgrind, &ca_fold_record, &ca_fold_folded,
};

#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

void ca_fold_note(struct ca_fold_notes *notes, const char *format, ...) {
    if (notes->note_count == CA_FOLD_NOTES)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(notes->text[notes->note_count++], CA_FOLD_NOTE_SIZE, format, arguments);
    va_end(arguments);
}

enum ca_status ca_fold_kind_find(const char *name, const struct ca_fold_kind **ret_kind,
                                 struct ca_error *err) {
    char known[128] = "";
    for (size_t i = 0, length = 0; i < KIND_COUNT; i++) {
        if (strcmp(kinds[i]->name, name) == 0) {
            *ret_kind = kinds[i];
            return CA_OK;
        }
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s",
                                   i == 0 ? "" : ", ", kinds[i]->name);
    }
    return ca_error_set(err, CA_ERROR_USAGE, "'--from' is one of %s, not '%s'", known, name);
}

enum ca_status ca_fold_kind_guess(const struct ca_line_reader *reader,
                                  const struct ca_fold_kind **ret_kind, struct ca_error *err) {
    const char *bytes;
    size_t byte_count;
    ca_line_reader_peek(reader, &bytes, &byte_count);
    if (byte_count == 0)
        return ca_error_set(err, CA_ERROR_INPUT, "'%s' is empty: there are no stacks in it",
                            reader->shown);
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (kinds[i]->is_like(bytes, byte_count)) {
            *ret_kind = kinds[i];
            return CA_OK;
        }
    return ca_error_set(err, CA_ERROR_INPUT,
                        "'%s' looks like nothing known: neither perf script output, a sample "
                        "report, a callgrind file, a record nor folded stacks; say which with "
                        "'--from' to see where it differs",
                        reader->shown);
}

enum ca_status ca_fold_read(const struct ca_fold_kind *kind, struct ca_line_reader *reader,
                            const struct ca_fold_options *options, struct ca_stack_tree *tree,
                            struct ca_fold_notes *notes, struct ca_error *err) {
    if (options->event != NULL && !kind->has_events)
        return ca_error_set(err, CA_ERROR_USAGE, "'--event' is not for %s, which has no events",
                            kind->shown);
    if (options->is_by_period && !kind->has_periods)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "'--weight period' is for perf script output, not for %s", kind->shown);
    if (options->has_record_options && kind != &ca_fold_record)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "'--weight allocations', '--weight bytes', '--sampled' and "
                            "'--without-phases' are for records, not for %s",
                            kind->shown);
    if (options->is_by_sample && kind == &ca_fold_record)
        return ca_error_set(err, CA_ERROR_USAGE,
                            "'--weight' of a record is allocations or bytes; '--sampled' takes its "
                            "samples");
    enum ca_status status = kind->read(reader, options, tree, notes, err);
    if (status == CA_OK && tree->counted[CA_STACK_NEW] == 0)
        return ca_error_set(err, CA_ERROR_INPUT, "'%s' (read as %s) has no stack with a count",
                            reader->shown, kind->shown);
    return status == CA_OK ? ca_stack_tree_finish(tree, err) : status;
}

enum ca_status ca_fold_take_weight(struct ca_fold_options *options, const char *value,
                                   struct ca_error *err) {
    options->is_by_period = strcmp(value, "period") == 0;
    options->is_by_sample = strcmp(value, "samples") == 0;
    options->record.is_by_bytes = strcmp(value, "bytes") == 0;
    bool is_of_record = options->record.is_by_bytes || strcmp(value, "allocations") == 0;
    options->has_record_options |= is_of_record;
    if (options->is_by_period || options->is_by_sample || is_of_record)
        return CA_OK;
    return ca_error_set(err, CA_ERROR_USAGE,
                        "'--weight' is samples or period, of a record allocations or bytes, not "
                        "'%s'",
                        value);
}

bool ca_fold_peek_line(const char **bytes, size_t *byte_count, const char **ret_line,
                       size_t *ret_line_bytes) {
    if (*byte_count == 0)
        return false;
    const char *newline = memchr(*bytes, '\n', *byte_count);
    size_t length = newline != NULL ? (size_t)(newline - *bytes) : *byte_count;
    *ret_line = *bytes;
    *ret_line_bytes = length > 0 && (*bytes)[length - 1] == '\r' ? length - 1 : length;
    *bytes += length + (newline != NULL);
    *byte_count -= length + (newline != NULL);
    return true;
}

bool ca_fold_begins(const char *line, size_t byte_count, const char *text) {
    size_t length = strlen(text);
    return byte_count >= length && memcmp(line, text, length) == 0;
}

size_t ca_fold_digits(const char *line, size_t byte_count, uint64_t *ret_number) {
    uint64_t number = 0;
    size_t count = 0;
    for (; count < byte_count && line[count] >= '0' && line[count] <= '9'; count++) {
        unsigned digit = (unsigned)(line[count] - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return 0;
        number = number * 10 + digit;
    }
    if (count > 0)
        *ret_number = number;
    return count;
}

bool ca_fold_split(const char *line, size_t byte_count, size_t *ret_stack_bytes,
                   uint64_t *ret_count) {
    while (byte_count > 0 && (line[byte_count - 1] == ' ' || line[byte_count - 1] == '\t'))
        byte_count--;
    size_t at = byte_count;
    while (at > 0 && line[at - 1] >= '0' && line[at - 1] <= '9')
        at--;
    size_t stack_bytes = at;
    while (stack_bytes > 0 && (line[stack_bytes - 1] == ' ' || line[stack_bytes - 1] == '\t'))
        stack_bytes--;
    if (stack_bytes == at || stack_bytes == 0 ||
        ca_fold_digits(line + at, byte_count - at, ret_count) == 0)
        return false;
    *ret_stack_bytes = stack_bytes;
    return true;
}
