/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "whole_file.h"

static void make_file(char *path, const char *bytes, size_t byte_count) {
    const int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, bytes, byte_count), (ssize_t)byte_count);
    close(fd);
}

static void expect_file(const char *path, const char *bytes, size_t byte_count) {
    struct ca_file file;
    struct ca_error err;
    cr_assert_eq(ca_file_read(path, &file, &err), CA_OK);
    cr_assert_eq(file.byte_count, byte_count);
    cr_assert_eq(memcmp(file.bytes, bytes, byte_count), 0);
    ca_file_release(&file);
}

Test(file_read, gives_every_byte_of_a_file) {
    char path[] = "/tmp/logstat-file-XXXXXX";
    make_file(path, "a\0b\r\n", 5);
    expect_file(path, "a\0b\r\n", 5);
    unlink(path);
}

Test(file_read, gives_nothing_for_an_empty_file) {
    char path[] = "/tmp/logstat-file-XXXXXX";
    make_file(path, "", 0);
    expect_file(path, "", 0);
    unlink(path);
}

Test(file_read, gives_every_byte_of_a_pipe) {
    enum {
        PIPED_BYTES = 1000003
    };
    static char bytes[PIPED_BYTES];
    int ends[2];
    for (size_t at = 0; at < sizeof bytes; at++)
        bytes[at] = (char)(at * 31 >> 3);
    cr_assert_eq(pipe(ends), 0);
    const pid_t writer = fork();
    if (writer == 0) {
        struct ca_error err;
        _exit((int)ca_write_all(ends[1], "pipe", (struct ca_slice){bytes, sizeof bytes}, &err));
    }
    close(ends[1]);
    cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    expect_file("-", bytes, sizeof bytes);
    int wait_status;
    cr_assert_eq(waitpid(writer, &wait_status, 0), writer);
    cr_assert_eq(wait_status, 0);
}

static void expect_failure(const char *path, const char *message) {
    struct ca_file file = {NULL, 77};
    struct ca_error err;
    cr_assert_eq(ca_file_read(path, &file, &err), CA_IO);
    cr_assert_str_eq(err.message, message);
    cr_assert_eq(file.byte_count, 77);
}

Test(file_read, names_what_cannot_be_read) {
    expect_failure("/tmp", "cannot read '/tmp': it is a directory; name a file in it");
    expect_failure("/nowhere/at-all",
                   "cannot open '/nowhere/at-all': No such file or directory; check the path");
    close(STDIN_FILENO);
    expect_failure("-", "cannot read 'standard input': it is closed");
}

Test(write_all, names_what_cannot_be_written) {
    struct ca_error err;
    const int fd = open("/dev/null", O_RDONLY);
    cr_assert_eq(ca_write_all(fd, "there", ca_slice_of(""), &err), CA_OK);
    cr_assert_eq(ca_write_all(fd, "there", ca_slice_of("x"), &err), CA_IO);
    cr_assert_str_eq(err.message, "cannot write to 'there': it is closed");
    close(fd);
}
