/* SPDX-License-Identifier: MIT
 *
 * Holds the versions that read by themselves against v0: every version, every SIMD path of this
 * processor, blocks from one byte up, several threads and ranges, on logs that are nearly usual and
 * logs that are not. v0 itself is held against an independent reference by test_versions.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "blocklist.h"
#include "end_lines.h"
#include "gen.h"
#include "log_source.h"
#include "print_report.h"
#include "random_log.h"
#include "separators.h"
#include "usual_log.h"
#include "versions.h"

enum {
    LOG_COUNT = 3000,
    KNOWN_LOG_COUNT = 60,
};

static const struct ca_slice some_users[] = {{"u00007", 6}, {"u0007", 5}, {"z", 1},
                                             {"u\0x", 3},   {"", 0},      {"u+0007", 6}};

/* The empty user is left out by a blocklist's file, but not by the contract of a job. */
static struct ca_blocklist blocklist_of(size_t user_count) {
    return (struct ca_blocklist){(struct ca_slice *)(uintptr_t)some_users, user_count, NULL};
}

/* What a scan said, as bytes that can be compared: the report as text and CSV, the malformed lines,
 * or the message it stopped with. */
struct outcome {
    enum ca_status status;
    struct ca_string said;
};

static void say(struct outcome *outcome, const char *text) {
    cr_assert(ca_string_append(&outcome->said, ca_slice_of(text)));
}

static void say_report(struct outcome *outcome, struct ca_result *result, const char *format) {
    struct ca_string report = {0};
    struct ca_error err;
    cr_assert_eq(ca_report_render(result, ca_report_format_find(format), &report, &err), CA_OK);
    cr_assert(ca_string_append(&outcome->said, ca_string_slice(&report)));
    ca_string_release(&report);
}

static struct outcome scan(const struct ca_version *version, const struct ca_job *job) {
    struct outcome outcome = {.said = {0}};
    struct ca_result result;
    struct ca_error err = {""};
    ca_result_init(&result);
    outcome.status = version->scan(job, &result, &err);
    if (outcome.status == CA_OK) {
        say_report(&outcome, &result, "text");
        say_report(&outcome, &result, "csv");
        for (size_t at = 0; at < CA_MALFORMED_SHOWN; at++) {
            char line[CA_REASON_BYTES + 32];
            snprintf(line, sizeof line, "%llu %s\n",
                     (unsigned long long)result.malformed[at].line_number,
                     result.malformed[at].reason);
            say(&outcome, line);
        }
    } else {
        say(&outcome, err.message);
    }
    ca_result_release(&result);
    return outcome;
}

static void expect_outcome(const struct ca_version *version, const struct ca_job *job,
                           const struct outcome *expected, struct text log) {
    struct ca_job own = *job;
    struct ca_source source = *job->source;
    own.source = &source;
    struct outcome outcome = scan(version, &own);
    cr_assert(outcome.status == expected->status &&
                  ca_slice_equal(ca_string_slice(&outcome.said), ca_string_slice(&expected->said)),
              "%s %s, blocks of %zu, ranges of %llu, %u threads\n%.*s\n--- expected\n%.*s\n--- "
              "log\n%.*s",
              version->name, job->simd_path->name, job->block_bytes,
              (unsigned long long)job->range_bytes, job->thread_count, (int)outcome.said.byte_count,
              outcome.said.bytes, (int)expected->said.byte_count, expected->said.bytes,
              (int)log.byte_count, log.bytes);
    ca_string_release(&outcome.said);
}

static size_t draw_block_bytes(uint64_t *state) {
    static const size_t sizes[] = {1, 64, 128, 1024, 1024, 4096, 5000, 65536};
    const uint64_t which = random_below(state, 2 * sizeof sizes / sizeof sizes[0]);
    return which < sizeof sizes / sizeof sizes[0] ? sizes[which]
                                                  : 1 + (size_t)random_below(state, 2000);
}

