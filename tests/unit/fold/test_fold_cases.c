/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "data_file.h"
#include "folded_text.h"

static const struct ca_fold_kind *const kinds[] = {
    &ca_fold_perf, &ca_fold_sample, &ca_fold_callgrind, &ca_fold_record, &ca_fold_folded,
};

#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

static void fold_file(struct folded_text *folded, const struct data_file *file) {
    char shown[264];
    snprintf(shown, sizeof shown, "%s.in", file->name);
    folded_text_init(folded, NULL, file->bytes, file->byte_count, shown, NULL);
}

static void compare_folded(const struct data_file *file) {
    static struct data_file expected;
    struct folded_text folded;
    if (!data_file_load(&expected, file->name, "folded"))
        return;
    fold_file(&folded, file);
    cr_assert_eq(folded.status, CA_OK, "%s: %s", file->name, folded.err.message);
    cr_assert(folded.text.byte_count == expected.byte_count &&
                  memcmp(folded.text.bytes, expected.bytes, expected.byte_count) == 0,
              "%s: folded to\n%s", file->name, folded.text.bytes);
    folded_text_release(&folded);
}

static void compare_notes(const struct data_file *file) {
    static struct data_file expected;
    static char notes[CA_FOLD_NOTES * CA_FOLD_NOTE_SIZE];
    struct folded_text folded;
    size_t length = 0;
    if (!data_file_load(&expected, file->name, "notes"))
        expected.byte_count = 0;
    fold_file(&folded, file);
    for (size_t i = 0; i < folded.notes.note_count; i++)
        length +=
            (size_t)snprintf(notes + length, sizeof notes - length, "%s\n", folded.notes.text[i]);
    cr_assert(length == expected.byte_count && memcmp(notes, expected.bytes, length) == 0,
              "%s: noted\n%.*s", file->name, (int)length, notes);
    folded_text_release(&folded);
}

static void compare_error(const struct data_file *file) {
    static struct data_file expected;
    struct folded_text folded;
    if (!data_file_load(&expected, file->name, "error"))
        return;
    fold_file(&folded, file);
    cr_assert_neq(folded.status, CA_OK, "%s: no error", file->name);
    cr_assert(strlen(folded.err.message) + 1 == expected.byte_count &&
                  memcmp(folded.err.message, expected.bytes, expected.byte_count - 1) == 0,
              "%s: %s", file->name, folded.err.message);
    cr_assert_eq(folded.text.byte_count, 0, "%s: half written", file->name);
    folded_text_release(&folded);
}

Test(fold_cases, every_file_folds_to_exactly_what_lies_beside_it) {
    cr_assert_eq(data_file_each(compare_folded), FOLD_CASES);
}

Test(fold_cases, notes_are_exactly_what_lies_beside_the_file) {
    cr_assert_eq(data_file_each(compare_notes), FOLD_CASES);
}

Test(fold_cases, errors_name_file_line_and_what_was_expected) {
    cr_assert_eq(data_file_each(compare_error), FOLD_CASES);
}

/* A copy of just the size, so that a sanitizer sees each byte read behind it. */
static void fold_any(const char *bytes, size_t byte_count, const char *name) {
    for (size_t kind = 0; kind <= KIND_COUNT; kind++) {
        struct folded_text folded;
        folded_text_init(&folded, kind < KIND_COUNT ? kinds[kind] : NULL, bytes, byte_count, name,
                         NULL);
        cr_assert(folded.status == CA_OK
                      ? folded.text.byte_count > 0
                      : folded.err.message[0] != '\0' && folded.text.byte_count == 0,
                  "%s, first %zu bytes, kind %zu", name, byte_count, kind);
        folded_text_release(&folded);
    }
}

static void fold_prefixes(const struct data_file *file) {
    for (size_t count = 0; count <= file->byte_count; count++)
        fold_any(file->bytes, count, file->name);
}

Test(fold_cases, every_beginning_of_every_file_gives_a_result_or_an_error, .timeout = 100) {
    cr_assert_eq(data_file_each(fold_prefixes), FOLD_CASES);
}

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void fold_damaged(const struct data_file *file) {
    static const char marks[] = "\n\n ;:()[]+-*.=0123456789abcxz$_/\0\r\t\xff'";
    static char copy[DATA_FILE_SIZE];
    unsigned state = 7;
    for (int round = 0; round < 150 && file->byte_count > 0; round++) {
        memcpy(copy, file->bytes, file->byte_count);
        for (int damage = 0; damage < 4; damage++)
            copy[next_random(&state) % file->byte_count] =
                marks[next_random(&state) % (sizeof marks - 1)];
        fold_any(copy, file->byte_count, file->name);
    }
}

Test(fold_cases, damaged_files_give_a_result_or_an_error, .timeout = 100) {
    cr_assert_eq(data_file_each(fold_damaged), FOLD_CASES);
}
