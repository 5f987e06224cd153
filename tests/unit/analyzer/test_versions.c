/* SPDX-License-Identifier: MIT
 *
 * Holds every version against an independent reference and against all others, on random logs of
 * every shape the grammar allows, and on the seeded logs whose checksums come from the Rust
 * reference.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "blocklist.h"
#include "gen.h"
#include "log_source.h"
#include "logstat_reference.h"
#include "print_report.h"
#include "random_log.h"
#include "versions.h"

enum {
    RANDOM_LOG_COUNT = 4000
};

static const struct ca_slice some_users[] = {{"u00007", 6}, {"z", 1}, {"u\0x", 3}};
static const struct ca_blocklist some_blocked = {(struct ca_slice *)(uintptr_t)some_users, 3, NULL};
static const struct ca_blocklist none_blocked = {NULL, 0, NULL};

static struct ca_job job_of(struct text log, const struct ca_blocklist *blocklist) {
    return (struct ca_job){
        .log = {log.bytes, log.byte_count},
        .log_name = "x.log",
        .blocklist = blocklist,
        .sip_key = {0x0123456789abcdef, 42},
    };
}

/* Gives the version the log in the way it wants it. */
static enum ca_status scan(const struct ca_version *version, const struct ca_job *job,
                           struct ca_result *result, struct ca_error *err) {
    struct ca_job whole = *job;
    struct ca_source source;
    if (version->reading == CA_READS_WHOLE)
        return version->scan(&whole, result, err);
    source = log_source(text_of(job->log.bytes, job->log.byte_count));
    whole.log = (struct ca_slice){"", 0};
    whole.source = &source;
    whole.thread_count = 2;
    return version->scan(&whole, result, err);
}

static struct ca_string render(struct ca_result *result, const char *format) {
    struct ca_string report = {0};
    struct ca_error err;
    cr_assert_eq(ca_report_render(result, ca_report_format_find(format), &report, &err), CA_OK);
    return report;
}

static void expect_same(struct ca_slice report, struct ca_slice expected, const char *what,
                        const char *version, struct text log) {
    cr_assert(ca_slice_equal(report, expected),
              "%s: %s differs\n%.*s--- expected\n%.*s--- log\n%.*s", version, what,
              (int)report.byte_count, report.bytes, (int)expected.byte_count, expected.bytes,
              (int)log.byte_count, log.bytes);
}

static void expect_same_malformed(const struct ca_result *result, const struct ca_result *first,
                                  const char *version) {
    cr_assert_eq(result->malformed_count, first->malformed_count, "%s", version);
    for (size_t at = 0; at < CA_MALFORMED_SHOWN; at++) {
        cr_assert_eq(result->malformed[at].line_number, first->malformed[at].line_number, "%s",
                     version);
        cr_assert_str_eq(result->malformed[at].reason, first->malformed[at].reason, "%s", version);
    }
}

/* With --on-error fail: the first malformed line stops every version, with one message. */
static void expect_stop(struct text log, const struct ca_blocklist *blocklist,
                        const struct ca_result *skipped) {
    struct ca_job job = job_of(log, blocklist);
    char expected[CA_ERROR_BYTES];
    snprintf(expected, sizeof expected, "x.log:%" PRIu64 ": %s", skipped->malformed[0].line_number,
             skipped->malformed[0].reason);
    job.stops_at_malformed = true;
    for (size_t at = 0; at < ca_version_count; at++) {
        struct ca_result result;
        struct ca_error err = {""};
        ca_result_init(&result);
        const enum ca_status status = scan(&ca_versions[at], &job, &result, &err);
        ca_result_release(&result);
        if (skipped->malformed_count == 0) {
            cr_assert_eq(status, CA_OK, "%s", ca_versions[at].name);
            continue;
        }
        cr_assert_eq(status, CA_MALFORMED, "%s", ca_versions[at].name);
        cr_assert_str_eq(err.message, expected, "%s", ca_versions[at].name);
    }
}

