/* SPDX-License-Identifier: MIT */
#include "logstat_reference.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print_report.h"

struct text text_of(const char *bytes, size_t byte_count) {
    return (struct text){(char *)(uintptr_t)bytes, byte_count};
}

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

struct text reference_report(struct reference *reference) {
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

void reference_scan(struct reference *reference, struct text log,
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
