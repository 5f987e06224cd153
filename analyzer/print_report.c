/* SPDX-License-Identifier: MIT */
#include "print_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    PIECE_BYTES = 256 /* more than any formatted piece; names are not formatted */
};

/* Once memory has run out, nothing more is written and the flag stays. */
struct ca_report_writer {
    struct ca_string text;
    bool has_failed;
};

uint64_t ca_fnv1a64(struct ca_slice bytes) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t at = 0; at < bytes.byte_count; at++)
        hash = (hash ^ (unsigned char)bytes.bytes[at]) * 0x100000001b3;
    return hash;
}

static void put(struct ca_report_writer *writer, struct ca_slice bytes) {
    if (!writer->has_failed)
        writer->has_failed = !ca_string_append(&writer->text, bytes);
}

__attribute__((format(printf, 2, 3))) static void put_format(struct ca_report_writer *writer,
                                                             const char *format, ...) {
    char piece[PIECE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    put(writer, ca_slice_of(piece));
}

static void write_text(struct ca_report_writer *writer, const struct ca_result *result) {
    for (size_t at = 0; at < result->groups.group_count; at++) {
        const struct ca_group *group = &result->groups.slots[at];
        put(writer, group->route);
        put(writer, ca_slice_of(" "));
        put(writer, group->model);
        put_format(writer,
                   " requests=%" PRIu64 " tokens=%" PRIu64 " p50_ms=%" PRIu32 " p99_ms=%" PRIu32
                   "\n",
                   group->summary.value_count, group->token_sum, group->summary.p50_ms,
                   group->summary.p99_ms);
    }
    put_format(writer, "blocked=%" PRIu64 " errors=%" PRIu64, result->blocked_count,
               result->error_count);
    if (result->malformed_count > 0)
        put_format(writer, " malformed=%" PRIu64, result->malformed_count);
    put_format(writer, "\n");
}

static void write_text_report(struct ca_report_writer *writer, const struct ca_result *result,
                              uint64_t checksum) {
    write_text(writer, result);
    put_format(writer, "checksum=%016" PRIx64 "\n", checksum);
}

/* The size of the well-formed UTF-8 sequence that `text` begins with, or 0. Source: RFC 3629,
 * section 4. */
static size_t utf8_bytes(struct ca_slice text) {
    const unsigned char *at = (const unsigned char *)text.bytes;
    const unsigned first = at[0];
    size_t byte_count = 0;
    unsigned low = 0x80;
    unsigned high = 0xbf;
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        byte_count = 2;
    else if (first >= 0xe0 && first <= 0xef)
        byte_count = 3;
    else if (first >= 0xf0 && first <= 0xf4)
        byte_count = 4;
    if (byte_count == 0 || byte_count > text.byte_count)
        return 0;
    if (first == 0xe0)
        low = 0xa0;
    if (first == 0xed)
        high = 0x9f;
    if (first == 0xf0)
        low = 0x90;
    if (first == 0xf4)
        high = 0x8f;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t rest = 2; rest < byte_count; rest++)
        if (at[rest] < 0x80 || at[rest] > 0xbf)
            return 0;
    return byte_count;
}

static void put_json_string(struct ca_report_writer *writer, struct ca_slice text) {
    put(writer, ca_slice_of("\""));
    while (text.byte_count > 0) {
        const size_t valid_bytes = utf8_bytes(text);
        const size_t step_bytes = valid_bytes > 0 ? valid_bytes : 1;
        const unsigned byte = (unsigned char)text.bytes[0];
        if (valid_bytes == 0)
            put(writer, ca_slice_of("\xef\xbf\xbd"));
        else if (byte < ' ' || byte == 0x7f)
            put_format(writer, "\\u%04x", byte);
        else if (byte == '"' || byte == '\\')
            put_format(writer, "\\%c", (int)byte);
        else
            put(writer, (struct ca_slice){text.bytes, step_bytes});
        text.bytes += step_bytes;
        text.byte_count -= step_bytes;
    }
    put(writer, ca_slice_of("\""));
}

