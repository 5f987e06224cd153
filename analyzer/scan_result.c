/* SPDX-License-Identifier: MIT */
#include "logstat.h"

#include <inttypes.h>
#include <stdio.h>

#include "log_line.h"

enum {
    QUOTED_BYTES = 41, /* what a message shows of a value */
};

void ca_result_init(struct ca_result *result) {
    *result = (struct ca_result){0};
}

void ca_result_release(struct ca_result *result) {
    ca_groups_release(&result->groups);
}

/* Writes the value so that a terminal shows it and nothing else: printable ASCII as it is, the rest
 * as \xNN, cut with an ellipsis. */
static void quote(char *ret_text, size_t text_bytes, struct ca_slice value) {
    size_t used = 0;
    for (size_t at = 0; at < value.byte_count; at++) {
        const unsigned char byte = (unsigned char)value.bytes[at];
        const bool is_plain = byte >= ' ' && byte <= '~' && byte != '\\' && byte != '"';
        if (used + 8 > text_bytes) {
            snprintf(ret_text + used, text_bytes - used, "...");
            return;
        }
        used += (size_t)snprintf(ret_text + used, text_bytes - used, is_plain ? "%c" : "\\x%02x",
                                 (unsigned)byte);
    }
    ret_text[used] = '\0';
}

static void explain(char *ret_reason, const char *key, struct ca_slice value, unsigned bits) {
    char quoted[QUOTED_BYTES] = "";
    if (value.byte_count == 0) {
        snprintf(ret_reason, CA_REASON_BYTES, "%s is missing or empty", key);
        return;
    }
    quote(quoted, sizeof quoted, value);
    snprintf(ret_reason, CA_REASON_BYTES, "%s \"%s\" is not an unsigned decimal that fits %u bits",
             key, quoted, bits);
}

enum ca_status ca_malformed_fail(const struct ca_malformed *malformed, const struct ca_job *job,
                                 struct ca_error *err) {
    return ca_fail(err, CA_MALFORMED, "%s:%" PRIu64 ": %s", job->log_name, malformed->line_number,
                   malformed->reason);
}

enum ca_status ca_result_reject(struct ca_result *result, const struct ca_job *job,
                                struct ca_slice tokens, struct ca_slice latency,
                                struct ca_error *err) {
    struct ca_malformed malformed = {.line_number = result->line_count};
    uint64_t ignored;
    if (!ca_parse_unsigned(tokens, UINT64_MAX, &ignored))
        explain(malformed.reason, "tokens", tokens, 64);
    else
        explain(malformed.reason, "latency_ms", latency, 32);
    if (result->malformed_count < CA_MALFORMED_SHOWN)
        result->malformed[result->malformed_count] = malformed;
    result->malformed_count++;
    return job->stops_at_malformed ? ca_malformed_fail(&malformed, job, err) : CA_OK;
}

enum ca_status ca_result_no_memory(const struct ca_result *result, const struct ca_job *job,
                                   struct ca_error *err) {
    return ca_fail(err, CA_NO_MEMORY,
                   "%s: out of memory after %" PRIu64 " lines; the log and its groups have to fit, "
                   "so give the program more or split the log",
                   job->log_name, result->line_count);
}
