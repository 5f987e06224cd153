/* SPDX-License-Identifier: MIT
 *
 * Holds every version against a reference that shares no code with them: lists instead of tables, a
 * search per key instead of a parser, strtoull instead of arithmetic. Random logs of every shape
 * the grammar allows, and the seeded logs whose checksums come from the Rust reference.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "blocklist.h"
#include "gen.h"
#include "print_report.h"
#include "versions.h"

enum {
    RANDOM_LOG_COUNT = 4000,
    LOG_BYTES = 64 * 1024,
    REFERENCE_GROUPS_MAX = 4096,
    REFERENCE_LINES_MAX = 4096,
};

struct text {
    char *bytes;
    size_t byte_count;
};

static struct text text_of(const char *bytes, size_t byte_count) {
    return (struct text){(char *)(uintptr_t)bytes, byte_count};
}

/* ---- the reference ---- */

struct reference_group {
    char *name; /* "route model", `name_bytes` */
    size_t name_bytes;
    uint64_t token_sum;
    uint32_t *values_ms;
    size_t value_count;
};

struct reference {
    struct reference_group groups[REFERENCE_GROUPS_MAX];
    size_t group_count;
    uint64_t line_count;
    uint64_t blocked_count;
    uint64_t error_count;
    uint64_t malformed_lines[REFERENCE_LINES_MAX];
    uint64_t malformed_count;
};

static struct text field_of(struct text line, const char *key) {
    const size_t key_bytes = strlen(key);
    struct text found = text_of("", 0);
    size_t start = 0;
    for (size_t at = 0; at <= line.byte_count; at++) {
        if (at < line.byte_count && line.bytes[at] != ' ')
            continue;
        if (at - start > key_bytes && memcmp(line.bytes + start, key, key_bytes) == 0 &&
            line.bytes[start + key_bytes] == '=')
            found = text_of(line.bytes + start + key_bytes + 1, at - start - key_bytes - 1);
        start = at + 1;
    }
    return found;
}

static bool is_text(struct text text, const char *expected) {
    return text.byte_count == strlen(expected) &&
           memcmp(text.bytes, expected, text.byte_count) == 0;
}

static bool number_of(struct text text, uint64_t max, uint64_t *value) {
    char digits[128] = "";
    if (text.byte_count == 0 || text.byte_count >= sizeof digits)
        return false;
    memcpy(digits, text.bytes, text.byte_count);
    const char *first = digits[0] == '+' ? digits + 1 : digits;
    const size_t digit_count = text.byte_count - (size_t)(first - digits);
    if (digit_count == 0 || strspn(first, "0123456789") != digit_count)
        return false;
    errno = 0;
    *value = strtoull(first, NULL, 10);
    return errno == 0 && *value <= max;
}

static struct reference_group *reference_group_of(struct reference *reference, struct text route,
                                                  struct text model) {
    const size_t name_bytes = route.byte_count + 1 + model.byte_count;
    char *name = malloc(name_bytes);
    memcpy(name, route.bytes, route.byte_count);
    name[route.byte_count] = ' ';
    memcpy(name + route.byte_count + 1, model.bytes, model.byte_count);
    for (size_t at = 0; at < reference->group_count; at++) {
        struct reference_group *group = &reference->groups[at];
        if (group->name_bytes == name_bytes && memcmp(group->name, name, name_bytes) == 0) {
            free(name);
            return group;
        }
    }
    struct reference_group *group = &reference->groups[reference->group_count++];
    *group = (struct reference_group){.name = name, .name_bytes = name_bytes};
    group->values_ms = malloc(REFERENCE_LINES_MAX * sizeof *group->values_ms);
    return group;
}