static void write_json_report(struct ca_report_writer *writer, const struct ca_result *result,
                              uint64_t checksum) {
    put_format(writer, "{\n  \"schema\": \"logstat.report/1\",\n  \"groups\": [");
    for (size_t at = 0; at < result->groups.group_count; at++) {
        const struct ca_group *group = &result->groups.slots[at];
        put_format(writer, "%s\n    {\"route\": ", at > 0 ? "," : "");
        put_json_string(writer, group->route);
        put_format(writer, ", \"model\": ");
        put_json_string(writer, group->model);
        put_format(writer,
                   ", \"requests\": %" PRIu64 ", \"tokens\": %" PRIu64 ", \"p50_ms\": %" PRIu32
                   ", \"p99_ms\": %" PRIu32 "}",
                   group->summary.value_count, group->token_sum, group->summary.p50_ms,
                   group->summary.p99_ms);
    }
    put_format(writer, "%s],\n  \"lines\": %" PRIu64 ",\n  \"blocked\": %" PRIu64 ",\n",
               result->groups.group_count > 0 ? "\n  " : "", result->line_count,
               result->blocked_count);
    put_format(writer,
               "  \"errors\": %" PRIu64 ",\n  \"malformed\": %" PRIu64
               ",\n  \"checksum\": \"%016" PRIx64 "\"\n}\n",
               result->error_count, result->malformed_count, checksum);
}

static bool needs_quotes(struct ca_slice text) {
    for (size_t at = 0; at < text.byte_count; at++)
        if (text.bytes[at] == ',' || text.bytes[at] == '"' || text.bytes[at] == '\r')
            return true;
    return false;
}

/* Source: RFC 4180, except that lines end in \n. */
static void put_csv_field(struct ca_report_writer *writer, struct ca_slice text) {
    if (!needs_quotes(text)) {
        put(writer, text);
        return;
    }
    put(writer, ca_slice_of("\""));
    for (size_t at = 0; at < text.byte_count; at++) {
        if (text.bytes[at] == '"')
            put(writer, ca_slice_of("\""));
        put(writer, (struct ca_slice){text.bytes + at, 1});
    }
    put(writer, ca_slice_of("\""));
}

static void write_csv_report(struct ca_report_writer *writer, const struct ca_result *result,
                             uint64_t checksum) {
    uint64_t request_count = 0;
    uint64_t token_sum = 0;
    put_format(writer,
               "row,route,model,requests,tokens,p50_ms,p99_ms,lines,blocked,errors,malformed,"
               "checksum\n");
    for (size_t at = 0; at < result->groups.group_count; at++) {
        const struct ca_group *group = &result->groups.slots[at];
        put_format(writer, "group,");
        put_csv_field(writer, group->route);
        put_format(writer, ",");
        put_csv_field(writer, group->model);
        put_format(writer, ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",,,,,\n",
                   group->summary.value_count, group->token_sum, group->summary.p50_ms,
                   group->summary.p99_ms);
        request_count += group->summary.value_count;
        token_sum += group->token_sum;
    }
    put_format(writer, "total,,,%" PRIu64 ",%" PRIu64 ",,,%" PRIu64 ",%" PRIu64, request_count,
               token_sum, result->line_count, result->blocked_count);
    put_format(writer, ",%" PRIu64 ",%" PRIu64 ",%016" PRIx64 "\n", result->error_count,
               result->malformed_count, checksum);
}

static const struct ca_report_format formats[] = {
    {"text", write_text_report},
    {"json", write_json_report},
    {"csv", write_csv_report},
};

const struct ca_report_format *ca_report_format_find(const char *name) {
    for (size_t at = 0; at < sizeof formats / sizeof formats[0]; at++)
        if (strcmp(formats[at].name, name) == 0)
            return &formats[at];
    return NULL;
}

enum ca_status ca_report_render(struct ca_result *result, const struct ca_report_format *format,
                                struct ca_string *ret_report, struct ca_error *err) {
    struct ca_report_writer text = {0};
    struct ca_report_writer report = {0};
    ca_groups_sort(&result->groups);
    write_text(&text, result);
    const uint64_t checksum = ca_fnv1a64(ca_string_slice(&text.text));
    if (!text.has_failed)
        format->write(&report, result, checksum);
    ca_string_release(&text.text);
    if (!text.has_failed && !report.has_failed) {
        *ret_report = report.text;
        return CA_OK;
    }
    ca_string_release(&report.text);
    return ca_fail(err, CA_NO_MEMORY, "cannot hold the report in memory: out of memory");
}
