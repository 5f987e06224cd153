/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fold/line_reader.h"

static char path[] = "/tmp/countalloc-lines-XXXXXX";

static void write_file(const char *bytes, size_t byte_count) {
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, bytes, byte_count), (ssize_t)byte_count);
    close(fd);
}

static void remove_file(void) {
    unlink(path);
}

static struct ca_line next_line(struct ca_line_reader *reader) {
    struct ca_line line;
    bool is_end;
    cr_assert_eq(ca_line_reader_next(reader, &line, &is_end, NULL), CA_OK);
    cr_assert(!is_end);
    return line;
}

Test(line_reader, lines_of_any_length_are_passed_on, .fini = remove_file) {
    size_t byte_count = 1000000;
    char *bytes = malloc(byte_count);
    memset(bytes, 'x', byte_count);
    bytes[3] = bytes[700000] = bytes[700002] = '\n';
    bytes[700001] = '\r';
    write_file(bytes, byte_count);
    struct ca_line_reader reader;
    cr_assert_eq(ca_line_reader_open(&reader, path, NULL), CA_OK);
    cr_assert_eq(next_line(&reader).byte_count, 3);
    cr_assert_eq(next_line(&reader).byte_count, 699996);
    struct ca_line line = next_line(&reader);
    cr_assert_eq(line.byte_count, 0);
    cr_assert(line.is_whole);
    line = next_line(&reader);
    cr_assert_eq(line.byte_count, 299997);
    cr_assert_eq(line.number, 4);
    cr_assert(!line.is_whole);
    bool is_end;
    cr_assert_eq(ca_line_reader_next(&reader, &line, &is_end, NULL), CA_OK);
    cr_assert(is_end);
    ca_line_reader_close(&reader);
    free(bytes);
}

Test(line_reader, a_file_that_is_not_there_is_an_error) {
    struct ca_line_reader reader;
    struct ca_error err;
    cr_assert_eq(ca_line_reader_open(&reader, "/nonexistent/x", &err), CA_ERROR_SYSTEM);
    cr_assert_str_eq(err.message, "cannot open '/nonexistent/x': No such file or directory");
}

Test(line_reader, a_folder_is_an_error) {
    struct ca_line_reader reader;
    struct ca_error err;
    cr_assert_eq(ca_line_reader_open(&reader, "/", &err), CA_ERROR_SYSTEM);
    cr_assert_str_eq(err.message, "cannot read '/': Is a directory");
}