static void reference_line(struct reference *reference, struct text line,
                           const struct ca_blocklist *blocklist) {
    const struct text user = field_of(line, "user");
    uint64_t tokens;
    uint64_t latency_ms;
    reference->line_count++;
    for (size_t at = 0; at < blocklist->user_count; at++) {
        if (user.byte_count == blocklist->users[at].byte_count &&
            memcmp(user.bytes, blocklist->users[at].bytes, user.byte_count) == 0) {
            reference->blocked_count++;
            return;
        }
    }
    if (!is_text(field_of(line, "status"), "200")) {
        reference->error_count++;
        return;
    }
    if (!number_of(field_of(line, "tokens"), UINT64_MAX, &tokens) ||
        !number_of(field_of(line, "latency_ms"), UINT32_MAX, &latency_ms)) {
        reference->malformed_lines[reference->malformed_count++] = reference->line_count;
        return;
    }
    struct reference_group *group =
        reference_group_of(reference, field_of(line, "route"), field_of(line, "model"));
    group->token_sum += tokens;
    /* Kept sorted. */
    size_t at = group->value_count++;
    for (; at > 0 && group->values_ms[at - 1] > latency_ms; at--)
        group->values_ms[at] = group->values_ms[at - 1];
    group->values_ms[at] = (uint32_t)latency_ms;
}

static int by_name(const void *left_group, const void *right_group) {
    const struct reference_group *left = left_group;
    const struct reference_group *right = right_group;
    const bool is_left_shorter = left->name_bytes < right->name_bytes;
    const int order =
        memcmp(left->name, right->name, is_left_shorter ? left->name_bytes : right->name_bytes);
    return order != 0 ? order : (is_left_shorter ? -1 : 1);
}

static uint32_t reference_percentile(const struct reference_group *group, size_t percent) {
    size_t rank = 1;
    while (rank * 100 < group->value_count * percent)
        rank++;
    return group->values_ms[rank - 1];
}

static struct text reference_report(struct reference *reference) {
    struct text report;
    FILE *out = open_memstream(&report.bytes, &report.byte_count);
    qsort(reference->groups, reference->group_count, sizeof reference->groups[0], by_name);
    for (size_t at = 0; at < reference->group_count; at++) {
        const struct reference_group *group = &reference->groups[at];
        fwrite(group->name, 1, group->name_bytes, out);
        fprintf(out, " requests=%zu tokens=%" PRIu64 " p50_ms=%" PRIu32 " p99_ms=%" PRIu32 "\n",
                group->value_count, group->token_sum, reference_percentile(group, 50),
                reference_percentile(group, 99));
        free(group->name);
        free(group->values_ms);
    }
    fprintf(out, "blocked=%" PRIu64 " errors=%" PRIu64, reference->blocked_count,
            reference->error_count);
    if (reference->malformed_count > 0)
        fprintf(out, " malformed=%" PRIu64, reference->malformed_count);
    fputc('\n', out);
    fflush(out);
    const uint64_t checksum = ca_fnv1a64((struct ca_slice){report.bytes, report.byte_count});
    fprintf(out, "checksum=%016" PRIx64 "\n", checksum);
    fclose(out);
    return report;
}

static void reference_scan(struct reference *reference, struct text log,
                           const struct ca_blocklist *blocklist) {
    size_t start = 0;
    for (size_t at = 0; at < log.byte_count; at++) {
        if (log.bytes[at] != '\n')
            continue;
        const size_t end = at > start && log.bytes[at - 1] == '\r' ? at - 1 : at;
        reference_line(reference, text_of(log.bytes + start, end - start), blocklist);
        start = at + 1;
    }
    if (start < log.byte_count)
        reference_line(reference, text_of(log.bytes + start, log.byte_count - start), blocklist);
}

/* ---- the versions ---- */

static struct ca_job job_of(struct text log, const struct ca_blocklist *blocklist) {
    return (struct ca_job){
        .log = {log.bytes, log.byte_count},
        .log_name = "x.log",
        .blocklist = blocklist,
        .sip_key = {0x0123456789abcdef, 42},
    };
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
        const enum ca_status status = ca_versions[at].scan(&job, &result, &err);
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
        cr_assert_eq(ca_versions[at].scan(&job, &result, &err), CA_OK, "%s", name);
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

/* ---- random logs ---- */

static const struct ca_slice some_users[] = {{"u00007", 6}, {"z", 1}, {"u\0x", 3}};
static const struct ca_blocklist some_blocked = {(struct ca_slice *)(uintptr_t)some_users, 3, NULL};
static const struct ca_blocklist none_blocked = {NULL, 0, NULL};

/* xorshift64: not the generator of the logs under test. */
static uint64_t below(uint64_t *state, uint64_t limit) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state % limit;
}

