/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "block_reader.h"
#include "log_source.h"
#include "random_log.h"

/* Pieces of whole lines that together are the log. */
static void expect_pieces(struct ca_block_reader *reader, struct text log) {
    size_t seen_bytes = 0;
    for (;;) {
        struct ca_slice lines;
        struct ca_error err;
        cr_assert_eq(ca_block_reader_next(reader, &lines, &err), CA_OK);
        if (lines.byte_count == 0)
            break;
        cr_assert_leq(lines.byte_count, log.byte_count - seen_bytes);
        cr_assert_eq(memcmp(lines.bytes, log.bytes + seen_bytes, lines.byte_count), 0);
        seen_bytes += lines.byte_count;
        cr_assert(lines.bytes[lines.byte_count - 1] == '\n' || seen_bytes == log.byte_count);
        cr_assert_eq(lines.bytes[lines.byte_count + CA_BLOCK_PADDING_BYTES - 1],
                     lines.bytes[lines.byte_count + CA_BLOCK_PADDING_BYTES - 1]);
    }
    cr_assert_eq(seen_bytes, log.byte_count);
}

Test(block_reader, gives_whole_lines_whatever_the_block) {
    static char bytes[RANDOM_LOG_BYTES];
    uint64_t state = 21;
    for (unsigned round = 0; round < 2000; round++) {
        const struct text log = random_log(bytes, &state);
        struct ca_source source = log_source(log);
        struct ca_block_reader reader;
        ca_block_reader_init(&reader, &source, 1 + (size_t)random_below(&state, 3000));
        expect_pieces(&reader, log);
        ca_source_rewind(&source);
        ca_block_reader_restart(&reader, &source);
        expect_pieces(&reader, log);
        ca_block_reader_release(&reader);
    }
}

Test(block_reader, of_nothing_ends_at_once) {
    struct ca_source source = log_source(text_of("", 0));
    struct ca_block_reader reader;
    ca_block_reader_init(&reader, &source, 0);
    expect_pieces(&reader, text_of("", 0));
    expect_pieces(&reader, text_of("", 0));
    ca_block_reader_release(&reader);
}

/* Ten lines of 10 bytes, one of 100,000, ten of 10. */
Test(block_reader, grows_for_a_long_line_and_shrinks_again) {
    const size_t short_bytes = 10;
    const size_t long_bytes = 100000;
    const size_t usual_bytes = 1024 + 1024 + CA_BLOCK_PADDING_BYTES;
    char *log = malloc(long_bytes + 20 * short_bytes);
    size_t used_bytes = 0;
    for (unsigned at = 0; at < 21; at++) {
        const size_t byte_count = at == 10 ? long_bytes : short_bytes;
        memset(log + used_bytes, 'x', byte_count);
        used_bytes += byte_count;
        log[used_bytes - 1] = '\n';
    }
    struct ca_source source = log_source(text_of(log, used_bytes));
    struct ca_block_reader reader;
    struct ca_slice lines;
    struct ca_error err;
    ca_block_reader_init(&reader, &source, 1024);
    cr_assert_eq(ca_block_reader_next(&reader, &lines, &err), CA_OK);
    cr_assert_eq(lines.byte_count, 100);
    cr_assert_eq(reader.capacity_bytes, usual_bytes);
    cr_assert_eq(ca_block_reader_next(&reader, &lines, &err), CA_OK);
    cr_assert_eq(lines.byte_count, long_bytes + 100);
    cr_assert_geq(reader.capacity_bytes, long_bytes);
    cr_assert_eq(ca_block_reader_next(&reader, &lines, &err), CA_OK);
    cr_assert_eq(lines.byte_count, 0);
    cr_assert_eq(reader.capacity_bytes, usual_bytes);
    ca_block_reader_release(&reader);
    free(log);
}

Test(source, reads_up_to_its_end_and_again) {
    char bytes[16];
    size_t got_bytes;
    struct ca_error err;
    struct ca_source source = log_source(text_of("0123456789", 10));
    cr_assert(source.is_seekable);
    cr_assert_eq(source.size_bytes, 10);
    source.at_byte = 2;
    source.end_byte = 5;
    cr_assert_eq(ca_source_read(&source, bytes, sizeof bytes, &got_bytes, &err), CA_OK);
    cr_assert_eq(got_bytes, 3);
    cr_assert_eq(memcmp(bytes, "234", 3), 0);
    cr_assert_eq(ca_source_read(&source, bytes, sizeof bytes, &got_bytes, &err), CA_OK);
    cr_assert_eq(got_bytes, 0);
    ca_source_rewind(&source);
    cr_assert_eq(ca_source_read(&source, bytes, 1, &got_bytes, &err), CA_OK);
    cr_assert_eq(bytes[0], '0');
}

/* As after `(read -r first; logstat run v6 -) <log`. */
Test(source, begins_where_its_descriptor_is) {
    char bytes[16];
    size_t got_bytes;
    struct ca_error err;
    struct ca_source source = log_source(text_of("0123456789", 10));
    cr_assert_eq(lseek(source.fd, 4, SEEK_SET), 4);
    cr_assert_eq(ca_source_open_fd(source.fd, "x", &source, &err), CA_OK);
    cr_assert_eq(source.size_bytes, 6);
    cr_assert_eq(ca_source_read(&source, bytes, sizeof bytes, &got_bytes, &err), CA_OK);
    cr_assert_eq(got_bytes, 6);
    cr_assert_eq(memcmp(bytes, "456789", 6), 0);
}

Test(source, of_a_pipe_is_not_seekable) {
    int fds[2];
    struct ca_source source;
    struct ca_error err;
    cr_assert_eq(pipe(fds), 0);
    cr_assert_eq(ca_source_open_fd(fds[0], "pipe", &source, &err), CA_OK);
    cr_assert_not(source.is_seekable);
    cr_assert_eq(source.size_bytes, 0);
}

Test(source, names_what_is_missing) {
    struct ca_source source;
    struct ca_error err;
    cr_assert_eq(ca_source_open("/nonexistent/log", &source, &err), CA_IO);
    cr_assert_str_eq(err.message,
                     "cannot open '/nonexistent/log': No such file or directory; check the path");
    cr_assert_eq(ca_source_open("/tmp", &source, &err), CA_IO);
    cr_assert_str_eq(err.message, "cannot read '/tmp': it is a directory; name a file in it");
}
