/* SPDX-License-Identifier: MIT
 *
 * Lines taken from their two ends, on every path: which pass, and that one that passes is counted as
 * the reference counts it. A line that does not pass is never wrong, only slower; so the tests of
 * what passes are exact at the borders.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "end_lines.h"
#include "line_ends.h"
#include "random_log.h"

enum {
    GROUP_COUNT = 3,
    MUTANT_COUNT = 150000,
    PADDING_BYTES = 64,
};

/* "route model", as the reference names a group. */
static const char *const routes[GROUP_COUNT] = {"/v1/score", "/v1/chat/completions", "/a=b"};
static const char *const models[GROUP_COUNT] = {"mistral-7b", "llama-3-70b", "model=m"};
static const char *const levels[] = {"INFO", "ERROR"};
static const struct ca_slice some_users[] = {{"u00007", 6}, {"z", 1}, {"\0z", 2}, {"u1234567", 8}};
static const struct ca_blocklist blocklist = {(struct ca_slice *)(uintptr_t)some_users, 4, NULL};

static struct ca_line_ends ends;
static struct ca_group groups[GROUP_COUNT];
static uint32_t counts[GROUP_COUNT][CA_TALLY_COUNTED_MS];

/* The middle of that line becomes known. */
static void know(const struct end_line *line, struct ca_group *group) {
    char middle[END_LINE_BYTES];
    const int byte_count =
        snprintf(middle, sizeof middle, " level=%s route=%s model=%s user=", line->level,
                 line->route, line->model);
    ca_middle_cache_add(&ends.middles, middle, middle + byte_count, group);
}

static void set_up(void) {
    ends.newline_from_bytes = CA_ENDS_TAIL_BYTES;
    ca_middle_cache_init(&ends.middles);
    ca_blocked_words_init(&ends.blocked, &blocklist);
    for (size_t at = 0; at < GROUP_COUNT; at++) {
        groups[at].tally.counts = counts[at];
        for (size_t level = 0; level < 2; level++) {
            struct end_line line = usual_end_line();
            line.level = levels[level];
            line.route = routes[at];
            line.model = models[at];
            know(&line, &groups[at]);
        }
    }
    cr_assert_eq(ends.middles.middle_count, 1 + 2 * GROUP_COUNT);
}

/* What was counted, in words; empty when nothing was. Sets everything back. */
static void take_counts(const struct ca_result *result, char *ret_said) {
    size_t used = (size_t)sprintf(ret_said, "%s%s", result->blocked_count > 0 ? "blocked" : "",
                                  result->error_count > 0 ? "error" : "");
    for (size_t at = 0; at < GROUP_COUNT; at++) {
        for (uint32_t ms = 0; ms < CA_TALLY_COUNTED_MS; ms++)
            if (counts[at][ms] > 0)
                used += (size_t)sprintf(ret_said + used, "%s %s tokens=%" PRIu64 " %u x %" PRIu32,
                                        routes[at], models[at], groups[at].token_sum,
                                        (unsigned)counts[at][ms], ms);
        groups[at].token_sum = 0;
    }
    memset(counts, 0, sizeof counts);
}

static void say_reference(struct text line, char *ret_said) {
    static struct reference reference;
    reference.line_count = 0;
    reference.group_count = 0;
    reference.blocked_count = 0;
    reference.error_count = 0;
    reference.malformed_count = 0;
    reference_scan(&reference, line, &blocklist);
    *ret_said = '\0';
    if (reference.malformed_count > 0)
        strcpy(ret_said, "malformed");
    if (reference.blocked_count > 0)
        strcpy(ret_said, "blocked");
    if (reference.error_count > 0)
        strcpy(ret_said, "error");
    if (reference.group_count > 0) {
        struct reference_group *group = &reference.groups[0];
        sprintf(ret_said, "%.*s tokens=%" PRIu64 " 1 x %" PRIu32, (int)group->name_bytes,
                group->name, group->token_sum, group->values_ms[0]);
        free(group->name);
        free(group->values_ms);
    }
}

/* Gives the line to the path, with no more readable before and behind it than is promised, and
 * something behind it that does not pass. Returns how many bytes passed: 0, or those of the line. */