#define ONE_OF(state, list) ((list)[below((state), sizeof(list) / sizeof((list)[0]))])

struct writer {
    char *bytes;
    size_t used_bytes;
};

static void put(struct writer *writer, const char *bytes, size_t byte_count) {
    cr_assert_leq(writer->used_bytes + byte_count, LOG_BYTES);
    memcpy(writer->bytes + writer->used_bytes, bytes, byte_count);
    writer->used_bytes += byte_count;
}

static void put_field(struct writer *writer, uint64_t *state) {
    static const struct ca_slice routes[] = {{"/v1/chat", 8},
                                             {"/v1/embed", 9},
                                             {"", 0},
                                             {"/\0r", 3},
                                             {"a=b", 3},
                                             {"/v1/chat\x01", 9},
                                             {"\xff", 1},
                                             {"/,\"", 3},
                                             {"\r", 1},
                                             {"=", 1},
                                             {"/v1/a-route-of-more-than-thirty-two-bytes", 41}};
    static const struct ca_slice models[] = {
        {"m", 1}, {"mistral-7b", 10}, {"", 0}, {"m\xc3\xa9", 3}, {"a-model-of-seventeen", 20}};
    static const struct ca_slice users[] = {{"u00007", 6}, {"u00008", 6}, {"u0007", 5},
                                            {"", 0},       {"z", 1},      {"u00007=", 7},
                                            {"u\0x", 3},   {"u\0y", 3}};
    static const struct ca_slice numbers[] = {{"0", 1},
                                              {"7", 1},
                                              {"+5", 2},
                                              {"0012", 4},
                                              {"4294967295", 10},
                                              {"4294967296", 10},
                                              {"18446744073709551615", 20},
                                              {"18446744073709551616", 20},
                                              {"99999999999999999999999999", 26},
                                              {"00000000000000000000000000000042", 32},
                                              {"", 0},
                                              {"+", 1},
                                              {"++1", 3},
                                              {"-1", 2},
                                              {"1x", 2},
                                              {"1\0", 2},
                                              {"1\r", 2},
                                              {"1=2", 3},
                                              {"\x1b[2J", 4}};
    static const struct ca_slice statuses[] = {{"200", 3},  {"200", 3}, {"200", 3},  {"200", 3},
                                               {"404", 3},  {"", 0},    {"0200", 4}, {"200\r", 4},
                                               {"+200", 4}, {"2000", 4}};
    static const struct ca_slice others[] = {{"junk", 4},      {"", 0},
                                             {"=", 1},         {"=x", 2},
                                             {"x=", 2},        {"k=v=w", 5},
                                             {"rout=e", 6},    {"Route=/x", 8},
                                             {"latency=9", 9}, {"statusx=200", 11},
                                             {"\0=\0", 3},     {"tokens", 6},
                                             {"user", 4},      {"level=status=500", 16},
                                             {"ts=1", 4}};
    char plain[16];
    switch (below(state, 8)) {
    case 0: {
        const struct ca_slice value = ONE_OF(state, routes);
        put(writer, "route=", 6);
        put(writer, value.bytes, value.byte_count);
        break;
    }
    case 1: {
        const struct ca_slice value = ONE_OF(state, models);
        put(writer, "model=", 6);
        put(writer, value.bytes, value.byte_count);
        break;
    }
    case 2: {
        const struct ca_slice value = ONE_OF(state, users);
        put(writer, "user=", 5);
        put(writer, value.bytes, value.byte_count);
        break;
    }
    case 3:
    case 4: {
        const bool is_latency = below(state, 2) == 0;
        put(writer, is_latency ? "latency_ms=" : "tokens=", is_latency ? 11 : 7);
        if (below(state, 3) > 0) {
            const int digit_count =
                snprintf(plain, sizeof plain, "%u", (unsigned)below(state, 3000));
            put(writer, plain, (size_t)digit_count);
        } else {
            const struct ca_slice value = ONE_OF(state, numbers);
            put(writer, value.bytes, value.byte_count);
        }
        break;
    }
    case 5: {
        const struct ca_slice value = ONE_OF(state, statuses);
        put(writer, "status=", 7);
        put(writer, value.bytes, value.byte_count);
        break;
    }
    default: {
        const struct ca_slice other = ONE_OF(state, others);
        put(writer, other.bytes, other.byte_count);
        break;
    }
    }
}