/* Every version, every format, against the reference and against the first version. */
static void expect_agreement(struct text log, const struct ca_blocklist *blocklist) {
    static struct reference reference;
    reference = (struct reference){.group_count = 0};
    reference_scan(&reference, log, blocklist);
    const struct text expected = reference_report(&reference);
    const struct ca_job job = job_of(log, blocklist);
    struct ca_result first;
    struct ca_string first_json = {0};
    struct ca_string first_csv = {0};
    for (size_t at = 0; at < ca_version_count; at++) {
        const char *name = ca_versions[at].name;
        struct ca_result result;
        struct ca_error err;
        ca_result_init(&result);
        cr_assert_eq(scan(&ca_versions[at], &job, &result, &err), CA_OK, "%s", name);
        cr_assert_eq(result.line_count, reference.line_count, "%s", name);
        cr_assert_eq(result.malformed_count, reference.malformed_count, "%s", name);
        for (size_t line = 0; line < CA_MALFORMED_SHOWN && line < result.malformed_count; line++)
            cr_assert_eq(result.malformed[line].line_number, reference.malformed_lines[line], "%s",
                         name);
        struct ca_string text = render(&result, "text");
        struct ca_string json = render(&result, "json");
        struct ca_string csv = render(&result, "csv");
        expect_same(ca_string_slice(&text), (struct ca_slice){expected.bytes, expected.byte_count},
                    "text", name, log);
        if (at == 0) {
            first_json = json;
            first_csv = csv;
            first = result;
        } else {
            expect_same(ca_string_slice(&json), ca_string_slice(&first_json), "json", name, log);
            expect_same(ca_string_slice(&csv), ca_string_slice(&first_csv), "csv", name, log);
            expect_same_malformed(&result, &first, name);
            ca_string_release(&json);
            ca_string_release(&csv);
            ca_result_release(&result);
        }
        ca_string_release(&text);
    }
    expect_stop(log, blocklist, &first);
    ca_string_release(&first_json);
    ca_string_release(&first_csv);
    ca_result_release(&first);
    free(expected.bytes);
}

/* Each log in a block of its own size, so that a sanitizer sees a read behind its end. */
static void expect_agreement_on_random_logs(uint64_t seed, const struct ca_blocklist *blocklist) {
    static char bytes[RANDOM_LOG_BYTES];
    uint64_t state = seed;
    for (unsigned at = 0; at < RANDOM_LOG_COUNT; at++) {
        const struct text made = random_log(bytes, &state);
        struct text log = {malloc(made.byte_count > 0 ? made.byte_count : 1), made.byte_count};
        memcpy(log.bytes, made.bytes, made.byte_count);
        expect_agreement(log, blocklist);
        free(log.bytes);
    }
}

Test(versions, agree_with_the_reference_on_random_logs) {
    expect_agreement_on_random_logs(0x9e3779b97f4a7c15, &some_blocked);
}

Test(versions, agree_with_the_reference_when_nobody_is_blocked) {
    expect_agreement_on_random_logs(0xdeadbeefcafef00d, &none_blocked);
}

Test(versions, agree_on_random_bytes) {
    static const char alphabet[] = "  ===\n\n\r\0ustatusroutemodeltokenslatency_ms0123456789+";
    uint64_t state = 88172645463325252;
    for (unsigned at = 0; at < RANDOM_LOG_COUNT; at++) {
        const size_t byte_count = (size_t)random_below(&state, 300);
        char *bytes = malloc(byte_count + 1);
        for (size_t byte = 0; byte < byte_count; byte++)
            bytes[byte] = alphabet[random_below(&state, sizeof alphabet - 1)];
        char *log = malloc(byte_count > 0 ? byte_count : 1);
        memcpy(log, bytes, byte_count);
        expect_agreement(text_of(log, byte_count), &some_blocked);
        free(bytes);
        free(log);
    }
}

/* Both tables of every version grow past their first sizes. */
Test(versions, agree_on_two_thousand_groups) {
    char *bytes = malloc(2000 * 64);
    size_t used_bytes = 0;
    for (unsigned at = 0; at < 2000; at++)
        used_bytes += (size_t)sprintf(bytes + used_bytes,
                                      "status=200 tokens=1 latency_ms=%u route=/%u model=m%u\n", at,
                                      at * 7919 % 2000, at % 3);
    expect_agreement(text_of(bytes, used_bytes), &some_blocked);
    free(bytes);
}

static void expect_text(const char *log, const char *expected) {
    struct ca_string report;
    for (size_t at = 0; at < ca_version_count; at++) {
        struct ca_result result;
        struct ca_error err;
        const struct ca_job job = job_of(text_of(log, strlen(log)), &some_blocked);
        ca_result_init(&result);
        cr_assert_eq(scan(&ca_versions[at], &job, &result, &err), CA_OK);
        report = render(&result, "text");
        cr_assert_gt(report.byte_count, strlen(expected));
        expect_same((struct ca_slice){report.bytes, strlen(expected)}, ca_slice_of(expected),
                    "text", ca_versions[at].name, text_of(log, strlen(log)));
        cr_assert_eq(memcmp(report.bytes + strlen(expected), "checksum=", 9), 0);
        ca_string_release(&report);
        ca_result_release(&result);
    }
}

Test(versions, report_nothing_for_an_empty_log) {
    expect_text("", "blocked=0 errors=0\n");
}

Test(versions, count_an_empty_line_as_an_error) {
    expect_text("\n\r\n \n", "blocked=0 errors=3\n");
}

Test(versions, count_blocked_before_anything_else) {
    expect_text("user=u00007 status=500 tokens=x\nuser=u00007\n", "blocked=2 errors=0\n");
}

Test(versions, take_the_last_of_a_doubled_key) {
    expect_text(
        "user=u00007 user=a status=500 status=200 tokens=x tokens=3 latency_ms=9 latency_ms=4 "
        "route=/a route=/b model=m",
        "/b m requests=1 tokens=3 p50_ms=4 p99_ms=4\nblocked=0 errors=0\n");
}