static size_t pass(const struct ca_separator_path *path, const char *line, size_t byte_count,
                   char *ret_said) {
    char rest[END_LINE_BYTES];
    struct end_line other = usual_end_line();
    other.ts = letters('x', 90);
    const size_t rest_bytes = put_end_line(rest, &other);
    char *block = malloc(CA_ENDS_LEAD_BYTES + byte_count + rest_bytes + PADDING_BYTES);
    char *text = block + CA_ENDS_LEAD_BYTES;
    struct ca_result result;
    ca_result_init(&result);
    memset(block, ' ', CA_ENDS_LEAD_BYTES);
    memcpy(text, line, byte_count);
    memcpy(text + byte_count, rest, rest_bytes);
    memset(text + byte_count + rest_bytes, '\n', PADDING_BYTES);
    const char *behind = path->count(&ends, text, text + byte_count + rest_bytes, &result);
    const size_t passed_bytes = (size_t)(behind - text);
    ret_said[0] = '\0';
    if (passed_bytes > 0)
        take_counts(&result, ret_said);
    cr_assert_eq(result.line_count, passed_bytes > 0);
    cr_assert_eq(ret_said[0] != '\0', passed_bytes > 0, "%s", ret_said);
    free(block);
    return passed_bytes;
}

/* On every path: the line as a whole passes and is counted as the reference does, or nothing. */
static bool passes(const char *bytes, size_t byte_count) {
    bool has_passed = false;
    for (size_t at = 0; at < ca_separator_path_count; at++) {
        const struct ca_separator_path *path = &ca_separator_paths[at];
        char said[END_LINE_BYTES];
        char expected[END_LINE_BYTES];
        if (!path->is_supported())
            continue;
        const size_t passed_bytes = pass(path, bytes, byte_count, said);
        if (at > 0)
            cr_assert_eq(passed_bytes > 0, has_passed, "%s: %.*s", path->name, (int)byte_count,
                         bytes);
        has_passed = passed_bytes > 0;
        if (!has_passed)
            continue;
        const char *newline = memchr(bytes, '\n', byte_count);
        cr_assert_eq(newline, bytes + passed_bytes - 1, "%s: %.*s", path->name, (int)byte_count,
                     bytes);
        say_reference(text_of(bytes, passed_bytes), expected);
        cr_assert_str_eq(said, expected, "%s: %.*s", path->name, (int)byte_count, bytes);
    }
    return has_passed;
}

static bool line_passes(const struct end_line *line) {
    char bytes[END_LINE_BYTES];
    const size_t byte_count = put_end_line(bytes, line);
    return passes(bytes, byte_count);
}

/* One or two bytes of a line that passes, changed, added or removed. */
Test(line_ends, are_never_wrong_about_mutated_lines, .init = set_up) {
    static const char *const users[] = {"u00007", "u00008", "z", "y", "", "u1234567", "uu1234567"};
    static const char *const statuses[] = {"200", "200", "404", "503"};
    uint64_t state = 0x2545f4914f6cdd1d;
    unsigned passed_count = 0;
    for (unsigned round = 0; round < MUTANT_COUNT; round++) {
        char bytes[END_LINE_BYTES];
        struct end_line line = usual_end_line();
        const size_t group = (size_t)random_below(&state, GROUP_COUNT);
        line.level = levels[random_below(&state, 2)];
        line.route = routes[group];
        line.model = models[group];
        line.user = users[random_below(&state, 7)];
        line.status = statuses[random_below(&state, 4)];
        size_t byte_count = put_end_line(bytes, &line);
        for (uint64_t more = 1 + random_below(&state, 2); more > 0; more--)
            byte_count = mutate_line(bytes, byte_count, &state);
        passed_count += passes(bytes, byte_count);
    }
    cr_assert_eq(passed_count, 15592, "%u", passed_count); /* so the way under test is taken */
}

/* Each place of a line, each of the 256 bytes. */
Test(line_ends, are_never_wrong_about_any_byte, .init = set_up) {
    const struct end_line line = usual_end_line();
    char bytes[END_LINE_BYTES];
    const size_t byte_count = put_end_line(bytes, &line);
    unsigned passed_count = 0;
    for (size_t place = 0; place < byte_count; place++) {
        const char kept = bytes[place];
        for (unsigned byte = 0; byte < 256; byte++) {
            bytes[place] = (char)byte;
            passed_count += passes(bytes, byte_count);
        }
        bytes[place] = kept;
    }
    /* 20 bytes of ts, 6 of user, 3 of status with every byte above ' '; digits: 3 of tokens and 3 of
     * latency; the other bytes as they are. */
    cr_assert_eq(passed_count, (20 + 6 + 3) * 223 + 6 * 10 + (byte_count - 35));
}

Test(line_ends, take_usual_lines, .init = set_up) {
    struct end_line line = usual_end_line();
    cr_assert(line_passes(&line));
    line.status = "503";
    cr_assert(line_passes(&line));
    line.level = "ERROR";
    cr_assert(line_passes(&line));
    line.user = "u00007";
    cr_assert(line_passes(&line));
    line.user = "z";
    cr_assert(line_passes(&line));
    line.level = "WARN";
    cr_assert_not(line_passes(&line));
}

