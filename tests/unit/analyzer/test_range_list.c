/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <string.h>

#include "log_source.h"
#include "random_log.h"
#include "range_list.h"

/* Ranges follow each other, cover the log and end behind newlines; the last has no end. */
static void expect_ranges(struct text log, uint64_t range_bytes) {
    const struct ca_source source = log_source(log);
    static struct ca_range_list list;
    struct ca_source part;
    struct ca_range *range;
    enum ca_status status;
    struct ca_error err;
    uint64_t at_byte = 0;
    ca_range_list_init(&list, &source, range_bytes);
    while (ca_range_list_next(&list, &part, &range, &status, &err)) {
        cr_assert_eq(part.at_byte, at_byte);
        at_byte = part.end_byte;
        if (part.end_byte == UINT64_MAX)
            continue;
        cr_assert_geq(part.end_byte - part.at_byte, list.range_bytes);
        cr_assert_leq(part.end_byte, log.byte_count);
        cr_assert_eq(log.bytes[part.end_byte - 1], '\n');
        const char *newline =
            memchr(log.bytes + part.at_byte + list.range_bytes - 1, '\n',
                   log.byte_count - (size_t)part.at_byte - (size_t)list.range_bytes + 1);
        cr_assert_eq(newline + 1, log.bytes + part.end_byte);
    }
    cr_assert_eq(status, CA_OK);
    cr_assert_eq(at_byte, UINT64_MAX);
    cr_assert_leq(list.range_count, ca_range_list_limit(&list));
    cr_assert_leq(list.range_count, CA_RANGES_MAX);
}

Test(range_list, covers_the_log_in_whole_lines) {
    static char bytes[RANDOM_LOG_BYTES];
    uint64_t state = 31;
    for (unsigned round = 0; round < 3000; round++)
        expect_ranges(random_log(bytes, &state), 1 + random_below(&state, 3000));
    expect_ranges(text_of("", 0), 1);
    expect_ranges(text_of("\n", 1), 1);
    expect_ranges(text_of("a", 1), 1);
}

Test(range_list, has_at_most_256_ranges) {
    static char bytes[5000];
    memset(bytes, '\n', sizeof bytes);
    expect_ranges(text_of(bytes, sizeof bytes), 1);
}

/* Thread 0 scanned lines 1 to 10 and 31 to 35 of the file, thread 1 lines 11 to 30. */
Test(range_list, numbers_lines_as_the_file_does) {
    static struct ca_range_list list = {
        .range_count = 3,
        .ranges = {{0, CA_OK, 0, 10}, {1, CA_OK, 0, 20}, {0, CA_MALFORMED, 10, 5}},
    };
    cr_assert_eq(ca_range_list_line_number(&list, 0, 1), 1);
    cr_assert_eq(ca_range_list_line_number(&list, 0, 10), 10);
    cr_assert_eq(ca_range_list_line_number(&list, 1, 1), 11);
    cr_assert_eq(ca_range_list_line_number(&list, 1, 20), 30);
    cr_assert_eq(ca_range_list_line_number(&list, 0, 11), 31);
    cr_assert_eq(ca_range_list_line_number(&list, 0, 15), 35);
    cr_assert_eq(ca_range_list_line_number(&list, 0, 16), 0);
    cr_assert_eq(ca_range_list_failure(&list), &list.ranges[2]);
    list.range_count = 2;
    cr_assert_null(ca_range_list_failure(&list));
}