/* A line that is kept unless something added to it spoils it. */
static void put_good_fields(struct writer *writer, uint64_t *state) {
    static const char *const routes[] = {"/v1/chat", "/v1/rerank", "/r"};
    char fields[160];
    const int byte_count = snprintf(
        fields, sizeof fields, "route=%s model=%c user=u%05u tokens=%u latency_ms=%u status=200",
        ONE_OF(state, routes), (int)('a' + below(state, 3)), (unsigned)below(state, 40),
        (unsigned)below(state, 1500), (unsigned)below(state, 900));
    put(writer, fields, (size_t)byte_count);
}

static void put_line(struct writer *writer, uint64_t *state) {
    const bool is_good = below(state, 3) > 0;
    const uint64_t extra_count = is_good ? below(state, 4) : below(state, 24);
    const bool is_good_first = below(state, 2) == 0;
    if (is_good && is_good_first)
        put_good_fields(writer, state);
    for (uint64_t extra = 0; extra < extra_count; extra++) {
        put(writer, " ", 1);
        put_field(writer, state);
    }
    if (is_good && !is_good_first) {
        put(writer, " ", 1);
        put_good_fields(writer, state);
    }
}

static struct text random_log(char *bytes, uint64_t *state) {
    static const struct ca_slice ends[] = {
        {"\n", 1}, {"\n", 1}, {"\r\n", 2}, {"\n\n", 2}, {"\r\r\n", 3}};
    struct writer writer = {bytes, 0};
    const uint64_t line_count = below(state, 40);
    for (uint64_t line = 0; line < line_count; line++) {
        const struct ca_slice end = ONE_OF(state, ends);
        put_line(&writer, state);
        if (line + 1 < line_count || below(state, 2) == 0)
            put(&writer, end.bytes, end.byte_count);
        else if (below(state, 2) == 0)
            put(&writer, "\r", 1);
    }
    return text_of(bytes, writer.used_bytes);
}

/* Each log in a block of its own size, so that a sanitizer sees a read behind its end. */
static void expect_agreement_on_random_logs(uint64_t seed, const struct ca_blocklist *blocklist) {
    static char bytes[LOG_BYTES];
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
        const size_t byte_count = (size_t)below(&state, 300);
        char *bytes = malloc(byte_count + 1);
        for (size_t byte = 0; byte < byte_count; byte++)
            bytes[byte] = alphabet[below(&state, sizeof alphabet - 1)];
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

/* ---- single rules, with the report written out ---- */

static void expect_text(const char *log, const char *expected) {
    struct ca_string report;
    for (size_t at = 0; at < ca_version_count; at++) {
        struct ca_result result;
        struct ca_error err;
        const struct ca_job job = job_of(text_of(log, strlen(log)), &some_blocked);
        ca_result_init(&result);
        cr_assert_eq(ca_versions[at].scan(&job, &result, &err), CA_OK);
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
        cr_assert_eq(ca_versions[at].scan(&job, &result, &err), CA_OK);
        cr_assert_eq(result.malformed_count, 6);
        for (size_t line = 0; line < CA_MALFORMED_SHOWN; line++) {
            cr_assert_eq(result.malformed[line].line_number, expected[line].line_number);
            cr_assert_str_eq(result.malformed[line].reason, expected[line].reason);
        }
        ca_result_release(&result);
    }
}

/* ---- the seeded logs; checksums printed by the Rust reference ---- */

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
        cr_assert_eq(ca_versions[at].scan(&job, &result, &err), CA_OK);
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
