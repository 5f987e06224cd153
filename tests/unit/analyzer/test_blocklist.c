/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "blocklist.h"

/* The first and last users as the Rust reference shuffles them. */
Test(blocklist, is_the_reference_list_when_built_in) {
    static const char *const first[] = {"u09317", "u04647", "u01917", "u05687", "u02897", "u00327"};
    static const char *const last[] = {"u02167", "u05067", "u09237"};
    struct ca_blocklist list;
    struct ca_error err;
    cr_assert_eq(ca_blocklist_init_builtin(&list, &err), CA_OK);
    cr_assert_eq(list.user_count, 1000);
    for (size_t at = 0; at < 6; at++)
        cr_assert(ca_slice_is(list.users[at], first[at]), "user %zu", at);
    for (size_t at = 0; at < 3; at++)
        cr_assert(ca_slice_is(list.users[997 + at], last[at]), "user %zu", 997 + at);
    ca_blocklist_release(&list);
}

Test(blocklist, holds_every_tenth_user_once) {
    struct ca_blocklist list;
    struct ca_error err;
    bool is_seen[1000] = {false};
    cr_assert_eq(ca_blocklist_init_builtin(&list, &err), CA_OK);
    for (size_t at = 0; at < list.user_count; at++) {
        unsigned tens;
        char user[8] = "";
        memcpy(user, list.users[at].bytes, list.users[at].byte_count);
        cr_assert_eq(sscanf(user, "u%4u7", &tens), 1);
        cr_assert_not(is_seen[tens]);
        is_seen[tens] = true;
    }
    ca_blocklist_release(&list);
}

static enum ca_status init_from(struct ca_blocklist *list, const char *bytes, size_t byte_count,
                                struct ca_error *err) {
    char path[] = "/tmp/logstat-users-XXXXXX";
    const int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, bytes, byte_count), (ssize_t)byte_count);
    close(fd);
    const enum ca_status status = ca_blocklist_init_file(list, path, err);
    unlink(path);
    return status;
}

Test(blocklist, takes_one_user_a_line_and_skips_empty_ones) {
    struct ca_blocklist list;
    struct ca_error err;
    cr_assert_eq(init_from(&list, "b\r\n\r\n\na\nb\nc\0d\nlast", 18, &err), CA_OK);
    cr_assert_eq(list.user_count, 5);
    cr_assert(ca_slice_is(list.users[0], "b"));
    cr_assert(ca_slice_is(list.users[1], "a"));
    cr_assert(ca_slice_is(list.users[2], "b"));
    cr_assert_eq(list.users[3].byte_count, 3);
    cr_assert(ca_slice_is(list.users[4], "last"));
    ca_blocklist_release(&list);
}

Test(blocklist, may_be_empty) {
    struct ca_blocklist list;
    struct ca_error err;
    cr_assert_eq(init_from(&list, "", 0, &err), CA_OK);
    cr_assert_eq(list.user_count, 0);
    ca_blocklist_release(&list);
}

Test(blocklist, refuses_a_user_with_a_space_by_line) {
    struct ca_blocklist list;
    struct ca_error err;
    cr_assert_eq(init_from(&list, "a\n\nb c\n", 7, &err), CA_MALFORMED);
    cr_assert_not_null(strstr(err.message, ":3: a user with a space can match no line of a log"));
}
