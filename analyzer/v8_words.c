/* SPDX-License-Identifier: MIT
 *
 * v8, words: v7, except that the values of a usual line are taken eight bytes at a time: a number
 * is three multiplications, a user a bit, and a group four words compared, where v7 hashes with
 * SipHash and walks digits.
 *
 * Every such way is for values of one form and falls back to what v7 does.
 */
#include "log_line.h"
#include "progress_bar.h"
#include "value_words.h"
#include "versions.h"
#include "word_scanner.h"

static struct ca_line parse_fields_v2(struct ca_slice text) {
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

static struct ca_group *find_group(const struct ca_job *job, struct ca_groups *groups,
                                   const struct ca_line *line) {
    const uint64_t hash = ca_sip_hash_pair(job->sip_key, line->route, line->model);
    struct ca_group *group = ca_groups_find(groups, hash, line->route, line->model);
    return group != NULL ? group : ca_groups_add_copy(groups, hash, line->route, line->model);
}

/* Any line at all, as v7 counts it. */
CA_OWN_FRAME static enum ca_status count_any_line(struct ca_word_scanner *scanner,
                                                  const struct ca_line *line,
                                                  struct ca_result *result, struct ca_error *err) {
    const struct ca_job *job = scanner->job;
    if (ca_blocked_users_has(scanner->blocked, line->user)) {
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

/* A line without a \n yet, or in another order. */
static enum ca_status count_unusual_line(struct ca_word_scanner *scanner, const char **line,
                                         struct ca_result *result, struct ca_error *err) {
    struct ca_cursor cursor = {*line, scanner->index.end};
    struct ca_slice text = {*line, 0};
    result->line_count++;
    ca_cursor_next(&cursor, &text);
    ca_separator_index_skip(&scanner->index, cursor.at);
    *line = cursor.at;
    const struct ca_line fields = parse_fields_v2(text);
    return count_any_line(scanner, &fields, result, err);
}

/* A usual line with a value that the words below are not for. */
static enum ca_status count_doubtful_line(struct ca_word_scanner *scanner, const char *const *at,
                                          struct ca_result *result, struct ca_error *err) {
    const struct ca_line fields = ca_usual_fields(at);
    return count_any_line(scanner, &fields, result, err);
}

static inline struct ca_name name_of_group(const char *const *at) {
    return ca_name_of(at[CA_AT_ROUTE] + CA_ROUTE_KEY_BYTES, at[CA_AT_USER]);
}

/* Looks in the table for what the cache does not have. */
CA_OWN_FRAME static struct ca_group *find_uncached_group(struct ca_word_scanner *scanner,
                                                         const char *const *at,
                                                         struct ca_result *result) {
    const struct ca_name name = name_of_group(at);
    const struct ca_line fields = ca_usual_fields(at);
    struct ca_group *group = find_group(scanner->job, &result->groups, &fields);
    if (group != NULL)
        ca_name_cache_add(&scanner->names, &result->groups, &name, group);
    return group;
}

static inline struct ca_group *find_usual_group(struct ca_word_scanner *scanner,
                                                const char *const *at, struct ca_result *result) {
    const struct ca_name name = name_of_group(at);
    struct ca_group *group = ca_name_cache_find(&scanner->names, &result->groups, &name);
    return group != NULL ? group : find_uncached_group(scanner, at, result);
}

static inline bool is_blocked(const struct ca_word_scanner *scanner, const char *const *at) {
    const struct ca_slice user = ca_usual_value(at, CA_AT_USER, CA_USER_KEY_BYTES);
    const unsigned bit = ca_user_bit(ca_last_bytes(at[CA_AT_TOKENS], user.byte_count));
    return (ca_blocked_users_may_have(scanner->blocked, bit) || user.byte_count == 0) &&
           ca_blocked_users_has(scanner->blocked, user);
}

static inline uint32_t read_number(const char *const *at, enum ca_usual_separator which,
                                   size_t key_bytes, struct ca_doubt *doubt) {
    const struct ca_slice number = ca_usual_value(at, which, key_bytes);
    return ca_digits_read(number.bytes, number.byte_count, doubt);
}

static inline bool has_status_200(const char *const *at) {
    return ca_word_differs(at[CA_AT_STATUS] + CA_STATUS_KEY_BYTES, "200\n") == 0 ||
           ca_slice_is(ca_usual_status(at), "200");
}

static inline enum ca_status count_usual_line(struct ca_word_scanner *scanner,
                                              const char *const *at, struct ca_result *result,
                                              struct ca_error *err) {
    struct ca_doubt doubt = {0};
    const uint32_t tokens = read_number(at, CA_AT_TOKENS, CA_TOKENS_KEY_BYTES, &doubt);
    const uint32_t latency_ms = read_number(at, CA_AT_LATENCY, CA_LATENCY_KEY_BYTES, &doubt);
    if (ca_doubt_is_raised(&doubt))
        return count_doubtful_line(scanner, at, result, err);
    if (is_blocked(scanner, at)) {
        result->blocked_count++;
        return CA_OK;
    }
    if (!has_status_200(at)) {
        result->error_count++;
        return CA_OK;
    }
    struct ca_group *group = find_usual_group(scanner, at, result);
    if (group == NULL || !ca_tally_add(&group->tally, latency_ms))
        return ca_result_no_memory(result, scanner->job, err);
    group->token_sum += tokens;
    return CA_OK;
}

/* Counts usual lines up to one that is not, or that is not indexed yet. */
static inline enum ca_status count_usual_lines(struct ca_word_scanner *scanner, const char **line,
                                               struct ca_result *result, struct ca_error *err) {
    struct ca_separator_index *index = &scanner->index;
    enum ca_status status = CA_OK;
    while (status == CA_OK && index->count - index->first >= CA_USUAL_SEPARATORS) {
        const char *const *at = index->positions + index->first;
        if (!ca_line_is_usual(*line, at))
            break;
        index->first += CA_USUAL_SEPARATORS;
        *line = at[CA_AT_LINE_END] + 1;
        result->line_count++;
        status = count_usual_line(scanner, at, result, err);
    }
    return status;
}

CA_OWN_FRAME static enum ca_status scan_lines_v8(struct ca_word_scanner *scanner,
                                                 struct ca_slice lines, struct ca_result *result,
                                                 struct ca_error *err) {
    const char *at = lines.bytes;
    const char *end = lines.bytes + lines.byte_count;
    enum ca_status status = CA_OK;
    ca_separator_index_start(&scanner->index, lines);
    while (status == CA_OK && at < end) {
        const char *before = at;
        if (ca_separator_index_peek(&scanner->index) != NULL)
            status = count_usual_lines(scanner, &at, result, err);
        if (at == before)
            status = count_unusual_line(scanner, &at, result, err);
    }
    return status;
}

enum ca_status ca_word_scanner_count(struct ca_word_scanner *scanner, struct ca_slice lines,
                                     struct ca_result *result, struct ca_error *err) {
    return scan_lines_v8(scanner, lines, result, err);
}

void ca_word_scanner_init(struct ca_word_scanner *scanner, const struct ca_job *job,
                          const struct ca_blocked_users *blocked) {
    const struct ca_separator_path *path =
        job->simd_path != NULL ? job->simd_path : ca_separator_path_best();
    scanner->job = job;
    scanner->blocked = blocked;
    scanner->index.find = path->find;
    scanner->names = (struct ca_name_cache){.groups_slot_count = 0};
    ca_block_reader_init(&scanner->reader, NULL, job->block_bytes);
}

enum ca_status ca_word_scanner_scan(struct ca_word_scanner *scanner, struct ca_source *source,
                                    struct ca_result *result, struct ca_error *err) {
    ca_block_reader_restart(&scanner->reader, source);
    for (;;) {
        struct ca_slice lines;
        enum ca_status status = ca_block_reader_next(&scanner->reader, &lines, err);
        if (status == CA_OK)
            status = scan_lines_v8(scanner, lines, result, err);
        if (status != CA_OK || lines.byte_count == 0)
            return status;
        ca_progress_add(scanner->job->progress, lines.byte_count);
    }
}

void ca_word_scanner_release(struct ca_word_scanner *scanner) {
    ca_block_reader_release(&scanner->reader);
}

enum ca_status ca_scan_v8(const struct ca_job *job, struct ca_result *result,
                          struct ca_error *err) {
    struct ca_blocked_users blocked;
    struct ca_word_scanner scanner;
    if (!ca_blocked_users_init(&blocked, job->blocklist, job->sip_key))
        return ca_result_no_memory(result, job, err);
    ca_word_scanner_init(&scanner, job, &blocked);
    const enum ca_status status = ca_word_scanner_scan(&scanner, job->source, result, err);
    ca_word_scanner_release(&scanner);
    ca_blocked_users_release(&blocked);
    return status;
}