/* A line of `byte_count` bytes before its newline; the user is 44 bytes long when there are 141. */
static struct end_line line_of(size_t byte_count) {
    struct end_line line = usual_end_line();
    char bytes[END_LINE_BYTES];
    line.user = "u";
    line.ts = "";
    const size_t least_bytes = put_end_line(bytes, &line) - 1;
    line.ts = letters('t', 7);
    line.user = letters('u', byte_count - least_bytes - 7 + 1);
    return line;
}

Test(line_ends, take_lines_from_where_newlines_are_looked_for, .init = set_up) {
    for (size_t from_bytes = 100; from_bytes <= 108; from_bytes++) {
        ends.newline_from_bytes = from_bytes;
        for (size_t byte_count = 99; byte_count <= 150; byte_count++) {
            const struct end_line line = line_of(byte_count);
            cr_assert_eq(line_passes(&line), byte_count >= from_bytes && byte_count <= 141,
                         "%zu %zu", from_bytes, byte_count);
        }
    }
}

/* As many bytes are looked at as there are before the 64 that end with a latency of one digit. */
Test(line_ends, reach_back_87_bytes_for_the_user, .init = set_up) {
    for (size_t user_bytes = 0; user_bytes < 60; user_bytes++) {
        struct end_line line = usual_end_line();
        line.user = letters('u', user_bytes);
        const size_t back_bytes =
            strlen(" user= tokens=517 latency_ms=148 status=200") + user_bytes;
        cr_assert_eq(line_passes(&line), back_bytes <= 87, "%zu", user_bytes);
    }
}

Test(line_ends, take_a_time_of_up_to_60_bytes, .init = set_up) {
    for (size_t ts_bytes = 0; ts_bytes < 100; ts_bytes++) {
        struct end_line line = usual_end_line();
        line.ts = letters('t', ts_bytes);
        cr_assert_eq(line_passes(&line), ts_bytes <= 60, "%zu", ts_bytes);
    }
}

Test(line_ends, take_middles_of_32_to_64_bytes, .init = set_up) {
    for (size_t route_bytes = 0; route_bytes < 60; route_bytes++) {
        struct end_line line = usual_end_line();
        const size_t middle_bytes = strlen(" level=INFO route= model=m user=") + route_bytes;
        line.route = letters('r', route_bytes);
        line.model = "m";
        groups[0].tally.counts = counts[0];
        ca_middle_cache_init(&ends.middles);
        know(&line, &groups[0]);
        const bool is_known = middle_bytes >= 32 && middle_bytes <= 64;
        cr_assert_eq(ends.middles.middle_count, 1 + is_known, "%zu", route_bytes);
        line.status = "404"; /* so that the group need not be named as the test's are */
        cr_assert_eq(line_passes(&line), is_known, "%zu", route_bytes);
    }
}

/* Any byte of a known middle, and any length. */
Test(line_ends, know_a_middle_by_every_byte, .init = set_up) {
    const struct end_line line = usual_end_line();
    char bytes[END_LINE_BYTES];
    const size_t byte_count = put_end_line(bytes, &line);
    const size_t start = strlen("ts=2026-11-03T00:00:00Z");
    const size_t end = byte_count - strlen("u02786 tokens=517 latency_ms=148 status=200\n");
    for (size_t at = start; at < end; at++) {
        bytes[at] ^= 1;
        cr_assert_not(passes(bytes, byte_count), "%zu", at);
        bytes[at] ^= 1;
    }
    /* The same beginning and the same end, one more in between. */
    struct end_line longer = usual_end_line();
    longer.route = letters('r', 24);
    longer.model = "m";
    know(&longer, &groups[0]);
    longer.status = "404";
    cr_assert(line_passes(&longer));
    longer.route = letters('r', 25);
    cr_assert_not(line_passes(&longer));
    longer.route = letters('r', 23);
    cr_assert_not(line_passes(&longer));
}

Test(line_ends, take_numbers_of_1_to_7_digits, .init = set_up) {
    for (size_t digit_count = 0; digit_count < 12; digit_count++) {
        struct end_line line = usual_end_line();
        line.tokens = letters('9', digit_count);
        cr_assert_eq(line_passes(&line), digit_count >= 1 && digit_count <= 7);
        line = usual_end_line();
        line.latency = letters('0', digit_count);
        cr_assert_eq(line_passes(&line), digit_count >= 1 && digit_count <= 7);
    }
    struct end_line line = usual_end_line();
    line.latency = "4095";
    cr_assert(line_passes(&line));
    line.latency = "4096";
    cr_assert_not(line_passes(&line));
    line.user = "u00007";
    cr_assert(line_passes(&line));
    line.tokens = "+17";
    cr_assert_not(line_passes(&line));
}

