/* SPDX-License-Identifier: MIT */
#include "blocklist.h"

#include <stdlib.h>

#include "log_line.h"
#include "splitmix.h"
#include "whole_file.h"

enum {
    USER_BYTES = 6, /* "u01234" */
};

static const uint64_t shuffle_seed = 0xB10C;

static enum ca_status no_memory(struct ca_error *err) {
    return ca_fail(err, CA_NO_MEMORY, "cannot hold the blocklist in memory: out of memory");
}

static void shuffle(struct ca_slice *users, uint32_t user_count) {
    uint64_t state = shuffle_seed;
    for (uint32_t last = user_count - 1; last > 0; last--) {
        const uint32_t other = ca_splitmix_below(&state, last + 1);
        const struct ca_slice moved = users[last];
        users[last] = users[other];
        users[other] = moved;
    }
}

/* "u" and five digits. Not by snprintf, which for all users executes more than the rest of the
 * start. */
static void put_user(char *ret_bytes, unsigned number) {
    ret_bytes[0] = 'u';
    for (size_t at = USER_BYTES - 1; at > 0; at--, number /= 10)
        ret_bytes[at] = (char)('0' + number % 10);
}

enum ca_status ca_blocklist_init_builtin(struct ca_blocklist *list, struct ca_error *err) {
    struct ca_blocklist made = {0};
    made.users = malloc(CA_BUILTIN_USER_COUNT * sizeof *made.users);
    made.bytes = malloc(CA_BUILTIN_USER_COUNT * USER_BYTES);
    if (made.users == NULL || made.bytes == NULL) {
        ca_blocklist_release(&made);
        return no_memory(err);
    }
    for (unsigned at = 0; at < CA_BUILTIN_USER_COUNT; at++) {
        char *bytes = made.bytes + (size_t)at * USER_BYTES;
        put_user(bytes, at * 10 + 7);
        made.users[at] = (struct ca_slice){bytes, USER_BYTES};
    }
    made.user_count = CA_BUILTIN_USER_COUNT;
    shuffle(made.users, CA_BUILTIN_USER_COUNT);
    *list = made;
    return CA_OK;
}

static size_t count_lines(struct ca_cursor cursor) {
    struct ca_slice line;
    size_t line_count = 0;
    while (ca_cursor_next(&cursor, &line))
        line_count++;
    return line_count;
}

static enum ca_status split_users(struct ca_blocklist *list, const char *name, size_t byte_count,
                                  struct ca_error *err) {
    struct ca_cursor cursor = {list->bytes, list->bytes + byte_count};
    struct ca_slice line;
    size_t line_number = 0;
    const size_t line_count = count_lines(cursor);
    if (line_count > SIZE_MAX / sizeof *list->users)
        return no_memory(err);
    list->users = malloc((line_count > 0 ? line_count : 1) * sizeof *list->users);
    if (list->users == NULL)
        return no_memory(err);
    while (ca_cursor_next(&cursor, &line)) {
        line_number++;
        if (line.byte_count == 0)
            continue;
        if (memchr(line.bytes, ' ', line.byte_count) != NULL)
            return ca_fail(err, CA_MALFORMED,
                           "%s:%zu: a user with a space can match no line of a log; write one "
                           "user a line and nothing else",
                           name, line_number);
        list->users[list->user_count++] = line;
    }
    return CA_OK;
}

enum ca_status ca_blocklist_init_file(struct ca_blocklist *list, const char *path,
                                      struct ca_error *err) {
    struct ca_file file;
    enum ca_status status = ca_file_read(path, &file, err);
    if (status != CA_OK)
        return status;
    struct ca_blocklist made = {NULL, 0, file.bytes};
    status = split_users(&made, ca_file_name(path, "standard input"), file.byte_count, err);
    if (status != CA_OK)
        ca_blocklist_release(&made);
    else
        *list = made;
    return status;
}

void ca_blocklist_release(struct ca_blocklist *list) {
    free(list->users);
    free(list->bytes);
    *list = (struct ca_blocklist){0};
}