Test(versions, make_no_group_of_a_malformed_line) {
    expect_text("status=200 route=/a model=m tokens=1\nstatus=200 latency_ms=1\n"
                "status=200 tokens=1 latency_ms=4294967296\n",
                "blocked=0 errors=0 malformed=3\n");
}

Test(versions, keep_the_return_of_a_last_line_without_newline) {
    expect_text("tokens=1 latency_ms=2 status=200\r\ntokens=1 latency_ms=2 status=200\r",
                "  requests=1 tokens=1 p50_ms=2 p99_ms=2\nblocked=0 errors=1\n");
}

Test(versions, wrap_the_token_sum) {
    expect_text("tokens=18446744073709551615 latency_ms=4294967295 status=200 route=r model=m\n"
                "tokens=3 latency_ms=0 status=200 route=r model=m\n",
                "r m requests=2 tokens=2 p50_ms=0 p99_ms=4294967295\nblocked=0 errors=0\n");
}

Test(versions, explain_the_first_five_malformed_lines) {
    static const char log[] = "status=200\n"
                              "ok status=500\n"
                              "status=200 tokens=1\n"
                              "status=200 tokens=x latency_ms=x\n"
                              "status=200 tokens=1 latency_ms=\x1b\"\\z\n"
                              "status=200 tokens=1234567890123456789012345678901234567890123\n"
                              "status=200\n";
    static const struct ca_malformed expected[CA_MALFORMED_SHOWN] = {
        {1, "tokens is missing or empty"},
        {3, "latency_ms is missing or empty"},
        {4, "tokens \"x\" is not an unsigned decimal that fits 64 bits"},
        {5, "latency_ms \"\\x1b\\x22\\x5cz\" is not an unsigned decimal that fits 32 bits"},
        {6,
         "tokens \"1234567890123456789012345678901234...\" is not an unsigned decimal that fits 64 "
         "bits"},
    };
    for (size_t at = 0; at < ca_version_count; at++) {
        struct ca_result result;
        struct ca_error err;
        const struct ca_job job = job_of(text_of(log, sizeof log - 1), &some_blocked);
        ca_result_init(&result);
        cr_assert_eq(scan(&ca_versions[at], &job, &result, &err), CA_OK);
        cr_assert_eq(result.malformed_count, 6);
        for (size_t line = 0; line < CA_MALFORMED_SHOWN; line++) {
            cr_assert_eq(result.malformed[line].line_number, expected[line].line_number);
            cr_assert_str_eq(result.malformed[line].reason, expected[line].reason);
        }
        ca_result_release(&result);
    }
}

/* The checksums are those that the Rust reference prints. */
static void expect_seeded(uint64_t seed, uint64_t line_count, const char *checksum_line) {
    struct ca_gen gen;
    struct ca_blocklist blocklist;
    struct ca_error err;
    char *bytes = malloc((size_t)line_count * CA_GEN_LINE_BYTES);
    size_t used_bytes = 0;
    ca_gen_init(&gen, seed);
    while (gen.line_index < line_count)
        used_bytes += ca_gen_next(&gen, bytes + used_bytes);
    cr_assert_eq(ca_blocklist_init_builtin(&blocklist, &err), CA_OK);
    for (size_t at = 0; at < ca_version_count; at++) {
        struct ca_result result;
        const struct ca_job job = job_of(text_of(bytes, used_bytes), &blocklist);
        ca_result_init(&result);
        cr_assert_eq(scan(&ca_versions[at], &job, &result, &err), CA_OK);
        cr_assert_eq(result.line_count, line_count);
        cr_assert_eq(result.groups.group_count, 30);
        struct ca_string report = render(&result, "text");
        const size_t tail_bytes = strlen(checksum_line);
        cr_assert_eq(
            memcmp(report.bytes + report.byte_count - tail_bytes, checksum_line, tail_bytes), 0,
            "%s", ca_versions[at].name);
        ca_string_release(&report);
        ca_result_release(&result);
    }
    ca_blocklist_release(&blocklist);
    free(bytes);
}

Test(versions, give_the_reference_checksum_of_3000_lines_of_seed_7) {
    expect_seeded(7, 3000, "blocked=289 errors=135\nchecksum=60f4d17db42b2e46\n");
}

Test(versions, give_the_reference_checksum_of_20000_lines_of_seed_42) {
    expect_seeded(42, 20000, "blocked=1992 errors=912\nchecksum=3411a92f6feae7b9\n");
}

Test(versions, are_found_by_name_only) {
    for (size_t at = 0; at < ca_version_count; at++)
        cr_assert_eq(ca_version_find(ca_versions[at].name), &ca_versions[at]);
    cr_assert_null(ca_version_find("v"));
    cr_assert_null(ca_version_find("v00"));
    cr_assert_null(ca_version_find(""));
}
