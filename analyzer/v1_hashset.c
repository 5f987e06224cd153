/* SPDX-License-Identifier: MIT
 *
 * v1, hash set: v0, except that the blocklist is put into a hash set once and a user is looked up
 * in one step.
 *
 * One allocation more in all, none less per line.
 */
#include "log_line.h"
#include "owned_string.h"
#include "progress_bar.h"
#include "string_map.h"
#include "user_set.h"
#include "versions.h"

static bool insert_copy(struct ca_string_map *fields, struct ca_sip_key sip_key,
                        struct ca_slice key, struct ca_slice value) {
    struct ca_string key_copy;
    struct ca_string value_copy;
    if (!ca_string_copy(&key_copy, key))
        return false;
    if (!ca_string_copy(&value_copy, value)) {
        ca_string_release(&key_copy);
        return false;
    }
    return ca_string_map_insert(fields, sip_key, key_copy, value_copy);
}

/* False when memory ran out; `fields` is the caller's to release in either case. */
CA_OWN_FRAME static bool parse_fields_v0(struct ca_slice line, struct ca_sip_key sip_key,
                                         struct ca_string_map *fields) {
    const char *at = line.bytes;
    const char *end = line.bytes + line.byte_count;
    while (at < end) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        const char *field_end = space != NULL ? space : end;
        const char *equals = memchr(at, '=', (size_t)(field_end - at));
        if (equals != NULL) {
            const struct ca_slice key = {at, (size_t)(equals - at)};
            const struct ca_slice value = {equals + 1, (size_t)(field_end - equals - 1)};
            if (!insert_copy(fields, sip_key, key, value))
                return false;
        }
        at = space != NULL ? space + 1 : end;
    }
    return true;
}

static struct ca_slice get(const struct ca_job *job, const struct ca_string_map *fields,
                           const char *key) {
    return ca_string_map_get(fields, job->sip_key, ca_slice_of(key));
}

/* The group of "route model", a key built anew for every line and given to the table when it is
 * new. NULL when memory ran out. */
static struct ca_group *find_group(const struct ca_job *job, struct ca_groups *groups,
                                   struct ca_slice route, struct ca_slice model) {
    struct ca_string key = {0};
    if (!ca_string_append(&key, route) || !ca_string_append(&key, ca_slice_of(" ")) ||
        !ca_string_append(&key, model)) {
        ca_string_release(&key);
        return NULL;
    }
    const struct ca_slice key_route = {key.bytes, route.byte_count};
    const struct ca_slice key_model = {key.bytes + route.byte_count + 1, model.byte_count};
    const uint64_t hash = ca_sip_hash(job->sip_key, ca_string_slice(&key));
    struct ca_group *group = ca_groups_find(groups, hash, key_route, key_model);
    if (group != NULL) {
        ca_string_release(&key);
        return group;
    }
    group = ca_groups_add(groups, hash, key_route, key_model);
    if (group != NULL)
        group->owned_key = key.bytes;
    else
        ca_string_release(&key);
    return group;
}

static enum ca_status count_line(const struct ca_job *job, const struct ca_user_set *blocked,
                                 const struct ca_string_map *fields, struct ca_result *result,
                                 struct ca_error *err) {
    const struct ca_slice user = get(job, fields, "user");
    if (ca_user_set_has(blocked, ca_sip_hash(job->sip_key, user), user)) {
        result->blocked_count++;
        return CA_OK;
    }
    if (!ca_slice_is(get(job, fields, "status"), "200")) {
        result->error_count++;
        return CA_OK;
    }
    const struct ca_slice tokens = get(job, fields, "tokens");
    const struct ca_slice latency = get(job, fields, "latency_ms");
    struct ca_line_numbers numbers;
    if (!ca_line_parse_numbers(tokens, latency, &numbers))
        return ca_result_reject(result, job, tokens, latency, err);
    struct ca_group *group =
        find_group(job, &result->groups, get(job, fields, "route"), get(job, fields, "model"));
    if (group == NULL || !ca_latencies_push(&group->latencies, numbers.latency_ms))
        return ca_result_no_memory(result, job, err);
    group->token_sum += numbers.tokens;
    return CA_OK;
}

static enum ca_status scan_lines(const struct ca_job *job, const struct ca_user_set *blocked,
                                 struct ca_result *result, struct ca_error *err) {
    struct ca_cursor cursor = {job->log.bytes, job->log.bytes + job->log.byte_count};
    const char *mark = ca_progress_mark(job->progress, job->log, cursor.at);
    struct ca_slice line;
    while (ca_cursor_next(&cursor, &line)) {
        if (line.bytes >= mark)
            mark = ca_progress_mark(job->progress, job->log, line.bytes);
        result->line_count++;
        struct ca_string_map fields = {0};
        const enum ca_status status = parse_fields_v0(line, job->sip_key, &fields)
                                          ? count_line(job, blocked, &fields, result, err)
                                          : ca_result_no_memory(result, job, err);
        ca_string_map_release(&fields);
        if (status != CA_OK)
            return status;
    }
    return CA_OK;
}

enum ca_status ca_scan_v1(const struct ca_job *job, struct ca_result *result,
                          struct ca_error *err) {
    const struct ca_blocklist *list = job->blocklist;
    struct ca_user_set blocked;
    if (!ca_user_set_init(&blocked, list->user_count))
        return ca_result_no_memory(result, job, err);
    for (size_t at = 0; at < list->user_count; at++)
        ca_user_set_add(&blocked, ca_sip_hash(job->sip_key, list->users[at]), list->users[at]);
    const enum ca_status status = scan_lines(job, &blocked, result, err);
    ca_user_set_release(&blocked);
    return status;
}