Test(line_ends, take_a_status_of_three_bytes, .init = set_up) {
    static const char *const others[] = {"",    "2",   "20",    "2000", "20 ",
                                         "2 0", " 20", "200\r", "20\r"};
    for (size_t at = 0; at < sizeof others / sizeof others[0]; at++) {
        struct end_line line = usual_end_line();
        line.status = others[at];
        cr_assert_not(line_passes(&line), "%s", others[at]);
        line.user = "u00007";
        cr_assert_not(line_passes(&line), "%s", others[at]);
    }
    struct end_line line = usual_end_line();
    line.end = "\r\n";
    cr_assert_not(line_passes(&line));
}

/* A counter that is full, which the tally has to see to. */
Test(line_ends, leave_a_full_counter_as_it_is, .init = set_up) {
    for (size_t at = 0; at < ca_separator_path_count; at++) {
        const struct end_line line = usual_end_line();
        char bytes[3 * END_LINE_BYTES];
        struct ca_result result;
        if (!ca_separator_paths[at].is_supported())
            continue;
        memset(bytes, ' ', sizeof bytes);
        put_end_line(bytes + 64, &line);
        counts[0][148] = UINT32_MAX;
        ca_result_init(&result);
        cr_assert_eq(ca_separator_paths[at].count(&ends, bytes + 64, bytes + 1024, &result),
                     bytes + 64);
        cr_assert_eq(counts[0][148], UINT32_MAX);
        cr_assert_eq(groups[0].token_sum, 0);
        cr_assert_eq(result.line_count, 0);
    }
}

/* `line_bytes` with the newline, which is among the 32 bytes up to `needed_bytes`. Behind the text
 * everything is a newline. */
static void expect_taken_from(size_t line_bytes, size_t needed_bytes) {
    const struct end_line line = line_of(line_bytes - 1);
    char bytes[2 * END_LINE_BYTES];
    memset(bytes, '\n', sizeof bytes);
    put_end_line(bytes + 64, &line);
    for (size_t at = 0; at < ca_separator_path_count; at++) {
        if (!ca_separator_paths[at].is_supported())
            continue;
        for (size_t text_bytes = 0; text_bytes < needed_bytes + 3; text_bytes++) {
            struct ca_result result;
            ca_result_init(&result);
            const char *behind =
                ca_separator_paths[at].count(&ends, bytes + 64, bytes + 64 + text_bytes, &result);
            const bool is_taken = text_bytes >= needed_bytes;
            cr_assert_eq(behind, bytes + 64 + (is_taken ? line_bytes : 0), "%zu", text_bytes);
        }
    }
}

/* A line near the end of the text is left, and no newline is found behind it. */
Test(line_ends, stop_at_the_end_of_the_text, .init = set_up) {
    ends.newline_from_bytes = 100;
    expect_taken_from(101, 132);
    expect_taken_from(132, 132);
    expect_taken_from(133, 164);
    expect_taken_from(142, 164);
}

/* Neither is a second line, whose newline was looked for while the first was read. */
Test(line_ends, stop_at_the_end_after_a_line, .init = set_up) {
    struct end_line line = usual_end_line();
    char bytes[3 * END_LINE_BYTES];
    line.status = "503";
    memset(bytes, '\n', sizeof bytes);
    const size_t line_bytes = put_end_line(bytes + 64, &line);
    put_end_line(bytes + 64 + line_bytes, &line);
    ends.newline_from_bytes = line_bytes - 5;
    const size_t needed_bytes = line_bytes - 5 + CA_ENDS_BITS_BYTES;
    for (size_t at = 0; at < ca_separator_path_count; at++) {
        if (!ca_separator_paths[at].is_supported())
            continue;
        for (size_t text_bytes = 0; text_bytes < line_bytes + needed_bytes + 3; text_bytes++) {
            struct ca_result result;
            ca_result_init(&result);
            const char *behind =
                ca_separator_paths[at].count(&ends, bytes + 64, bytes + 64 + text_bytes, &result);
            size_t line_count = text_bytes >= needed_bytes ? 1 : 0;
            if (text_bytes >= line_bytes + needed_bytes)
                line_count = 2;
            cr_assert_eq(behind, bytes + 64 + line_count * line_bytes, "%zu", text_bytes);
            cr_assert_eq(result.error_count, line_count);
        }
    }
}
