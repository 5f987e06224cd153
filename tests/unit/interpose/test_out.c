/* SPDX-License-Identifier: MIT */
#include "interpose/report/record.h"

#include <criterion/criterion.h>
#include <string.h>

struct ca_sink {
    char bytes[20000];
    size_t byte_count;
    size_t pieces[16];
    size_t piece_count;
};

static struct ca_sink sink;
static struct ca_out out;

static void keep(void *target, const char *bytes, size_t byte_count) {
    struct ca_sink *to = target;
    memcpy(to->bytes + to->byte_count, bytes, byte_count);
    to->byte_count += byte_count;
    to->pieces[to->piece_count++] = byte_count;
}

static void init(void) {
    memset(&sink, 0, sizeof sink);
    ca_out_init(&out, keep, &sink);
}

TestSuite(out, .init = init);

Test(out, collects_until_it_is_flushed) {
    ca_out_text(&out, "one ");
    ca_out_bytes(&out, "two and more", 3);
    cr_assert_eq(sink.piece_count, 0);
    ca_out_flush(&out);
    cr_assert_eq(sink.piece_count, 1);
    cr_assert_eq(sink.byte_count, 7);
    cr_assert_arr_eq(sink.bytes, "one two", 7);
}

Test(out, writes_nothing_when_there_is_nothing) {
    ca_out_text(&out, "");
    ca_out_bytes(&out, NULL, 0);
    ca_out_flush(&out);
    cr_assert_eq(sink.piece_count, 0);
}

Test(out, is_empty_after_a_flush) {
    ca_out_text(&out, "once");
    ca_out_flush(&out);
    ca_out_flush(&out);
    cr_assert_eq(sink.piece_count, 1);
    cr_assert_eq(sink.byte_count, 4);
}

Test(out, hands_on_each_time_the_buffer_is_full) {
    static char long_bytes[10000];
    for (size_t i = 0; i < sizeof long_bytes; i++)
        long_bytes[i] = (char)('a' + i % 26);
    ca_out_bytes(&out, long_bytes, sizeof long_bytes);
    cr_assert_eq(sink.piece_count, 2);
    cr_assert_eq(sink.pieces[0], sizeof out.buffer);
    cr_assert_eq(sink.pieces[1], sizeof out.buffer);
    ca_out_flush(&out);
    cr_assert_eq(sink.pieces[2], sizeof long_bytes - 2 * sizeof out.buffer);
    cr_assert_eq(sink.byte_count, sizeof long_bytes);
    cr_assert_arr_eq(sink.bytes, long_bytes, sizeof long_bytes);
}

Test(out, hands_on_a_buffer_that_is_exactly_full_once) {
    for (size_t i = 0; i < sizeof out.buffer; i++)
        ca_out_text(&out, "x");
    cr_assert_eq(sink.piece_count, 1);
    ca_out_flush(&out);
    cr_assert_eq(sink.piece_count, 1);
    cr_assert_eq(sink.byte_count, sizeof out.buffer);
}

Test(out, passes_nul_bytes_on) {
    ca_out_bytes(&out, "a\0b", 3);
    ca_out_flush(&out);
    cr_assert_eq(sink.byte_count, 3);
    cr_assert_arr_eq(sink.bytes, "a\0b", 3);
}
