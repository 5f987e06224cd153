/* SPDX-License-Identifier: MIT
 *
 * v6, blocks: v5, except that the log is read in blocks into one buffer instead of whole.
 *
 * A block is scanned while it is in the processor's cache, and memory is touched for the first time
 * once instead of once per page of the log. Names of groups have to be copied now, once per group.
 */
#include "block_reader.h"
#include "log_line.h"
#include "progress_bar.h"
#include "user_set.h"
#include "versions.h"

CA_OWN_FRAME static struct ca_line parse_fields_v2(struct ca_slice text) {
    struct ca_line line = ca_line_empty();
    const char *at = text.bytes;
    const char *end = text.bytes + text.byte_count;
    while (at < end) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        const char *field_end = space != NULL ? space : end;
        const char *equals = memchr(at, '=', (size_t)(field_end - at));
        if (equals != NULL) {
            const struct ca_slice key = {at, (size_t)(equals - at)};
            const struct ca_slice value = {equals + 1, (size_t)(field_end - equals - 1)};
            ca_line_set(&line, key, value);
        }
        at = space != NULL ? space + 1 : end;
    }
    return line;
}

static uint64_t hash_user(const struct ca_job *job, struct ca_slice user) {
    return ca_sip_hash(job->sip_key, user);
}

static uint64_t hash_group(const struct ca_job *job, const struct ca_line *line) {
    return ca_sip_hash_pair(job->sip_key, line->route, line->model);
}

static struct ca_group *find_group(const struct ca_job *job, struct ca_groups *groups,
                                   const struct ca_line *line) {
    const uint64_t hash = hash_group(job, line);
    struct ca_group *group = ca_groups_find(groups, hash, line->route, line->model);
    return group != NULL ? group : ca_groups_add_copy(groups, hash, line->route, line->model);
}

static enum ca_status count_line(const struct ca_job *job, const struct ca_user_set *blocked,
                                 const struct ca_line *line, struct ca_result *result,
                                 struct ca_error *err) {
    if (ca_user_set_has(blocked, hash_user(job, line->user), line->user)) {
        result->blocked_count++;
        return CA_OK;
    }
    if (!ca_slice_is(line->status, "200")) {
        result->error_count++;
        return CA_OK;
    }
    struct ca_line_numbers numbers;
    if (!ca_line_parse_numbers(line->tokens, line->latency, &numbers))
        return ca_result_reject(result, job, line->tokens, line->latency, err);
    struct ca_group *group = find_group(job, &result->groups, line);
    if (group == NULL || !ca_tally_add(&group->tally, numbers.latency_ms))
        return ca_result_no_memory(result, job, err);
    group->token_sum += numbers.tokens;
    return CA_OK;
}

static enum ca_status scan_lines(const struct ca_job *job, struct ca_slice lines,
                                 const struct ca_user_set *blocked, struct ca_result *result,
                                 struct ca_error *err) {
    struct ca_cursor cursor = {lines.bytes, lines.bytes + lines.byte_count};
    struct ca_slice text;
    while (ca_cursor_next(&cursor, &text)) {
        result->line_count++;
        const struct ca_line line = parse_fields_v2(text);
        const enum ca_status status = count_line(job, blocked, &line, result, err);
        if (status != CA_OK)
            return status;
    }
    return CA_OK;
}

static enum ca_status scan_blocks(const struct ca_job *job, struct ca_block_reader *reader,
                                  const struct ca_user_set *blocked, struct ca_result *result,
                                  struct ca_error *err) {
    for (;;) {
        struct ca_slice lines;
        enum ca_status status = ca_block_reader_next(reader, &lines, err);
        if (status == CA_OK)
            status = scan_lines(job, lines, blocked, result, err);
        if (status != CA_OK || lines.byte_count == 0)
            return status;
        ca_progress_add(job->progress, lines.byte_count);
    }
}

enum ca_status ca_scan_v6(const struct ca_job *job, struct ca_result *result,
                          struct ca_error *err) {
    const struct ca_blocklist *list = job->blocklist;
    struct ca_block_reader reader;
    struct ca_user_set blocked;
    if (!ca_user_set_init(&blocked, list->user_count))
        return ca_result_no_memory(result, job, err);
    for (size_t at = 0; at < list->user_count; at++)
        ca_user_set_add(&blocked, hash_user(job, list->users[at]), list->users[at]);
    ca_block_reader_init(&reader, job->source, job->block_bytes);
    const enum ca_status status = scan_blocks(job, &reader, &blocked, result, err);
    ca_block_reader_release(&reader);
    ca_user_set_release(&blocked);
    return status;
}