/* Every version that reads, on every path, each with a block, ranges and threads of its own. */
static void expect_same_as_v0(struct text log, struct ca_job job, uint64_t *state) {
    struct ca_source source = log_source(log);
    job.log = (struct ca_slice){log.bytes, log.byte_count};
    job.log_name = "x.log";
    job.source = &source;
    struct outcome expected = scan(ca_version_find("v0"), &job);
    job.log = (struct ca_slice){"", 0};
    for (size_t at = 0; at < ca_version_count; at++) {
        if (ca_versions[at].reading == CA_READS_WHOLE)
            continue;
        for (size_t path = 0; path < ca_separator_path_count; path++) {
            if (!ca_separator_paths[path].is_supported())
                continue;
            job.simd_path = &ca_separator_paths[path];
            job.block_bytes = draw_block_bytes(state);
            job.range_bytes = 1 + random_below(state, 1500);
            job.thread_count = 1 + (unsigned)random_below(state, 4);
            expect_outcome(&ca_versions[at], &job, &expected, log);
        }
    }
    ca_string_release(&expected.said);
}

static void expect_same_on_logs(struct text (*make)(char *bytes, uint64_t *state), uint64_t seed) {
    static char bytes[RANDOM_LOG_BYTES];
    uint64_t state = seed;
    for (unsigned at = 0; at < LOG_COUNT; at++) {
        const struct ca_blocklist blocklist = blocklist_of(random_below(&state, 7));
        const struct ca_job job = {
            .blocklist = &blocklist,
            .sip_key = {at, seed},
            .stops_at_malformed = random_below(&state, 4) == 0,
        };
        expect_same_as_v0(make(bytes, &state), job, &state);
    }
}

Test(scanners, say_what_v0_says_of_nearly_usual_logs) {
    expect_same_on_logs(usual_log, 0x2545f4914f6cdd1d);
}

Test(scanners, say_what_v0_says_of_logs_of_every_shape) {
    expect_same_on_logs(random_log, 0x9e3779b97f4a7c15);
}

/* So that v10 takes lines from their ends, and every sixth of them differs in a byte from one that
 * it takes. */
Test(scanners, say_what_v0_says_of_logs_whose_groups_are_known) {
    static char bytes[KNOWN_LOG_BYTES];
    uint64_t state = 0xdeadbeefcafef00d;
    for (unsigned at = 0; at < KNOWN_LOG_COUNT; at++) {
        const struct ca_blocklist blocklist = blocklist_of(random_below(&state, 7));
        const struct ca_job job = {
            .blocklist = &blocklist,
            .sip_key = {at, 1},
            .stops_at_malformed = random_below(&state, 8) == 0,
        };
        expect_same_as_v0(known_log(bytes, &state), job, &state);
    }
}

static size_t put_names(char *bytes, const char *keys, bool is_reversed) {
    static const char *const names[] = {"a-name-of-some", "another-name"};
    return (size_t)sprintf(bytes, keys, names[is_reversed], names[!is_reversed]);
}

/* Two groups that have each other's names, and lines whose keys are in another order: what is between
 * the two ends looks like what is known and means the other group. */
Test(scanners, know_a_middle_only_with_its_keys_in_order) {
    static const char usual[] = "ts=2026-11-03T00:00:00Z level=INFO route=%s model=%s user=u00002 "
                                "tokens=517 latency_ms=148 status=200\n";
    static const char other[] = "ts=2026-11-03T00:00:00Z level=INFO model=%s route=%s user=u00002 "
                                "tokens=517 latency_ms=148 status=200\n";
    const struct ca_blocklist blocklist = blocklist_of(1);
    const struct ca_job job = {.blocklist = &blocklist};
    char *bytes = malloc(600 * sizeof usual + 600 * 32);
    size_t used_bytes = 0;
    uint64_t state = 3;
    for (unsigned at = 0; at < 600; at++) {
        const bool is_usual = at < 200 || at % 6 > 0;
        used_bytes +=
            put_names(bytes + used_bytes, is_usual ? usual : other, random_below(&state, 3) == 0);
    }
    for (unsigned at = 0; at < 20; at++)
        expect_same_as_v0(text_of(bytes, used_bytes), job, &state);
    free(bytes);
}

static uint64_t lines_from_their_ends;

static const char *count_and_note(struct ca_line_ends *ends, const char *line, const char *end,
                                  struct ca_result *result) {
    const uint64_t lines_before = result->line_count;
    const char *behind = ca_separator_path_best()->count(ends, line, end, result);
    lines_from_their_ends += result->line_count - lines_before;
    return behind;
}

