/* SPDX-License-Identifier: MIT
 *
 * v10, ends: v9, except that the separators of a usual line are not looked for one by one: the line
 * is taken from its two ends, and what is between them is recognised whole (line_ends.h).
 *
 * Whatever does not pass there is counted by v8's scanner, line by line, or, when little passes,
 * in stretches that become longer.
 */
#include "line_ends.h"
#include "progress_bar.h"
#include "scanner_kind.h"
#include "versions.h"
#include "word_scanner.h"

enum {
    STRETCH_BYTES_MAX = 4096,
    /* So many lines that pass between two that do not make up for having tried. */
    WORTHWHILE_LINES = 4,
    /* How much earlier than in the first line a newline is looked for. */
    NEWLINE_MARGIN_BYTES = 16,
    LEARNT_LINE_BYTES_MAX = 512,
};

/* What one thread needs. `words` also reads. `stretch_bytes`: how much the next line that does not
 * pass takes along. */
struct end_scanner {
    struct ca_word_scanner words;
    ca_line_ends_function *count;
    size_t stretch_bytes;
    struct ca_line_ends ends;
};

static void init_scanner(void *memory, const struct ca_job *job,
                         const struct ca_blocked_users *blocked) {
    struct end_scanner *scanner = memory;
    const struct ca_separator_path *path =
        job->simd_path != NULL ? job->simd_path : ca_separator_path_best();
    ca_word_scanner_init(&scanner->words, job, blocked);
    scanner->count = path->count;
    scanner->stretch_bytes = 1;
    scanner->ends.newline_from_bytes = 0;
    ca_middle_cache_init(&scanner->ends.middles);
    ca_blocked_words_init(&scanner->ends.blocked, job->blocklist);
}

/* Lines a little shorter than the first one pass too, and longer ones in any case. */
static void set_newline(struct ca_line_ends *ends, size_t line_bytes) {
    const size_t least_bytes = CA_ENDS_TAIL_BYTES + NEWLINE_MARGIN_BYTES;
    if (ends->newline_from_bytes == 0 || line_bytes <= ends->newline_from_bytes)
        ends->newline_from_bytes =
            (line_bytes > least_bytes ? line_bytes : least_bytes) - NEWLINE_MARGIN_BYTES;
}

/* Remembers the middle of a line that has been counted, if it is a usual one with a group that
 * counts already. */
static void learn(struct end_scanner *scanner, const char *line, const char *line_end,
                  const struct ca_groups *groups) {
    const char *at[LEARNT_LINE_BYTES_MAX + CA_SEPARATOR_SPARE];
    const size_t line_bytes = (size_t)(line_end - line);
    struct ca_middle_cache *middles = &scanner->ends.middles;
    ca_middle_cache_follow(middles, groups);
    if (line_bytes > LEARNT_LINE_BYTES_MAX ||
        scanner->words.index.find(line, line_bytes, at) != CA_USUAL_SEPARATORS ||
        !ca_line_is_usual(line, at))
        return;
    set_newline(&scanner->ends, line_bytes - 1);
    const struct ca_line fields = ca_usual_fields(at);
    const uint64_t hash = ca_sip_hash_pair(scanner->words.job->sip_key, fields.route, fields.model);
    struct ca_group *group = ca_groups_find(groups, hash, fields.route, fields.model);
    if (group != NULL && group->tally.counts != NULL)
        ca_middle_cache_add(middles, at[CA_AT_LEVEL], at[CA_AT_USER] + CA_USER_KEY_BYTES, group);
}

/* Behind the line that the byte is in. */
static const char *behind_line(const char *byte, const char *end) {
    const char *newline = memchr(byte, '\n', (size_t)(end - byte));
    return newline != NULL ? newline + 1 : end;
}

/* Counts the line that did not pass, and what it takes along. */
static enum ca_status count_stretch(struct end_scanner *scanner, const char **line, const char *end,
                                    struct ca_result *result, struct ca_error *err) {
    const char *first = *line;
    const char *first_end = behind_line(first, end);
    const char *stretch_end = first_end;
    if ((size_t)(end - first) <= scanner->stretch_bytes)
        stretch_end = end;
    else if ((size_t)(first_end - first) < scanner->stretch_bytes)
        stretch_end = behind_line(first + scanner->stretch_bytes - 1, end);
    const struct ca_slice stretch = {first, (size_t)(stretch_end - first)};
    const enum ca_status status = ca_word_scanner_count(&scanner->words, stretch, result, err);
    learn(scanner, first, first_end, &result->groups);
    *line = stretch_end;
    return status;
}

/* The first line is not tried, because nothing readable need be before it. */
CA_OWN_FRAME static enum ca_status scan_lines_v10(struct end_scanner *scanner,
                                                  struct ca_slice lines, struct ca_result *result,
                                                  struct ca_error *err) {
    const char *at = lines.bytes;
    const char *end = lines.bytes + lines.byte_count;
    enum ca_status status = CA_OK;
    while (status == CA_OK && at < end) {
        const uint64_t lines_before = result->line_count;
        if (at - lines.bytes >= CA_ENDS_LEAD_BYTES && scanner->ends.newline_from_bytes > 0)
            at = scanner->count(&scanner->ends, at, end, result);
        if (result->line_count - lines_before >= WORTHWHILE_LINES)
            scanner->stretch_bytes = 1;
        else if (scanner->stretch_bytes < STRETCH_BYTES_MAX)
            scanner->stretch_bytes *= 2;
        if (at < end)
            status = count_stretch(scanner, &at, end, result, err);
    }
    return status;
}

static enum ca_status scan_source(void *memory, struct ca_source *source, struct ca_result *result,
                                  struct ca_error *err) {
    struct end_scanner *scanner = memory;
    ca_block_reader_restart(&scanner->words.reader, source);
    for (;;) {
        struct ca_slice lines;
        enum ca_status status = ca_block_reader_next(&scanner->words.reader, &lines, err);
        if (status == CA_OK)
            status = scan_lines_v10(scanner, lines, result, err);
        if (status != CA_OK || lines.byte_count == 0)
            return status;
        ca_progress_add(scanner->words.job->progress, lines.byte_count);
    }
}

static void release_scanner(void *memory) {
    struct end_scanner *scanner = memory;
    ca_word_scanner_release(&scanner->words);
}

static enum ca_status scan_alone(const struct ca_job *job, struct ca_result *result,
                                 struct ca_error *err) {
    struct ca_blocked_users blocked;
    struct end_scanner scanner;
    if (!ca_blocked_users_init(&blocked, job->blocklist, job->sip_key))
        return ca_result_no_memory(result, job, err);
    init_scanner(&scanner, job, &blocked);
    const enum ca_status status = scan_source(&scanner, job->source, result, err);
    release_scanner(&scanner);
    ca_blocked_users_release(&blocked);
    return status;
}

enum ca_status ca_scan_v10(const struct ca_job *job, struct ca_result *result,
                           struct ca_error *err) {
    static const struct ca_scanner_kind ends = {sizeof(struct end_scanner), init_scanner,
                                                scan_source, release_scanner};
    return ca_job_has_threads(job) ? ca_scan_in_threads(&ends, job, result, err)
                                   : scan_alone(job, result, err);
}