/* How many of the first 20,000 lines of the seeded log v10 takes from their ends: all but those of a
 * group that has no counters yet, of a middle that is new, and those about the borders of blocks. */
Test(scanners, take_most_lines_of_the_seeded_log_from_their_ends) {
    const struct ca_separator_path path = {"noted", ca_separator_path_best()->find, count_and_note,
                                           ca_separators_always};
    struct ca_blocklist blocklist;
    struct ca_error err;
    struct ca_gen gen;
    struct ca_result result;
    char *bytes = malloc((size_t)20000 * CA_GEN_LINE_BYTES);
    size_t used_bytes = 0;
    ca_gen_init(&gen, 42);
    while (gen.line_index < 20000)
        used_bytes += ca_gen_next(&gen, bytes + used_bytes);
    struct ca_source source = log_source(text_of(bytes, used_bytes));
    cr_assert_eq(ca_blocklist_init_builtin(&blocklist, &err), CA_OK);
    const struct ca_job job = {
        .log_name = "x.log", .blocklist = &blocklist, .source = &source, .simd_path = &path};
    ca_result_init(&result);
    cr_assert_eq(ca_version_find("v10")->scan(&job, &result, &err), CA_OK);
    cr_assert_eq(result.line_count, 20000);
    cr_assert_eq(lines_from_their_ends, 16561, "%llu", (unsigned long long)lines_from_their_ends);
    ca_result_release(&result);
    ca_blocklist_release(&blocklist);
    free(bytes);
}

/* A line of `byte_count` bytes with its newline, usual or not. */
static void put_long_line(char *line, size_t byte_count, bool is_usual, char filler) {
    static const char start[] = "ts=1 level=";
    static const char end[] = " route=/r model=m user=a tokens=1 latency_ms=2 status=200\n";
    memset(line, filler, byte_count);
    memcpy(line, is_usual ? start : "xx=1 level=", sizeof start - 1);
    memcpy(line + byte_count - (sizeof end - 1), end, sizeof end - 1);
}

/* Longer than a block, a window of separators and what the buffer holds before it grows; then short
 * ones again. The filler ' ' makes a line of nothing but separators. */
Test(scanners, take_lines_of_any_length) {
    static const size_t lengths[] = {200,  2047,   2048,   2049,   4096,
                                     5000, 131072, 140000, 600000, 200};
    const struct ca_blocklist blocklist = blocklist_of(1);
    const struct ca_job job = {.blocklist = &blocklist};
    uint64_t state = 11;
    char *bytes = malloc(4000000);
    for (unsigned kind = 0; kind < 6; kind++) {
        size_t used_bytes = 0;
        for (size_t at = 0; at < sizeof lengths / sizeof lengths[0]; at++) {
            put_long_line(bytes + used_bytes, lengths[at], kind % 2 == 0, "xx  =="[kind]);
            used_bytes += lengths[at];
        }
        expect_same_as_v0(text_of(bytes, used_bytes), job, &state);
        expect_same_as_v0(text_of(bytes, used_bytes - 1), job, &state);
    }
    free(bytes);
}

/* The edge of a block at every byte of a line, and of a range too. */
Test(scanners, may_cut_a_line_anywhere) {
    static const char line[] =
        "ts=2026-11-03T00:00:00Z level=INFO route=/v1/chat model=mistral-7b user=u00008 tokens=12 "
        "latency_ms=34 status=200\r\n";
    const struct ca_blocklist blocklist = blocklist_of(1);
    char log[4 * sizeof line];
    size_t used_bytes = 0;
    for (unsigned at = 0; at < 4; at++, used_bytes += sizeof line - 1)
        memcpy(log + used_bytes, line, sizeof line - 1);
    struct ca_source source = log_source(text_of(log, used_bytes));
    struct ca_job job = {
        .log = {log, used_bytes},
        .log_name = "x.log",
        .blocklist = &blocklist,
        .source = &source,
    };
    struct outcome expected = scan(ca_version_find("v0"), &job);
    for (size_t at = 0; at < ca_version_count; at++) {
        for (size_t path = 0; path < ca_separator_path_count; path++) {
            job.simd_path = &ca_separator_paths[path];
            for (size_t bytes = 1; bytes <= used_bytes + 1; bytes++) {
                job.block_bytes = bytes;
                job.range_bytes = bytes;
                job.thread_count = 2;
                if (ca_versions[at].reading != CA_READS_WHOLE && job.simd_path->is_supported())
                    expect_outcome(&ca_versions[at], &job, &expected, text_of(log, used_bytes));
            }
        }
    }
    ca_string_release(&expected.said);
}

/* Groups come from usual lines and from others by turns, so that the table of groups grows behind
 * the back of whoever remembers where a group is. */
Test(scanners, find_two_thousand_groups) {
    const struct ca_blocklist blocklist = blocklist_of(1);
    const struct ca_job job = {.blocklist = &blocklist};
    char *bytes = malloc(8000 * 128);
    size_t used_bytes = 0;
    uint64_t state = 5;
    for (unsigned at = 0; at < 8000; at++)
        used_bytes += (size_t)sprintf(
            bytes + used_bytes,
            "%s level=INFO route=/v1/route-%u model=mistral-%u user=u00008 tokens=1 "
            "latency_ms=%u status=200\n",
            random_below(&state, 4) == 0 ? "at=1" : "ts=1",
            at < 4000 ? at / 2 : (unsigned)random_below(&state, 2000), at % 3, at % 5000);
    for (unsigned at = 0; at < 4; at++)
        expect_same_as_v0(text_of(bytes, used_bytes), job, &state);
    free(bytes);
}

static void *write_slowly(void *argument) {
    const int *fds = argument;
    static char bytes[USUAL_LOG_BYTES];
    uint64_t state = 77;
    const struct text log = usual_log(bytes, &state);
    for (size_t at = 0; at < log.byte_count;) {
        size_t part_bytes = 1 + (size_t)random_below(&state, 300);
        if (part_bytes > log.byte_count - at)
            part_bytes = log.byte_count - at;
        cr_assert_eq(write(fds[1], log.bytes + at, part_bytes), (ssize_t)part_bytes);
        at += part_bytes;
    }
    close(fds[1]);
    return NULL;
}

Test(scanners, read_a_pipe_as_it_comes) {
    static char bytes[USUAL_LOG_BYTES];
    const struct ca_blocklist blocklist = blocklist_of(1);
    uint64_t state = 77;
    const struct text log = usual_log(bytes, &state);
    struct ca_job job = {
        .log = {log.bytes, log.byte_count}, .log_name = "x.log", .blocklist = &blocklist};
    struct outcome expected = scan(ca_version_find("v0"), &job);
    for (size_t at = 0; at < ca_version_count; at++) {
        int fds[2];
        pthread_t writer;
        struct ca_source source;
        struct ca_error err;
        if (ca_versions[at].reading == CA_READS_WHOLE)
            continue;
        cr_assert_eq(pipe(fds), 0);
        cr_assert_eq(ca_source_open_fd(fds[0], "pipe", &source, &err), CA_OK);
        cr_assert_eq(pthread_create(&writer, NULL, write_slowly, fds), 0);
        job.source = &source;
        job.simd_path = ca_separator_path_best();
        job.thread_count = 3;
        expect_outcome(&ca_versions[at], &job, &expected, log);
        pthread_join(writer, NULL);
        close(fds[0]);
    }
    ca_string_release(&expected.said);
}

Test(scanners, report_what_cannot_be_read) {
    const struct ca_blocklist blocklist = blocklist_of(1);
    for (size_t at = 0; at < ca_version_count; at++) {
        struct ca_source source = log_source(text_of("a\nb\n", 4));
        const struct ca_job job = {.log_name = "x.log",
                                   .blocklist = &blocklist,
                                   .source = &source,
                                   .range_bytes = 1,
                                   .thread_count = 2};
        struct ca_result result;
        struct ca_error err = {""};
        if (ca_versions[at].reading == CA_READS_WHOLE)
            continue;
        source.fd = -1;
        ca_result_init(&result);
        cr_assert_eq(ca_versions[at].scan(&job, &result, &err), CA_IO, "%s", ca_versions[at].name);
        cr_assert_str_eq(err.message, "cannot read 'x.log': it is closed", "%s",
                         ca_versions[at].name);
        ca_result_release(&result);
    }
}
